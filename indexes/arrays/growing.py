"""Files that grow with small changes: the rows of texts, and inverted lists over them.

The first files of a large index are written once. A small change links them into the new generation
and writes later files beside them, which it merges with those of earlier small changes. So it reads
and writes what has changed since the first files, at most a tenth of the whole.
"""

from __future__ import annotations

import os
import shutil
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy.sparse import coo_array

from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error

__all__ = ("LATER", "Entries", "Lists", "Rows", "extend", "joined", "link")

LATER: Final = "later-"
"""Begins the names of the later files."""
_CHANGED: Final = 0.1
"""Share of added and removed rows from which on all is built again."""

Keys = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Rows:
    """n ids, sorted. Files know each by a key, which stays as rows come and go."""

    ids: Ragged
    rows: Keys
    """The row of each key; -1 if it was removed. The first files have the keys from 0 on."""

    @classmethod
    def of(cls, ids: Iterable[str]) -> Rows:
        """The rows of first files."""
        texts = Ragged.of_texts(ids)
        return cls(texts, np.arange(len(texts), dtype=np.int32))

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def is_first(self) -> bool:
        """Whether each row is its key."""
        return np.array_equal(self.rows, np.arange(len(self.ids)))

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """[n] The key of each row."""
        keys = np.zeros(len(self), dtype=np.int64)
        held = np.flatnonzero(self.rows >= 0)
        keys[self.rows[held]] = held
        return keys

    def key_of(self, name: str) -> int:
        """The key of an id.

        Raises:
            KeyError: There is no such id.
        """
        row = self.ids.find(name)
        if row is None:
            raise KeyError(name)
        return int(self.keys[row])

    @property
    def has_removed(self) -> bool:
        """Whether files may have something of rows that were removed."""
        return len(self.rows) > len(self.ids)

    def changed(self, removed: Iterable[str], added: Sequence[str]) -> Rows:
        """The rows without some ids and with others, which are sorted and get the next keys."""
        gone = [row for name in removed if (row := self.ids.find(name)) is not None]
        ids, moved, places = self.ids.changed(gone, added)
        former = np.where(self.rows < 0, -1, moved[self.rows]) if len(moved) else self.rows
        return Rows(ids, np.concatenate([former, places]).astype(np.int32))

    def are_too_many(self, first: int) -> bool:
        """Whether so much has changed since the first files, of so many rows, that all is built."""
        changed = np.count_nonzero(self.rows < 0) + len(self.rows) - first
        return bool(changed > _CHANGED * first)

    def save(self, directory: Path, name: str = IDS, rows: str = "") -> None:
        """Write them into a folder, in files of a name; `rows` may name that of the rows."""
        self.ids.save(directory, name)
        np.save(directory / (rows or f"{name}-rows.npy"), self.rows)

    @classmethod
    def load(cls, directory: Path, name: str = IDS, rows: str = "") -> Rows:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        ids = Ragged.load(directory, name, np.uint8)
        file = directory / (rows or f"{name}-rows.npy")
        held = load_array(file, np.int32)
        if np.count_nonzero(held >= 0) != len(ids) or held.max(initial=-1) >= len(ids):
            raise damage_error(file, f"does not fit the {len(ids)} ids beside it")
        return cls(ids, held)


