"""Facts and sentences of the entity graph, by their nearness to a question."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.find.extraction import Fact
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.searches.pagerank.query import Query, min_max
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.models.embedder import Vector

_BLOCK: Final = 16_384
"""Vectors that are read at once (384 dimensions: 25 MB)."""


@dataclass(frozen=True)
class Statement:
    """A fact, or a sentence of a graph that has none."""

    text: str
    entities: tuple[int, ...]
    score: float
    """Its cosine with the question, min-max normalised over all statements: in [0, 1]."""


def nearest_statements(query: Query, k: int) -> list[Statement]:
    """The k facts nearest to the question, or sentences where the graph has no facts.

    A fact that several passages state counts once.
    """
    files = query.graph.files
    if not len(files.facts):
        scores = min_max(sentence_cosines(query, np.arange(len(files.sentences))))
        best = np.argsort(-scores, kind="stable")[:k].tolist()
        return [_sentence(query, row, float(scores[row])) for row in best]
    scores = min_max(files.fact_vectors @ query.vector)
    chosen: dict[tuple[int, int, int], int] = {}
    for row in np.argsort(-scores, kind="stable"):
        subject, relation, object_, *_ = files.facts[row].item()
        chosen.setdefault((subject, relation, object_), int(row))
        if len(chosen) == k:
            break
    return [_fact(query, row, float(scores[row])) for row in chosen.values()]


def sentence_cosines(query: Query, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """[r] The cosines of the question with the passages of some sentences.

    Vectors of their own, as in LinearRAG, cost an embedding for each sentence and gained nothing:
    recall@5 of `linear` was 0.2 to 4.2 points lower with them on `dev` of four sets.
    """
    return _passage_cosines(query, query.graph.files.sentences["passage"][rows])


def fact_cosines(query: Query, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """[r] The cosines of the question with some facts, or with their passages."""
    files = query.graph.files
    if len(files.fact_vectors):
        return _cosines(files.fact_vectors.__getitem__, rows, query.vector)
    return _passage_cosines(query, files.facts["passage"][rows])


def _passage_cosines(query: Query, stating: NDArray[np.int32]) -> NDArray[np.float64]:
    """[r] The cosines of the question with the passages that state something."""
    passages, inverse = np.unique(stating, return_inverse=True)
    dense, ids = query.search.index.reader("dense"), query.graph.passage_ids

    def vectors_of(some: NDArray[np.int64]) -> NDArray[np.float32]:
        found: NDArray[np.float32] = dense.vectors([ids[row] for row in some.tolist()])
        return found

    return _cosines(vectors_of, passages.astype(np.int64), query.vector)[inverse]


def _cosines(
    vectors_of: Callable[[NDArray[np.int64]], NDArray[np.float32]],
    rows: NDArray[np.int64],
    vector: Vector,
) -> NDArray[np.float64]:
    """[r] Cosines of a vector and some rows, which are read in blocks."""
    cosines = np.empty(len(rows))
    for start in range(0, len(rows), _BLOCK):
        some = slice(start, start + _BLOCK)
        cosines[some] = vectors_of(rows[some]) @ vector
    return cosines


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
    return Statement(_sentence_text(query, row), tuple(entities), score)


def _sentence_text(query: Query, row: int) -> str:
    """A sentence, read from its passage."""
    graph: EntityGraph = query.graph
    passage, place = graph.files.sentences[row].item()
    [found] = query.search.index.passages([graph.passage_ids[passage]])
    return found.text[slice(*sentence_spans(found.text)[place])]
