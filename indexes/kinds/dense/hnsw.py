"""The dense index: FAISS HNSW over the passages' embeddings.

Malkov and Yashunin, 2018 (arXiv:1603.09320).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

import faiss
import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.faiss_index import one_thread, read_faiss, selector, write_faiss
from hopyard.indexes.arrays.growing import Rows
from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.dense.grown import NUMBERS_FILE, GrownDense, later_vectors
from hopyard.indexes.kinds.dense.reader import SAMPLED, Nearest, Tell, silent
from hopyard.models.embedder import Vector, Vectors

NEIGHBOURS: Final = 32
"""M. 12 to 48 suit embeddings of some hundred dimensions; 32 links cost 256 bytes a passage,
a sixth of a vector of 384 floats."""

EF_CONSTRUCTION: Final = 200
"""Candidates when a passage is linked in: from there on more hardly improves recall."""

EF_SEARCH: Final = 512
"""Candidates of a search. Recall at 10 among 20,000 random vectors of 384 dimensions, which are
harder than any text: 0.78 with 128, 0.88 with 256, 0.96 with 512, for two milliseconds a search;
that is nothing beside a model call. A larger k raises it to k."""

INDEX_FILE: Final = "hnsw.faiss"

_LINKED: Final = 1000
"""Vectors that are linked in between two reports of progress."""

ROWS_FILE: Final = "rows.npy"


class DenseIndex(GrownDense):
    """Approximate nearest neighbours by inner product, which is the cosine of unit vectors.

    Passages with the same vector share one row: a crowd of copies (footers, licences) would link
    up among themselves and cut off what lies behind it. The graph has the first passages. Those
    that are added later are all compared with a question: they are a tenth at most.
    """

    FIRST = (INDEX_FILE, ROWS_FILE)

    def __init__(
        self, index: faiss.IndexHNSWFlat, held: Rows, rows: NDArray[np.int32], later: Vectors
    ) -> None:
        """Wrap a FAISS index whose row `rows[key]` has the first vector of a key."""
        self._index = index
        self._rows = rows
        super().__init__(held, later)
        index.hnsw.efSearch = EF_SEARCH

    @classmethod
    def build(cls, ids: Sequence[str], vectors: Vectors, tell: Tell = silent) -> DenseIndex:
        """Link up the vectors [n, d] of n passages.

        The same ids and vectors always give the same index: one thread links them in, in order.

        Args:
            ids: The passages' ids, sorted.
            tell: Called with the vectors linked in and how many there are.
        """
        known: dict[bytes, int] = {}
        keys = (blake2b(vector, digest_size=16).digest() for vector in vectors)
        rows = np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int32)
        first = np.unique(rows, return_index=True)[1]
        index = faiss.IndexHNSWFlat(vectors.shape[1], NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = EF_CONSTRUCTION
        with one_thread():
            for start in range(0, len(first), _LINKED):
                tell(start, len(first))
                index.add(vectors[first[start : start + _LINKED]])
        return cls(index, Rows.of(ids), rows, vectors[:0])

    def save(self, directory: Path) -> None:
        """Write the index and its ids into a folder.

        Raises:
            OSError: The disk is full or not writable.
        """
        write_faiss(self._index, directory / INDEX_FILE)
        np.save(directory / ROWS_FILE, self._rows)
        self._held.save(directory, rows=NUMBERS_FILE)

    @classmethod
    def load(cls, directory: Path) -> DenseIndex:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
        """
        rows, index = (
            load_array(directory / ROWS_FILE, np.int32),
            read_faiss(directory / INDEX_FILE),
        )
        count = int(rows.max(initial=-1)) + 1
        if not isinstance(index, faiss.IndexHNSWFlat) or index.ntotal != count:
            raise damage_error(
                directory / INDEX_FILE, f"does not hold the {count} vectors it should"
            )
        later = later_vectors(directory, int(index.d))
        if (directory / NUMBERS_FILE).exists():
            held = Rows.load(directory, rows=NUMBERS_FILE)
        else:  # an older Hopyard built it, and nothing has changed since
            ids = Ragged.load(directory, IDS, np.uint8)
            held = Rows(ids, np.arange(len(ids), dtype=np.int32))
        if len(held.rows) != len(rows) + len(later):
            raise damage_error(directory / ROWS_FILE, f"does not fit {len(held)} passages")
        return cls(index, held, rows, later)

    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        open_ = self._held.rows >= 0
        if allowed is not None:
            open_ &= allowed[self._held.rows]
        first, parameters, asked = open_[: self._first], None, k
        count = int(np.count_nonzero(first))
        closed, enough = self._first - count, k
        if allowed is not None and closed:
            rows_open = np.zeros(self._index.ntotal, dtype=np.bool_)
            rows_open[self._rows[first]] = True
            parameters = faiss.SearchParametersHNSW(  # type: ignore[attr-defined]
                sel=selector(rows_open), efSearch=max(EF_SEARCH, k)
            )
        elif closed:  # removed passages may be all that is near: then it looks further
            asked, enough = max(k, EF_SEARCH), max(k, EF_SEARCH // 2)
        query = np.ascontiguousarray(vector[np.newaxis], dtype=np.float32)
        while True:
            keys, cosines = self._first_found(query, asked, parameters)
            if len(keys) < (min(k, count) if parameters else min(asked, self._first)):
                return keys[:0], cosines[:0]  # it leads no further, so all are compared
            keys, cosines = keys[first[keys]], cosines[first[keys]]
            if len(keys) >= enough or parameters or asked >= self._first:
                break
            asked *= 4
        late = np.flatnonzero(open_[self._first :])
        keys = np.concatenate([keys, self._first + late])
        cosines = np.concatenate([cosines, (self._later @ vector)[late]])  # copies no vectors
        return self._held.rows[keys].astype(np.int64), cosines

    def _first_found(self, query: Vectors, k: int, parameters: Any) -> Nearest:
        """The keys of the k nearest rows of the graph, and their cosines."""
        cosines, rows = (found[0] for found in self._index.search(query, k, params=parameters))
        cosines, rows = cosines[rows >= 0], rows[rows >= 0]  # -1 fills up where there are fewer
        if self._index.ntotal == self._first:
            return rows, cosines
        places = [self._copies[row] for row in rows.tolist()]
        copies = [len(each) for each in places]
        return np.concatenate([np.empty(0, np.int64), *places]), np.repeat(cosines, copies)

    @cached_property
    def _copies(self) -> Ragged:
        """The keys of each row."""
        bounds = np.searchsorted(np.sort(self._rows), np.arange(self._index.ntotal + 1))
        return Ragged(np.argsort(self._rows, kind="stable"), bounds)

    def _first_vectors(self, keys: NDArray[np.int64]) -> Vectors:
        found: Vectors = self._index.reconstruct_batch(self._rows[keys].astype(np.int64))
        return found

    @cached_property
    def _sample(self) -> Vectors:
        """As `DenseReader._sample`, of the graph's vectors; copies count once."""
        keys = self._held.keys
        rows = np.unique(self._rows[keys[keys < self._first]])
        chosen = rows[np.linspace(0, len(rows) - 1, min(SAMPLED, len(rows))).astype(np.int64)]
        found: Vectors = self._index.reconstruct_batch(chosen.astype(np.int64))
        return found
