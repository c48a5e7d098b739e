"""The dense index of many passages: FAISS inverted lists, ranked again by the exact vectors.

The lists (Jégou, Douze and Schmid, "Product Quantization for Nearest Neighbor Search", 2011,
section IV) hold each number of a vector in 8 bits. They propose passages, whose cosines are then
computed from the whole vectors in a mapped file. Building takes an eighth of HNSW's time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import faiss
import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.dense.faiss_file import read_faiss, selector, write_faiss
from hopyard.indexes.kinds.dense.reader import VECTORS_FILE, DenseReader, Nearest, Tell, silent
from hopyard.models.embedder import Vector, Vectors

__all__ = ("IVF_FILE", "IvfIndex")

IVF_FILE: Final = "ivf.faiss"

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


class IvfIndex(DenseReader):
    """Approximate nearest neighbours by inner product. Row i is passage i."""

    def __init__(self, index: faiss.IndexIVF, ids: Ragged, vectors: Vectors) -> None:
        """Wrap a FAISS index of vectors [n, d]."""
        self._index = index
        self._vectors = vectors
        super().__init__(ids, int(index.d))

    @classmethod
    def build(cls, ids: Sequence[str], vectors: Vectors, tell: Tell = silent) -> IvfIndex:
        """Sort the vectors [n, d] of n passages into lists. They may be mapped.

        The same ids and vectors always give the same index on one machine.

        Args:
            ids: The passages' ids, sorted.
            vectors: Their vectors.
            tell: Called with the vectors sorted and how many there are.
        """
        count, dimension = vectors.shape
        lists = max(1, int(min(_LISTS * count**0.5, count / _TRAINED)))
        index: Any = faiss.index_factory(dimension, f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        sample = np.linspace(0, count - 1, min(count, _TRAINED * lists)).astype(np.int64)
        tell(0, count)
        index.train(np.ascontiguousarray(vectors[sample]))
        for start in range(0, count, _ADDED):
            tell(start, count)
            index.add(np.ascontiguousarray(vectors[start : start + _ADDED]))
        return cls(index, Ragged.of_texts(ids), vectors)

    def save(self, directory: Path) -> None:
        """Write the lists and the ids into a folder, which has the vectors already.

        Raises:
            OSError: The disk is full or not writable.
        """
        write_faiss(self._index, directory / IVF_FILE)
        self.ids.save(directory, IDS)

    @classmethod
    def load(cls, directory: Path) -> IvfIndex:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
        """
        ids = Ragged.load(directory, IDS, np.uint8)
        vectors = load_array(directory / VECTORS_FILE, np.float32, dimensions=2)
        index = read_faiss(directory / IVF_FILE)
        if not isinstance(index, faiss.IndexIVF) or not index.ntotal == len(ids) == len(vectors):
            raise damage_error(
                directory / IVF_FILE, f"does not hold the {len(ids)} vectors it should"
            )
        return cls(index, ids, vectors)

    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        wanted = min(k + _AGAIN, len(self))
        share = 1.0 if allowed is None else np.count_nonzero(allowed) / len(self)
        needed = 4 * wanted / share * self._index.nlist / len(self)
        probed = max(_PROBED * (1 if allowed is None else _WIDER), int(needed))
        parameters = faiss.SearchParametersIVF(  # type: ignore[call-arg]
            sel=None if allowed is None else selector(allowed),
            nprobe=min(probed, self._index.nlist),
        )
        query = np.ascontiguousarray(vector[np.newaxis], dtype=np.float32)
        _, rows = self._index.search(query, wanted, params=parameters)
        found = np.sort(rows[0][rows[0] >= 0])  # -1 fills up; the file is read in order
        return found, self._vectors[found] @ vector

    def vectors_at(self, numbers: NDArray[np.int64]) -> Vectors:
        """See `DenseReader.vectors_at`."""
        return np.asarray(self._vectors[numbers])
