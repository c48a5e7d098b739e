"""The dense index of many passages: FAISS inverted lists, ranked again by the exact vectors.

The lists (Jégou, Douze and Schmid, 2011, "Product Quantization",
section IV) hold each number of a vector in 8 bits. They propose passages, whose cosines are then
computed from the whole vectors in a mapped file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Self

import faiss
import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.faiss_index import read_faiss, selector, write_faiss
from hopyard.indexes.arrays.growing import Rows
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.dense.flat import FlatIndex
from hopyard.indexes.kinds.dense.reader import VECTORS_FILE, Nearest, Tell, products, silent
from hopyard.models.embedder import Vector, Vectors

IVF_FILE: Final = "ivf.faiss"

_MARGIN: Final = 4
"""Passages that a search reads at least, for each that it looks for."""
_LISTS: Final = 4
"""Lists for each passage's square root: 1,264 for 100,000 passages, 4,000 for a million."""
_TRAINED: Final = 40
"""Vectors for each list from which its centre is learned; FAISS warns below 39."""
_PROBED: Final = 32
"""Lists that a search reads."""
_WIDER: Final = 2
"""Factor by which a search with a filter reads more lists."""
_AGAIN: Final = 100
"""Passages beyond k whose cosines are computed from the whole vectors."""
_ADDED: Final = 10_000
"""Vectors that are added between two reports of progress."""


class IvfIndex(FlatIndex):
    """Approximate nearest neighbours by inner product.

    The lists have the first passages, also those that were removed. Passages that are added later
    are all compared with a question: they are a tenth at most.
    """

    FIRST = (IVF_FILE, VECTORS_FILE)

    def __init__(self, held: Rows, first: Vectors, later: Vectors, lists: Any = None) -> None:
        """Wrap the FAISS index of the first vectors."""
        super().__init__(held, first, later)
        self._lists = lists

    @classmethod
    def build(cls, ids: Sequence[str], vectors: Vectors, tell: Tell = silent) -> IvfIndex:
        """Sort the vectors [n, d] of n passages into lists. They may be mapped.

        The same ids and vectors always give the same index on one machine.

        Args:
            ids: The passages' ids, sorted.
            tell: Called with the vectors sorted and how many there are.
        """
        count, dimension = vectors.shape
        lists = max(1, int(min(_LISTS * count**0.5, count / _TRAINED)))
        index = faiss.index_factory(dimension, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        sample = np.linspace(0, count - 1, min(count, _TRAINED * lists)).astype(np.int64)
        tell(0, count)
        index.train(np.ascontiguousarray(vectors[sample]))
        for start in range(0, count, _ADDED):
            tell(start, count)
            index.add(np.ascontiguousarray(vectors[start : start + _ADDED]))
        return cls(Rows.of(ids), vectors, vectors[:0], index)

    def save(self, directory: Path) -> None:
        """Write the lists and the ids into a folder, which has the vectors already.

        Raises:
            OSError: The disk is full or not writable.
        """
        write_faiss(self._lists, directory / IVF_FILE)
        super().save(directory)

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Map what `save` or `extend` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
        """
        index = super().load(directory)
        index._lists = read_faiss(directory / IVF_FILE)
        if index._lists.ntotal != len(index._first):
            raise damage_error(directory / IVF_FILE, "does not fit the files beside it")
        return index

    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        wanted = min(k + _AGAIN, len(self))
        query = np.ascontiguousarray(vector[np.newaxis], dtype=np.float32)
        share = 1.0 if allowed is None else np.count_nonzero(allowed) / len(self)
        lists = self._lists.nlist
        needed = int(_MARGIN * wanted / share * lists / len(self))
        reached = max(_PROBED if allowed is None else _WIDER * _PROBED, needed)
        open_ = self._held.rows >= 0  # removed passages would take the places of others
        if allowed is not None:
            open_ &= allowed[self._held.rows]
        first, late = np.split(open_, [len(self._first)])
        passed = None if first.all() else selector(first)
        enough = min(_MARGIN * wanted, int(np.count_nonzero(first)))
        while True:  # the nearest lists may be those of removed passages
            parameters = faiss.SearchParametersIVF(  # type: ignore[call-arg]
                sel=passed, nprobe=min(reached, lists)
            )
            _, [rows] = self._lists.search(query, max(1, enough), params=parameters)
            if reached >= lists or np.count_nonzero(rows >= 0) >= enough:
                break
            reached *= 4
        rows = rows[:wanted]
        rows = np.sort(rows[rows >= 0])  # -1 fills up; the file is read in order
        added = np.flatnonzero(late)
        keys = np.concatenate([rows, len(self._first) + added])
        cosines = [self._first[rows] @ vector, products(self._later, vector)[added]]
        return self._held.rows[keys].astype(np.int64), np.concatenate(cosines)
