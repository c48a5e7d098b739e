"""Facts and sentences of the entity graph, by their nearness to a question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.extraction import Fact
from hopyard.indexes.kinds.entity_graph.graph import EntityGraph
from hopyard.indexes.pagerank.activation import min_max
from hopyard.indexes.pagerank.query import Query
from hopyard.indexes.sentences import sentence_spans

__all__ = (
    "Statement",
    "fact_cosines",
    "nearest_statements",
    "sentence_cosines",
    "sentence_text",
)


@dataclass(frozen=True)
class Statement:
    """A fact, or a sentence of a graph that has none."""

    text: str
    entities: tuple[int, ...]
    score: float
    """Its cosine with the question, min-max normalised over all statements: in [0, 1]."""


def nearest_statements(query: Query, k: int) -> list[Statement]:
    """The k facts nearest to the question, or sentences where the graph has no facts."""
    graph = query.graph
    facts = bool(len(graph.files.facts))
    if facts:
        scores = graph.files.fact_vectors @ query.vector
    else:
        scores = sentence_cosines(query, np.arange(len(graph.files.sentences)))
    scores = min_max(scores.astype(np.float64))
    best = np.lexsort((np.arange(len(scores)), -scores))[:k]
    of = _fact if facts else _sentence
    return [of(query, row, float(scores[row])) for row in best.tolist()]


def sentence_cosines(query: Query, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """[r] The cosines of the question with some sentences.

    Where the index has no vectors of sentences, a sentence has the cosine of its passage.
    """
    files = query.graph.files
    return _cosines(query, files.sentence_vectors, rows, files.sentences["passage"][rows])


def fact_cosines(query: Query, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """[r] The cosines of the question with some facts, or with their passages."""
    files = query.graph.files
    return _cosines(query, files.fact_vectors, rows, files.facts["passage"][rows])


def _cosines(
    query: Query,
    vectors: NDArray[np.float32],
    rows: NDArray[np.int64],
    passages: NDArray[np.int32],
) -> NDArray[np.float64]:
    """[r] The cosines of some rows, or of the passage of each where there are no vectors."""
    if len(vectors):
        cosines: NDArray[np.float64] = (vectors[rows] @ query.vector).astype(float)
        return cosines
    distinct, inverse = np.unique(passages, return_inverse=True)
    dense = query.search.index.reader("dense")
    found = dense.vectors([query.graph.passage_ids[row] for row in distinct.tolist()])
    of_passages: NDArray[np.float64] = (found @ query.vector).astype(float)
    return of_passages[inverse]


def _fact(query: Query, row: int, score: float) -> Statement:
    graph = query.graph
    subject, relation, object_, *_ = graph.files.facts[row].item()
    fact = Fact(
        subject=graph.label(subject),
        relation=graph.files.relations.text(relation),
        object=graph.label(object_),
    )
    return Statement(fact.text, tuple(dict.fromkeys((subject, object_))), score)


def _sentence(query: Query, row: int, score: float) -> Statement:
    graph = query.graph
    inside = graph.entities_of_sentence
    entities = inside.indices[slice(*inside.indptr[row : row + 2])].tolist()
    return Statement(sentence_text(query, row), tuple(entities), score)


def sentence_text(query: Query, row: int) -> str:
    """A sentence, read from its passage."""
    graph: EntityGraph = query.graph
    passage, place = graph.files.sentences[row].item()
    [found] = query.search.index.passages([graph.passage_ids[passage]])
    return found.text[slice(*sentence_spans(found.text)[place])]
