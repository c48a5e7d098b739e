"""The dense index of up to `LARGE` passages: all vectors, compared with each question.

It grows: first vectors that stay, and those of passages that came later.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final, Self

import faiss
import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.faiss_index import read_faiss
from hopyard.indexes.arrays.growing import Rows, link
from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.dense.reader import VECTORS_FILE, DenseReader, Nearest, best_of, products
from hopyard.models.embedder import Vector, Vectors

NUMBERS_FILE: Final = "numbers.npy"
_MORE_VECTORS: Final = "more.npy"
_WIDE: Final = 4
"""Comparing all vectors is faster than reading more than 1 of so many by their places."""


class FlatIndex(DenseReader):
    """First vectors and later vectors; those of removed passages stay.

    A vector has a key: its place among the first vectors or, counted on, in the file of later
    vectors.

    Args:
        held: The passages, and the number of the passage of each key.
        first: The first vectors [n, d].
        later: The later vectors [m, d].
    """

    FIRST: ClassVar[tuple[str, ...]] = (VECTORS_FILE,)
    """The first files, which a small change links."""

    def __init__(self, held: Rows, first: Vectors, later: Vectors) -> None:
        super().__init__(held.ids, first.shape[1])
        self._held, self._first, self._later = held, first, later

    @classmethod
    def build(cls, ids: Sequence[str], vectors: Vectors) -> FlatIndex:
        """The index of the vectors [n, d] of n passages, whose ids are sorted."""
        return cls(Rows.of(ids), vectors, vectors[:0])

    def save(self, directory: Path) -> None:
        """Write the ids into a folder, which has the vectors already.

        Raises:
            OSError: The disk is full or not writable.
        """
        self._held.save(directory, rows=NUMBERS_FILE)

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Map what `save` or `extend` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
        """
        if (directory / _GRAPH_FILE).exists():
            first, held = _older(directory)
        else:
            first = load_array(directory / VECTORS_FILE, np.float32, 2)
            held = Rows.load(directory, rows=NUMBERS_FILE)
        more = directory / _MORE_VECTORS
        later = load_array(more, np.float32, 2) if more.exists() else first[:0]
        if len(held.rows) != len(first) + len(later):
            raise damage_error(directory / VECTORS_FILE, f"does not fit {len(held)} passages")
        return cls(held, first, later)

    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        """None: so all are compared."""
        del vector, k, allowed
        return np.empty(0, np.int64), np.empty(0, np.float32)

    def _compare(self, vector: Vector, k: int, numbers: NDArray[np.int64]) -> Nearest:
        if len(numbers) * _WIDE < len(self):
            return super()._compare(vector, k, numbers)
        every = np.concatenate([products(self._first, vector), products(self._later, vector)])
        return best_of(numbers, every[self._held.keys[numbers]], k)

    def vectors_at(self, numbers: NDArray[np.int64]) -> Vectors:
        """See `DenseReader.vectors_at`."""
        keys = self._held.keys[numbers]
        if not len(self._later):
            return self._first[keys]
        found, late = np.empty((len(keys), self.dimension), np.float32), keys >= len(self._first)
        found[~late] = self._first[keys[~late]]
        found[late] = self._later[keys[late] - len(self._first)]
        return found

    def extend(
        self, last: Path, directory: Path, removed: Sequence[str], ids: Sequence[str], new: Vectors
    ) -> bool:
        """Write the index with what has changed into a folder; the first files are not written.

        Args:
            last: The folder that this index was loaded from.
            removed: Ids of passages that are gone, sorted.
            ids: Ids of new passages, sorted.
            new: Their vectors [n, d].

        Returns:
            False, and nothing is written, if so much has changed that it is better built again.
        """
        held = self._held.changed(removed, ids)
        if held.are_too_many(len(self._first)):
            return False
        for name in self.FIRST:
            link(last / name, directory / name)
        if len(self._later) or len(new):
            later = np.concatenate([self._later, new]) if len(new) else self._later
            np.save(directory / _MORE_VECTORS, later)
        held.save(directory, rows=NUMBERS_FILE)
        return True


def keeps_removed(directory: Path) -> bool:
    """Whether the files of a folder have vectors of removed passages."""
    file = directory / NUMBERS_FILE
    return file.exists() and bool((load_array(file, np.int32) < 0).any())


_GRAPH_FILE: Final = "hnsw.faiss"


def _older(directory: Path) -> tuple[Vectors, Rows]:
    """The first vectors and the passages of an index of an older Hopyard: a graph of FAISS.

    Equal vectors have one row of the graph, and there may be no file of numbers.
    """
    graph, rows = read_faiss(directory / _GRAPH_FILE), load_array(directory / "rows.npy", np.int32)
    if not isinstance(graph, faiss.IndexHNSWFlat) or graph.ntotal != rows.max(initial=-1) + 1:
        raise damage_error(directory / _GRAPH_FILE, "does not fit the files beside it")
    vectors: Vectors = graph.reconstruct_n(0, graph.ntotal)[rows]
    if (directory / NUMBERS_FILE).exists():
        return vectors, Rows.load(directory, rows=NUMBERS_FILE)
    ids = Ragged.load(directory, IDS, np.uint8)
    return vectors, Rows(ids, np.arange(len(ids), dtype=np.int32))
