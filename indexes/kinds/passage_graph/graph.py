"""The passage graph as the traversal reads it: entry by edges, and the way out of a vertex.

An edge goes from the passage that raised an out-coming question to the passage that answers the
best in-coming question. It carries that question, its embedding, and the keywords of both (Liu et
al., section 3.2). Edges are directed: `out_edges` never gives one against its direction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.exporting import Export, Link, Node
from hopyard.indexes.arrays.files import IDS, ArrayFiles, Part
from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.passage_graph.similarity import mean_of, row_cosines
from hopyard.models.embedder import Vector
from hopyard.state.errors import EmbeddingMismatchError

EDGE_ROW: Final = np.dtype(
    [("tail", "<i4"), ("head", "<i4"), ("question", "<i4"), ("similarity", "<f8")]
)
"""An edge on the disk: rows of the passages, and of the question among `GraphFiles.questions`."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed edge: who reads `tail` and asks `question` finds the answer in `head`."""

    id: int
    """Its row in this generation of the graph; another generation numbers its edges again."""
    tail: str
    """Id of the passage that it leaves."""
    head: str
    """Id of the passage that it reaches."""
    question: str
    """The in-coming question: the head answers it."""
    keywords: frozenset[str]
    """The keywords of the in-coming question and of the out-coming question that matched it."""
    similarity: float
    """SIM of those two questions, in [-0.5, 1]."""


@dataclass(frozen=True, eq=False)
class GraphFiles(ArrayFiles):
    """The files of the read side: each field is a file or two of the kind's folder."""

    parts: ClassVar[Mapping[str, Part]] = {
        "passages": IDS,
        "edges": Part(
            EDGE_ROW, 1, {"tail": "passages", "head": "passages", "question": "questions"}
        ),
        "questions": Part(),
        "vectors": Part(np.float32, 2, like="questions"),
        "vocabulary": Part(),
        "edge_keywords": Part(np.int32, rows_of={"": "vocabulary"}, like="edges"),
        "passage_keywords": Part(np.int32, rows_of={"": "vocabulary"}, like="passages"),
    }

    passages: list[str]
    """Ids of all passages of the corpus, sorted."""
    edges: NDArray[Any]
    """[m] `EDGE_ROW`, sorted by tail, and for each tail from the best to the worst."""
    questions: Ragged
    """The in-coming questions that edges carry."""
    vectors: NDArray[np.float32]
    """[q, d] Their embeddings."""
    vocabulary: Ragged
    """All keywords, sorted by their UTF-8; a keyword's row is its code."""
    edge_keywords: Ragged
    """Codes of each edge's keywords."""
    passage_keywords: Ragged
    """Codes of each passage's own keywords."""

    def fits(self, name: str) -> bool:
        """Whether a field fits the others; the edges are sorted by tail."""
        return super().fits(name) and (
            name != "edges" or not np.any(np.diff(self.edges["tail"]) < 0)
        )


