"""The dense index of many passages: FAISS inverted lists, ranked again by the exact vectors.

The lists (Jégou, Douze and Schmid, 2011, "Product Quantization",
section IV) hold each number of a vector in 8 bits. They propose passages, whose cosines are then
computed from the whole vectors in a mapped file. Building takes an eighth of HNSW's time.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import faiss
import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.faiss_index import read_faiss, selector, write_faiss
from hopyard.indexes.arrays.growing import link
from hopyard.indexes.arrays.ragged import IDS, Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.dense.reader import VECTORS_FILE, DenseReader, Nearest, Tell, silent
from hopyard.models.embedder import Vector, Vectors

IVF_FILE: Final = "ivf.faiss"

_NUMBERS_FILE: Final = "numbers.npy"
_CENTRES_FILE: Final = "centres.faiss"
_MORE_FILE: Final = "more.faiss"
_MORE_VECTORS: Final = "more.npy"
_CHANGED: Final = 0.1
"""Share of added and removed vectors from which on all lists are built again."""
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

Numbers = NDArray[np.int32]


class IvfIndex(DenseReader):
    """Approximate nearest neighbours by inner product.

    Passages that are added later have lists of their own, with the same centres, and the lists of
    removed passages stay: so a small change writes little. A vector has a key: its place in the
    file of the first vectors or, counted on, in the file of later vectors.
    """

    def __init__(self, ids: Ragged, parts: Sequence[tuple[Any, Vectors]], numbers: Numbers) -> None:
        """Wrap the FAISS indexes of vectors [n, d]; `numbers[key]` is a passage, or -1."""
        self._parts = parts
        self._numbers = numbers
        super().__init__(ids, int(parts[0][0].d))

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
        numbers = np.arange(count, dtype=np.int32)
        return cls(Ragged.of_texts(ids), [(index, vectors)], numbers)

    def save(self, directory: Path) -> None:
        """Write the lists and the ids into a folder, which has the vectors already.

        Raises:
            OSError: The disk is full or not writable.
        """
        [(index, _)] = self._parts
        write_faiss(index, directory / IVF_FILE)
        np.save(directory / _NUMBERS_FILE, self._numbers)
        self.ids.save(directory, IDS)
        index.reset()  # what is left are the centres
        write_faiss(index, directory / _CENTRES_FILE)

    @classmethod
    def load(cls, directory: Path) -> IvfIndex:
        """Map what `save` or `extend` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it.
        """
        ids = Ragged.load(directory, IDS, np.uint8)
        files = [(IVF_FILE, VECTORS_FILE), (_MORE_FILE, _MORE_VECTORS)]
        parts = [
            (read_faiss(directory / lists), load_array(directory / vectors, np.float32, 2))
            for lists, vectors in files
            if lists == IVF_FILE or (directory / lists).exists()
        ]
        count = sum(len(vectors) for _, vectors in parts)
        numbers = load_array(directory / _NUMBERS_FILE, np.int32, rows=count)
        if any(index.ntotal != len(held) for index, held in parts):
            raise damage_error(directory / IVF_FILE, "does not fit the vectors beside it")
        return cls(ids, parts, numbers)

    def extend(
        self, last: Path, directory: Path, removed: Sequence[str], ids: Sequence[str], new: Vectors
    ) -> bool:
        """Write the index with what has changed into a folder; the first lists are not written.

        Args:
            last: The folder that this index was loaded from.
            removed: Ids of passages that are gone, sorted.
            ids: Ids of new passages, sorted.
            new: Their vectors [n, d].

        Returns:
            False, and nothing is written, if so much has changed that it is better built again.
        """
        gone = [row for name in removed if (row := self.ids.find(name)) is not None]
        names, moved, places = self.ids.changed(gone, ids)
        former = np.where(self._numbers < 0, -1, moved[self._numbers])
        numbers = np.concatenate([former, places]).astype(np.int32)
        first, later = self._parts[0][1], [vectors for _, vectors in self._parts[1:]]
        changed = np.count_nonzero(numbers < 0) + len(numbers) - len(first)
        if changed > _CHANGED * len(first):
            return False
        for file in (IVF_FILE, VECTORS_FILE, _CENTRES_FILE):
            link(last / file, directory / file)
        if later or len(new):
            index = read_faiss(last / (_MORE_FILE if later else _CENTRES_FILE), 0)
            if len(new):
                index.add(np.ascontiguousarray(new))
            write_faiss(index, directory / _MORE_FILE)
            np.save(directory / _MORE_VECTORS, np.concatenate([*later, new] if len(new) else later))
        np.save(directory / _NUMBERS_FILE, numbers)
        names.save(directory, IDS)
        return True

    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        wanted = min(k + _AGAIN, len(self))
        query = np.ascontiguousarray(vector[np.newaxis], dtype=np.float32)
        share = 1.0 if allowed is None else np.count_nonzero(allowed) / len(self)
        lists = self._parts[0][0].nlist
        needed = int(_MARGIN * wanted / share * lists / len(self))
        probed = max(_PROBED if allowed is None else _WIDER * _PROBED, needed)
        found, start = [], 0
        for index, vectors in self._parts:
            numbers = self._numbers[start : start + len(vectors)]
            start += len(vectors)
            open_ = numbers >= 0  # removed passages would take the places of others
            if allowed is not None:
                open_ &= allowed[numbers]
            parameters = faiss.SearchParametersIVF(  # type: ignore[call-arg]
                sel=None if open_.all() else selector(open_), nprobe=min(probed, lists)
            )
            _, [rows] = index.search(query, min(wanted, len(vectors)), params=parameters)
            rows = np.sort(rows[rows >= 0])  # -1 fills up; the file is read in order
            found.append((numbers[rows].astype(np.int64), vectors[rows] @ vector))
        return tuple(np.concatenate(each) for each in zip(*found, strict=True))  # type: ignore[return-value]

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """The key of each passage."""
        keys = np.zeros(len(self), dtype=np.int64)
        held = np.flatnonzero(self._numbers >= 0)
        keys[self._numbers[held]] = held
        return keys

    def vectors_at(self, numbers: NDArray[np.int64]) -> Vectors:
        """See `DenseReader.vectors_at`."""
        keys, first = self._keys[numbers], self._parts[0][1]
        found = first[np.minimum(keys, len(first) - 1)]
        for _, later in self._parts[1:]:
            found[keys >= len(first)] = later[keys[keys >= len(first)] - len(first)]
        return found


def keeps_removed(directory: Path) -> bool:
    """Whether the files of a folder have vectors of removed passages."""
    file = directory / _NUMBERS_FILE
    return file.exists() and bool((load_array(file, np.int32) < 0).any())
