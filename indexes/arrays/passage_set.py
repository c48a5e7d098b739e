"""Sets of passages as one byte a passage, over ids that are mapped into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged

__all__ = ("PassageSet", "mask_of")


class PassageSet(Set[str]):
    """Some of n passages. It behaves as a frozenset of their ids.

    Args:
        ids: The ids of all n passages, sorted.
        mask: [n] Which of them are in the set.
    """

    def __init__(self, ids: Ragged, mask: NDArray[np.bool_]) -> None:
        self.ids = ids
        self.mask = mask

    def __contains__(self, name: object) -> bool:
        row = self.ids.find(name) if isinstance(name, str) else None
        return row is not None and bool(self.mask[row])

    def __iter__(self) -> Iterator[str]:
        return map(self.ids.text, np.flatnonzero(self.mask).tolist())

    def __len__(self) -> int:
        return self._count

    def issuperset(self, names: Iterable[str]) -> bool:
        """Whether all of some passages are in the set."""
        return all(name in self for name in names)

    @cached_property
    def _count(self) -> int:
        return int(np.count_nonzero(self.mask))

    @classmethod
    def _from_iterable(cls, names: Iterable[str]) -> frozenset[str]:  # type: ignore[override]
        return frozenset(names)  # what `&` and `|` give


def mask_of(names: Set[str], ids: Ragged) -> NDArray[np.bool_]:
    """Which of n passages are in a set; [n].

    Args:
        names: Ids of passages. Those that are not among the n are left out.
        ids: The ids of the n passages, sorted.
    """
    if isinstance(names, PassageSet) and len(names.mask) == len(ids):
        return names.mask  # of the same generation, whose passages all readers hold in one order
    mask = np.zeros(len(ids), dtype=np.bool_)
    mask[[row for name in names if (row := ids.find(name)) is not None]] = True
    return mask
