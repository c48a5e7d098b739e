"""Sets of passages as one byte a passage, over ids that are mapped into memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged


class PassageSet(Set[str]):
    """Some of n passages, as a set of their ids that nobody changes. They come in their order.

    Args:
        ids: The ids of all n passages, sorted.
        mask: [n] Which of them are in the set.
    """

    def __init__(self, ids: Ragged, mask: NDArray[np.bool_]) -> None:
        self.ids = ids
        self.mask = mask
        self._copies = [ids]

    def __contains__(self, name: object) -> bool:
        row = self.ids.find(name) if isinstance(name, str) else None
        return row is not None and bool(self.mask[row])

    def __iter__(self) -> Iterator[str]:
        return map(self.ids.text, np.flatnonzero(self.mask).tolist())

    def __len__(self) -> int:
        return self._count

    def is_over(self, ids: Ragged) -> bool:
        """Whether these are the ids of the n passages. Each reader has a copy, compared once."""
        if not any(ids is copy for copy in self._copies):
            parts = ((self.ids.bounds, ids.bounds), (self.ids.values, ids.values))
            if not all(np.array_equal(mine, theirs) for mine, theirs in parts):
                return False
            self._copies.append(ids)
        return True

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
    if isinstance(names, PassageSet) and names.is_over(ids):
        return names.mask
    mask = np.zeros(len(ids), dtype=np.bool_)
    mask[[row for name in names if (row := ids.find(name)) is not None]] = True
    return mask
