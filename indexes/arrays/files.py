"""The files of a graph as one object: each field is an array or ragged rows in a kind's folder."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray
from pydantic import TypeAdapter, ValidationError

from hopyard.indexes.arrays.ragged import Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error

_IDS_FILE: Final = "ids.json"
_IDS: Final = TypeAdapter(list[str])


class Part(NamedTuple):
    """How a field is kept. The defaults are those of texts."""

    dtype: DTypeLike = np.uint8
    dimensions: int = 0
    """Of an array; 0 for ragged rows and for ids."""
    rows_of: Mapping[str, str] = {}
    """The field whose rows a column names; "" is the column of plain numbers."""
    or_none: Collection[str] = ()
    """The columns that may also be -1."""
    like: str = ""
    """The field that has as many rows."""
    optional: bool = False
    """Whether it may also have no rows."""

    def load(self, directory: Path, name: str) -> Any:
        """Map a field into memory; ids are read."""
        if self is IDS:
            return _ids(directory / _IDS_FILE)
        if self.dimensions:
            return load_array(directory / f"{name}.npy", self.dtype, self.dimensions)
        return Ragged.load(directory, name, self.dtype)


IDS: Final = Part(np.str_)
"""A list with the ids of all passages; one field at most."""


@dataclass(frozen=True, eq=False)
class ArrayFiles:
    """Arrays that are mapped from the disk. A kind has its fields, and their `parts` by name."""

    parts: ClassVar[Mapping[str, Part]]

    def save(self, directory: Path) -> None:
        """Write all files into a kind's folder."""
        for name in self.parts:
            part = getattr(self, name)
            if isinstance(part, Ragged):
                part.save(directory, name)
            elif isinstance(part, list):
                (directory / _IDS_FILE).write_bytes(_IDS.dump_json(part))
            else:
                np.save(directory / f"{name}.npy", part, allow_pickle=False)

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it and the cure.
        """
        files = cls(**{name: part.load(directory, name) for name, part in cls.parts.items()})
        for name in cls.parts:
            if not files.fits(name):
                raise damage_error(directory / f"{name}.npy", "does not fit the other files")
        return files

    def fits(self, name: str) -> bool:
        """Whether a field has as many rows as it should, and names rows that are there."""
        part, own = self.parts[name], getattr(self, name)
        wanted = len(getattr(self, part.like)) if part.like else len(own)
        numbers = own.values if isinstance(own, Ragged) else own
        return (len(own) == wanted or (part.optional and not len(own))) and all(
            inside(
                numbers[column] if column else numbers,
                -1 if column in part.or_none else 0,
                len(getattr(self, field)),
            )
            for column, field in part.rows_of.items()
        )


def inside(numbers: NDArray[Any], least: int, limit: int) -> bool:
    """Whether all of some numbers are at least one number and below another."""
    return not len(numbers) or bool(least <= numbers.min() and numbers.max() < limit)


def _ids(file: Path) -> list[str]:
    try:
        return _IDS.validate_json(file.read_bytes(), strict=True)
    except OSError as error:
        raise damage_error(file, f"cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise damage_error(file, "is no list of passage ids") from error