class GraphIndex:
    """The passage graph of one generation, read from its folder. Any thread may use it."""

    def __init__(self, files: GraphFiles) -> None:
        """Wrap the files; see `load`."""
        self._files = files
        self._rows = {passage_id: row for row, passage_id in enumerate(files.passages)}
        tails = np.arange(len(files.passages) + 1)
        self._exits = np.searchsorted(files.edges["tail"], tails)
        # Fields of packed rows are strided: what every query reads is copied out of them.
        self._question = np.ascontiguousarray(files.edges["question"])

    @classmethod
    def load(cls, directory: Path) -> GraphIndex:
        """Open the graph. It raises as `GraphFiles.load` does."""
        return cls(GraphFiles.load(directory))

    def part(self, passages: Collection[str]) -> GraphIndex:
        """The graph of some passages: the edges that leave one and reach one."""
        files = self._files
        names = {*passages}
        held = np.array([name in names for name in files.passages], bool)
        rows = np.cumsum(held) - 1
        kept = np.flatnonzero(held[files.edges["tail"]] & held[files.edges["head"]])
        edges = np.array(files.edges[kept])
        used, edges["question"] = np.unique(edges["question"], return_inverse=True)
        for end in ("tail", "head"):
            edges[end] = rows[edges[end]]
        return GraphIndex(
            replace(
                files,
                passages=[files.passages[row] for row in np.flatnonzero(held)],
                edges=edges,
                questions=files.questions.take(used),
                vectors=files.vectors[used],
                edge_keywords=files.edge_keywords.take(kept),
                passage_keywords=files.passage_keywords.take(np.flatnonzero(held)),
            )
        )

    def __len__(self) -> int:
        """Number of edges."""
        return len(self._files.edges)

    def __iter__(self) -> Iterator[Edge]:
        """All edges, in the order of their ids."""
        return map(self._edge, range(len(self)))

    @property
    def passage_ids(self) -> Sequence[str]:
        """All passages of the corpus, sorted by id; those without edges too."""
        return self._files.passages

    def entry_edges(
        self, query_vector: Vector, query_keywords: AbstractSet[str], k: int
    ) -> list[tuple[Edge, float]]:
        """The edges most similar to a query, whose heads are where a walk begins.

        Every edge is scored: one matrix-vector product over the questions that edges carry. The
        winners are then scored again in float64, so the answer is exact and always the same.

        Args:
            query_vector: The question's embedding [d], of length 1.
            query_keywords: Its keywords, as `extract_keywords` gives them.
            k: Edges at most.

        Returns:
            (edge, SIM) pairs, the best first; among equal SIM the lower edge id comes first.
        """
        query = self._query(query_vector)
        if not len(self) or k <= 0:
            return []
        jaccards = self._jaccards(query_keywords)
        sums = (self._files.vectors @ query)[self._question] + jaccards
        # A float32 product is off by at most about d roundings, on either side of the k-th.
        slack = 2 * len(query) * float(np.finfo(np.float32).eps)
        kth = np.partition(sums, -k)[-k] if k < len(sums) else -np.inf
        rows = np.flatnonzero(sums >= kth - slack)
        scores = mean_of(jaccards[rows], self._cosines(query, rows))
        best = np.lexsort((rows, -scores))[:k]
        return [(self._edge(int(rows[place])), float(scores[place])) for place in best]

    def out_edges(self, passage_id: str) -> list[Edge]:
        """The edges that leave a passage, the best first; none for a passage without."""
        row = self._rows.get(passage_id)
        if row is None:
            return []
        return [self._edge(edge) for edge in range(self._exits[row], self._exits[row + 1])]

    def in_edges(self, passage_id: str) -> list[Edge]:
        """The edges that reach a passage, the best first. Every edge is looked at."""
        row = self._rows.get(passage_id)
        if row is None:
            return []
        edges = map(self._edge, np.flatnonzero(self._files.edges["head"] == row).tolist())
        return sorted(edges, key=lambda edge: (-edge.similarity, edge.id))

    def similarities(
        self, query_vector: Vector, query_keywords: AbstractSet[str], edges: Sequence[Edge]
    ) -> list[float]:
        """SIM of a query with each of some edges (equation 1), in [-0.5, 1].

        Args:
            query_vector: The question's embedding [d], of length 1.
        """
        query = self._query(query_vector)
        rows = np.fromiter((edge.id for edge in edges), np.int64, len(edges))
        jaccards = self._jaccards(query_keywords, rows)
        return [float(score) for score in mean_of(jaccards, self._cosines(query, rows))]

    def passage_keywords(self, passage_id: str) -> frozenset[str]:
        """Keywords of a passage's own title and text, for SIM(passage, query) (equation 2)."""
        row = self._rows.get(passage_id)
        return self._words(self._files.passage_keywords[row]) if row is not None else frozenset()

    def _edge(self, row: int) -> Edge:
        tail, head, question, similarity = self._files.edges[row].item()
        return Edge(
            id=row,
            tail=self._files.passages[tail],
            head=self._files.passages[head],
            question=self._files.questions.text(question),
            keywords=self._words(self._files.edge_keywords[row]),
            similarity=similarity,
        )

    def _words(self, codes: NDArray[np.int32]) -> frozenset[str]:
        return frozenset(self._files.vocabulary.text(code) for code in codes.tolist())

    def _query(self, vector: Vector) -> Vector:
        dimension = self._files.vectors.shape[1]
        if vector.shape != (dimension,):
            raise EmbeddingMismatchError(
                f"A question of shape {vector.shape} cannot be looked up in a passage graph of "
                f"dimension {dimension}: use the embedding model that the index was built with."
            )
        return np.ascontiguousarray(vector, dtype=np.float32)

    def _cosines(self, query: Vector, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        vectors = self._files.vectors[self._question[rows]]
        return row_cosines(vectors, np.broadcast_to(query, vectors.shape))

    def _jaccards(
        self, keywords: AbstractSet[str], rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Jaccard of a query's keywords with those of all edges, or of some."""
        known = map(self._files.vocabulary.find, keywords)
        codes = np.array([code for code in known if code is not None], dtype=np.int32)
        of_edges = self._files.edge_keywords
        if rows is None:
            among = np.isin(of_edges.values, codes)
            shared = np.diff(np.concatenate(([0], np.cumsum(among)))[of_edges.bounds])
            sizes = of_edges.lengths
        else:
            parts = [of_edges[row] for row in rows.tolist()]
            shared = np.array([np.isin(part, codes).sum() for part in parts], dtype=np.int64)
            sizes = np.array([len(part) for part in parts], dtype=np.int64)
        union = sizes + len(keywords) - shared
        return np.divide(shared, union, out=np.zeros(len(shared)), where=shared > 0)


def export_of(graph: GraphIndex, passages: Iterable[Passage]) -> Export:
    """The graph with the texts of its passages."""
    return Export(
        nodes=(
            Node(passage.id, {"title": passage.title, "text": passage.text}) for passage in passages
        ),
        links=(
            Link(
                edge.tail,
                edge.head,
                {
                    "question": edge.question,
                    "keywords": sorted(edge.keywords),
                    "similarity": edge.similarity,
                },
            )
            for edge in graph
        ),
        counts={"edge": len(graph)},
    )
