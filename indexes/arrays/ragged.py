"""Rows of different length on the disk: texts and keyword sets, read without loading them all.

Two plain `.npy` files hold the values of all rows end to end and the bounds between them, as a
sparse matrix holds its rows. Both are mapped into memory, so that opening a graph of a million
questions costs no more than opening one of ten.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hopyard.indexes.corpus.manifest import damage_error

IDS: Final = "ids"
"""The name under which a kind keeps the ids of its passages, row by row."""


@dataclass(frozen=True, eq=False)
class Ragged:
    """n rows; row i is `values[bounds[i]:bounds[i + 1]]`."""

    values: NDArray[Any]
    bounds: NDArray[np.int64]
    """[n + 1] Ascending, from 0 to the number of values."""

    @classmethod
    def of(cls, rows: Iterable[Sequence[int] | NDArray[Any]], dtype: DTypeLike) -> Ragged:
        """Put rows of numbers end to end."""
        kept = [np.asarray(row, dtype=dtype) for row in rows]
        lengths = np.fromiter(map(len, kept), np.int64, len(kept))
        values = np.concatenate(kept) if kept else np.empty(0, dtype)
        return cls(values, np.concatenate(([0], np.cumsum(lengths))).astype(np.int64))

    @classmethod
    def of_texts(cls, texts: Iterable[str]) -> Ragged:
        """Put texts end to end, as UTF-8."""
        encoded = [text.encode() for text in texts]
        lengths = np.fromiter(map(len, encoded), np.int64, len(encoded))
        values = np.frombuffer(b"".join(encoded), dtype=np.uint8)
        return cls(values, np.concatenate(([0], np.cumsum(lengths))).astype(np.int64))

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, row: int) -> NDArray[Any]:
        part: NDArray[Any] = self.values[self.bounds[row] : self.bounds[row + 1]]
        return part

    @property
    def lengths(self) -> NDArray[np.int64]:
        """[n] Values of each row."""
        return np.diff(self.bounds)

    def take(self, rows: NDArray[Any]) -> Ragged:
        """Some rows, in that order."""
        return Ragged.of((self[row] for row in rows.tolist()), self.values.dtype)

    def text(self, row: int) -> str:
        """A row of `of_texts`."""
        return self[row].tobytes().decode(errors="replace")

    def find(self, text: str) -> int | None:
        """The row of a text among texts that are sorted, or None."""
        row = self.place(text)
        return row if row < len(self) and self.text(row) == text else None

    def place(self, text: str) -> int:
        """The first row whose text does not come before a text, among texts that are sorted."""
        values, bounds = memoryview(self.values), memoryview(self.bounds)  # type: ignore[arg-type]
        return bisect_left(
            range(len(self)),
            text.encode(errors="replace"),
            key=lambda row: bytes(values[bounds[row] : bounds[row + 1]]),
        )

    def changed(
        self, removed: Iterable[int], added: Sequence[str]
    ) -> tuple[Ragged, NDArray[np.int32], NDArray[np.int64]]:
        """Sorted texts without some rows and with other texts, which are sorted too.

        Returns:
            The texts; the new row of each row, -1 if it was removed; the rows of the added texts.
        """
        kept = np.ones(len(self), dtype=np.bool_)
        kept[list(removed)] = False
        before = np.concatenate(([0], np.cumsum(kept)))
        places = before[[self.place(text) for text in added]] if added else np.empty(0, np.int64)
        new, lengths = Ragged.of_texts(added), self.lengths
        starts = np.concatenate(([0], np.cumsum(lengths[kept])))[places]
        values = np.insert(
            self.values[np.repeat(kept, lengths)], np.repeat(starts, new.lengths), new.values
        )
        bounds = np.cumsum(np.insert(lengths[kept], places, new.lengths))
        rows = places + np.arange(len(places))
        moved = np.full(len(self), -1, dtype=np.int32)
        moved[kept] = np.setdiff1d(np.arange(len(bounds)), rows, assume_unique=True)
        return Ragged(values, np.concatenate(([0], bounds))), moved, rows

    def save(self, directory: Path, name: str) -> None:
        """Write `NAME.npy` and `NAME-bounds.npy`."""
        np.save(directory / f"{name}.npy", self.values, allow_pickle=False)
        np.save(directory / f"{name}-bounds.npy", self.bounds, allow_pickle=False)

    @classmethod
    def load(cls, directory: Path, name: str, dtype: DTypeLike) -> Ragged:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
        """
        values = load_array(directory / f"{name}.npy", dtype)
        file = directory / f"{name}-bounds.npy"
        bounds = load_array(file, np.int64)
        if not len(bounds) or bounds[0] or bounds[-1] != len(values) or np.any(np.diff(bounds) < 0):
            raise damage_error(file, f"does not divide the {len(values)} values beside it")
        return cls(values, bounds)


def load_array(
    file: Path, dtype: DTypeLike, dimensions: int = 1, *, rows: int | None = None
) -> NDArray[Any]:
    """Map an array into memory, to be read only.

    Args:
        file: A `.npy` file.
        dtype: The type of its elements.
        dimensions: How many dimensions it has.
        rows: How many rows it has, where another file says that.

    Raises:
        IndexMissingError: The file is missing, damaged, or holds something else.
    """
    try:
        array: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError as error:  # deleted, or of another version of Hopyard
        raise damage_error(file, "is missing") from error
    except (OSError, ValueError, EOFError) as error:
        raise damage_error(file, f"cannot be read ({error})") from error
    if array.dtype != np.dtype(dtype) or array.ndim != dimensions:
        found = f"{array.ndim} dimensions of {array.dtype}"
        raise damage_error(file, f"holds {found} instead of {dimensions} of {np.dtype(dtype)}")
    if rows is not None and len(array) != rows:
        raise damage_error(file, f"holds {len(array)} rows instead of {rows}")
    return np.asarray(array)  # a slice of a plain view takes a quarter of the time