@dataclass(frozen=True, eq=False)
class Lists:
    """Of each of some terms the keys that have it, ascending, with a number for each."""

    terms: Ragged
    """Sorted."""
    starts: NDArray[np.int64]
    """Where the keys of each term begin, and where the last end."""
    keys: Keys
    numbers: NDArray[Any]

    def find(self, term: str) -> tuple[Keys, NDArray[Any]]:
        """The keys that have a term, and their numbers; none if there is no such term."""
        place = self.terms.find(term)
        return (self.keys[:0], self.numbers[:0]) if place is None else self.at(place)

    def at(self, place: int) -> tuple[Keys, NDArray[Any]]:
        """The same of the term at a place."""
        start, end = self.starts[place : place + 2]
        return self.keys[start:end], self.numbers[start:end]

    def merged(self, later: Lists) -> Lists:
        """These lists and others, whose keys are higher."""
        both = (self, later)
        texts = [list(map(each.terms.text, range(len(each.terms)))) for each in both]
        terms = sorted({*texts[0], *texts[1]})
        places = {term: place for place, term in enumerate(terms)}
        owners = np.concatenate(
            [
                np.repeat([places[term] for term in held], np.diff(each.starts))
                for held, each in zip(texts, both, strict=True)
            ]
        ).astype(np.int64)
        order = np.argsort(owners, kind="stable")
        return Lists(
            Ragged.of_texts(terms),
            np.searchsorted(owners[order], np.arange(len(terms) + 1)),
            np.concatenate([each.keys for each in both])[order],
            np.concatenate([each.numbers for each in both])[order],
        )

    def save(self, directory: Path, name: str) -> None:
        """Write them into a folder, as plain arrays (.npy)."""
        self.terms.save(directory, name)
        for part in ("starts", "keys", "numbers"):
            np.save(directory / f"{name}-{part}.npy", getattr(self, part))

    @classmethod
    def load(cls, directory: Path, name: str, dtype: DTypeLike) -> Lists:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        types = {"starts": np.int64, "keys": np.int32, "numbers": dtype}
        terms = Ragged.load(directory, name, np.uint8)
        starts, keys, numbers = (
            load_array(directory / f"{name}-{part}.npy", of) for part, of in types.items()
        )
        if len(terms) != len(starts) - 1 or not len(keys) == len(numbers) == starts[-1]:
            raise damage_error(directory, "holds files that do not fit each other")
        return cls(terms, starts, keys, numbers)

    @classmethod
    def load_parts(cls, directory: Path, name: str, dtype: DTypeLike) -> list[Lists]:
        """Map the first lists, and the later lists if there are some."""
        later = (directory / f"{LATER}{name}.npy").exists()
        return [cls.load(directory, each, dtype) for each in (name, *[LATER + name] * later)]


class Entries:
    """The entries of lists that are being made, by ascending keys."""

    def __init__(self, code: str) -> None:
        """Begin with none; their numbers have the type of the `array` module's code."""
        self._places: dict[str, int] = {}
        self._terms, self._keys, self._numbers = array("i"), array("i"), array(code)

    def add(self, key: int, found: Mapping[str, float]) -> None:
        """Take up the terms of a key, with a number for each."""
        places = self._places
        self._terms.extend(places.setdefault(term, len(places)) for term in found)
        self._keys.extend(repeat(key, len(found)))
        self._numbers.extend(found.values())  # type: ignore[arg-type]

    def lists(self) -> Lists:
        """The lists."""
        terms = sorted(self._places) or [""]
        rank = np.empty(len(terms), dtype=np.int32)
        rank[[self._places.get(term, 0) for term in terms]] = np.arange(len(terms))
        owners, keys, numbers = map(np.asarray, (self._terms, self._keys, self._numbers))
        shape = (len(terms), int(keys.max(initial=0)) + 1)
        matrix = coo_array((numbers, (rank[owners], keys)), shape=shape).tocsr()
        return Lists(
            Ragged.of_texts(terms),
            matrix.indptr.astype(np.int64),
            matrix.indices.astype(np.int32, copy=False),
            matrix.data,
        )


def extend(last: Path, directory: Path, name: str, parts: Sequence[Lists], new: Lists) -> None:
    """Link the first lists of the last generation, and write later lists with new keys."""
    for file in last.glob(f"{name}*.npy"):
        link(file, directory / file.name)
    (parts[1].merged(new) if len(parts) > 1 else new).save(directory, LATER + name)


def joined(pairs: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Pairs of arrays, each put end to end."""
    first, second = zip(*pairs, strict=True)
    return np.concatenate(first), np.concatenate(second)


def link(file: Path, new: Path) -> None:
    """Give a file a second name, or copy it where the disk knows no second names."""
    try:
        os.link(file, new)
    except OSError:
        shutil.copyfile(file, new)
