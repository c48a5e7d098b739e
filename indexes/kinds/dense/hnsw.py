"""The dense index: FAISS HNSW over the passages' embeddings.

Malkov and Yashunin, 2018 (arXiv:1603.09320).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

import faiss
import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.one_thread import one_thread
from hopyard.indexes.arrays.rows import load_rows, save_rows
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.dense.reader import DenseReader
from hopyard.models.embedder import Vector, Vectors

__all__ = ("DenseIndex",)

NEIGHBOURS: Final = 32
"""M. 12 to 48 suit embeddings of some hundred dimensions; 32 links cost 256 bytes a passage,
a sixth of a vector of 384 floats."""

EF_CONSTRUCTION: Final = 200
"""Candidates when a passage is linked in: from there on more hardly improves recall."""

EF_SEARCH: Final = 512
"""Candidates of a search. Recall at 10 among 20,000 random vectors of 384 dimensions, which are
harder than any text: 0.78 with 128, 0.88 with 256, 0.96 with 512, for two milliseconds a search;
that is nothing beside a model call. A larger k raises it to k."""

COMPARED: Final = 20_000
"""Passages that a filter lets through and that are all compared with the question: it is exact, and
takes ten milliseconds. The graph serves wider filters, unless it reaches fewer than k of these
passages: then all are compared."""

INDEX_FILE: Final = "hnsw.faiss"

_LINKED: Final = 1000
"""Vectors that are linked in between two reports of progress."""

Tell = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    del done, total


class DenseIndex(DenseReader):
    """Approximate nearest neighbours by inner product, which is the cosine of unit vectors.

    Passages with the same vector share one row: a crowd of copies (footers, licences) would link
    up among themselves and cut off what lies behind it.
    """

    def __init__(self, index: faiss.IndexHNSWFlat, rows: Sequence[Sequence[str]]) -> None:
        """Wrap a FAISS index whose i-th vector is that of the passages `rows[i]`."""
        self._index = index
        self._ids = rows
        places = {passage_id: row for row, ids in enumerate(rows) for passage_id in ids}
        super().__init__(places, int(index.ntotal), int(index.d))
        index.hnsw.efSearch = EF_SEARCH
        self._last_allowed: tuple[frozenset[str], NDArray[np.int64]] | None = None

    @classmethod
    def build(cls, ids: Sequence[str], vectors: Vectors, tell: Tell = _silent) -> DenseIndex:
        """Link up the vectors [n, d] of n passages.

        The same ids and vectors always give the same index: one thread links them in, in order.

        Args:
            ids: The passages' ids.
            vectors: Their vectors.
            tell: Called with the vectors linked in and how many there are.
        """
        rows: dict[bytes, list[str]] = {}
        first: list[int] = []
        for place, (passage_id, vector) in enumerate(zip(ids, vectors, strict=True)):
            same = rows.setdefault(blake2b(vector, digest_size=16).digest(), [])
            if not same:
                first.append(place)
            same.append(passage_id)
        index = faiss.IndexHNSWFlat(vectors.shape[1], NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = EF_CONSTRUCTION
        with one_thread():
            for start in range(0, len(first), _LINKED):
                tell(start, len(first))
                index.add(vectors[first[start : start + _LINKED]])
        return cls(index, list(rows.values()))

    def save(self, directory: Path) -> None:
        """Write the index and its ids into a folder.

        Raises:
            OSError: The disk is full or not writable.
        """
        try:
            faiss.write_index(self._index, str(directory / INDEX_FILE))
        except RuntimeError as error:
            raise OSError(str(error)) from error
        save_rows(directory, self._ids)

    @classmethod
    def load(cls, directory: Path) -> DenseIndex:
        """Read what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
        """
        rows = load_rows(directory, list[str])
        file = directory / INDEX_FILE
        try:
            index = faiss.read_index(str(file))
        except RuntimeError as error:
            raise damage_error(file, f"cannot be read ({error})") from error
        if not isinstance(index, faiss.IndexHNSWFlat) or index.ntotal != len(rows):
            raise damage_error(file, f"does not hold the {len(rows)} vectors it should")
        return cls(index, rows)

    def search(
        self, vector: Vector, k: int, allowed: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        """See `DenseReader.search`."""
        self._check_dimension(vector)
        query = np.ascontiguousarray(vector[np.newaxis], dtype=np.float32)
        scores, rows = self._nearest(query, k, allowed)
        # Row -1 fills up where there are fewer than k.
        found = [
            (passage_id, score)
            for row, score in zip(rows.tolist(), scores.tolist(), strict=True)
            if row >= 0
            for passage_id in self._ids[row]
            if allowed is None or passage_id in allowed
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]

    def _nearest(
        self, query: Vectors, k: int, allowed: frozenset[str] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Scores and rows [k] of the rows nearest to a query [1, d], among those allowed."""
        if allowed is None:
            scores, rows = self._index.search(query, k)
            return scores[0], rows[0]
        among = self._allowed_rows(allowed)
        if len(among) <= COMPARED:
            return self._compared(query[0], k, among)
        parameters = faiss.SearchParametersHNSW(  # type: ignore[attr-defined]
            sel=faiss.IDSelectorBatch(among), efSearch=max(EF_SEARCH, k)
        )
        scores, rows = self._index.search(query, k, params=parameters)
        if np.count_nonzero(rows >= 0) < min(k, len(among)):  # they are far from the question
            return self._compared(query[0], k, among)
        return scores[0], rows[0]

    def _compared(
        self, query: Vector, k: int, among: NDArray[np.int64]
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The same by comparing all rows of `among`, which is exact."""
        every = np.concatenate(
            [
                self._index.reconstruct_batch(among[start : start + COMPARED]) @ query
                for start in range(0, max(len(among), 1), COMPARED)
            ]
        )
        best = np.argsort(-every, kind="stable")[:k]
        return every[best], among[best]

    def _allowed_rows(self, allowed: frozenset[str]) -> NDArray[np.int64]:
        """The rows [n] of some passages, sorted; a run asks for the same often."""
        last = self._last_allowed
        if last is None or last[0] is not allowed:
            found = {self._rows[passage_id] for passage_id in allowed & self._rows.keys()}
            last = allowed, np.array(sorted(found), dtype=np.int64)
            self._last_allowed = last
        return last[1]

    def _vectors_at(self, rows: NDArray[np.int64]) -> Vectors:
        return self._index.reconstruct_batch(rows)
