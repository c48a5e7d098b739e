"""Dense indexes that grow: first files that stay, and the vectors of passages that came later."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.growing import Rows, link
from hopyard.indexes.arrays.ragged import load_array
from hopyard.indexes.kinds.dense.reader import DenseReader
from hopyard.models.embedder import Vectors

NUMBERS_FILE: Final = "numbers.npy"
_MORE_VECTORS: Final = "more.npy"


class GrownDense(DenseReader):
    """A dense index of first vectors and later vectors; those of removed passages stay.

    A vector has a key: its place among the first vectors or, counted on, in the file of later
    vectors.

    Args:
        held: The passages, and the number of the passage of each key.
        later: The later vectors [m, d].
    """

    FIRST: ClassVar[tuple[str, ...]]
    """The first files, which a small change links."""

    def __init__(self, held: Rows, later: Vectors) -> None:
        super().__init__(held.ids, later.shape[1])
        self._held, self._later = held, later
        self._first = len(held.rows) - len(later)

    @abstractmethod
    def _first_vectors(self, keys: NDArray[np.int64]) -> Vectors:
        """The vectors [m, d] of m keys of the first files."""

    def _write_later(self, last: Path, directory: Path, new: Vectors) -> None:
        """Write what finds later vectors, if the index has more of them than their file."""

    def vectors_at(self, numbers: NDArray[np.int64]) -> Vectors:
        """See `DenseReader.vectors_at`."""
        keys = self._held.keys[numbers]
        if not len(self._later):
            return self._first_vectors(keys)
        found, late = np.empty((len(keys), self.dimension), np.float32), keys >= self._first
        found[~late] = self._first_vectors(keys[~late])
        found[late] = self._later[keys[late] - self._first]
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
        if held.are_too_many(self._first):
            return False
        for name in self.FIRST:
            link(last / name, directory / name)
        if len(self._later) or len(new):
            self._write_later(last, directory, new)
            later = np.concatenate([self._later, new]) if len(new) else self._later
            np.save(directory / _MORE_VECTORS, later)
        held.save(directory, rows=NUMBERS_FILE)
        return True


def later_vectors(directory: Path, dimension: int) -> Vectors:
    """The later vectors in a folder, mapped.

    Raises:
        IndexMissingError: The file is damaged.
    """
    file = directory / _MORE_VECTORS
    if not file.exists():
        return np.empty((0, dimension), np.float32)
    return load_array(file, np.float32, 2)


def keeps_removed(directory: Path) -> bool:
    """Whether the files of a folder have vectors of removed passages."""
    file = directory / NUMBERS_FILE
    return file.exists() and bool((load_array(file, np.int32) < 0).any())
