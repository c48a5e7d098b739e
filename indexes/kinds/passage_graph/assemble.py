"""From edges and keywords to the arrays that readers map into memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.corpus.records import embedded_text
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.kinds.passage_graph.edges import Edges, edge_keywords
from hopyard.indexes.kinds.passage_graph.graph import EDGE_ROW, GraphFiles
from hopyard.indexes.kinds.passage_graph.sides import QuestionSide, Sides
from hopyard.indexes.text.keywords import extract_keywords

__all__ = ("Contents", "Vocabulary", "graph_files", "read_contents")


class Vocabulary:
    """Codes for keywords: given as they are met, and in the end in the order of the words."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def encode(self, words: Iterable[str]) -> list[int]:
        """The codes of some keywords, for `finish`."""
        return [self._codes.setdefault(word, len(self._codes)) for word in words]

    def finish(self, *tables: Sequence[Sequence[int]]) -> tuple[Ragged, ...]:
        """The keywords sorted by their UTF-8, then each table with its rows in final codes."""
        words = sorted(self._codes, key=str.encode)
        final = np.empty(len(words), dtype=np.int32)
        final[self.encode(words)] = np.arange(len(words))
        # A set has no order of its own that lasts from one process to the next.
        coded = (Ragged.of((np.sort(final[row]) for row in table), np.int32) for table in tables)
        return (Ragged.of_texts(words), *coded)


@dataclass(frozen=True, eq=False)
class Contents:
    """All passages of a generation, in the order of their ids, which is that of their rows."""

    hashes: dict[str, str]
    """Content hash by passage id."""
    keywords: list[list[int]]
    """Codes of each passage's keywords."""


def read_contents(corpus: Snapshot, vocabulary: Vocabulary) -> Contents:
    """Go through the corpus once, and keep of each passage what the graph needs of it."""
    contents = Contents({}, [])
    for passage in corpus.passages():
        contents.hashes[passage.id] = passage.content_hash
        words = extract_keywords(embedded_text(passage.full_title, passage.text))
        contents.keywords.append(vocabulary.encode(words))
    return contents


def graph_files(
    contents: Contents,
    sides: Sides,
    edges: Edges,
    vocabulary: Vocabulary,
) -> GraphFiles:
    """What readers need: of the questions only the in-coming ones that edges carry."""
    outcoming, incoming = sides
    carried, question = np.unique(_rows_of(incoming, edges.incoming), return_inverse=True)
    rows: NDArray[np.void] = np.empty(len(edges), dtype=EDGE_ROW)
    rows["tail"], rows["head"] = edges.tail, edges.head
    rows["question"], rows["similarity"] = question, edges.similarity
    keywords = edge_keywords(edges, outcoming.keywords_by_id, incoming.keywords_by_id)
    codes = [vocabulary.encode(words) for words in keywords]
    words, of_edges, of_passages = vocabulary.finish(codes, contents.keywords)
    return GraphFiles(
        passages=list(contents.hashes),
        edges=rows,
        questions=Ragged.of_texts(incoming.texts[row] for row in carried.tolist()),
        vectors=incoming.questions.vectors[carried],
        vocabulary=words,
        edge_keywords=of_edges,
        passage_keywords=of_passages,
    )


def _rows_of(side: QuestionSide, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """The rows of questions, by their ids; the side is in ascending order of id."""
    return np.searchsorted(side.questions.ids, ids)
