"""The vectors that a caller may read."""

from __future__ import annotations

from collections.abc import Set
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.passage_set import PassageSet, mask_of
from hopyard.indexes.kinds.dense.reader import SAMPLED, DenseReader, Nearest
from hopyard.models.embedder import Vector, Vectors

__all__ = ("ReadableDense",)


class ReadableDense(DenseReader):
    """A part of a dense index; the passages keep their numbers.

    Args:
        whole: The index of all passages.
        passages: The passages that the caller may read.
    """

    def __init__(self, whole: DenseReader, passages: Set[str]) -> None:
        super().__init__(whole.ids, whole.dimension)
        self._whole, self._passages = whole, passages

    def nearest(self, vector: Vector, k: int, allowed: Set[str] | None = None) -> Nearest:
        """See `DenseReader.nearest`."""
        mask = mask_of(self._passages, self.ids)
        if allowed is not None:
            mask = mask & mask_of(allowed, self.ids)
        return self._whole.nearest(vector, k, PassageSet(self.ids, mask))

    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        return self._whole._approximate(vector, k, allowed)

    def vectors_at(self, numbers: NDArray[np.int64]) -> Vectors:
        """See `DenseReader.vectors_at`."""
        return self._whole.vectors_at(numbers)

    def background(self, vector: Vector) -> tuple[float, float]:
        """See `DenseReader.background`."""
        return super().background(vector) if self._passages else (0.0, 0.0)

    @cached_property
    def _sample(self) -> Vectors:
        numbers = np.flatnonzero(mask_of(self._passages, self.ids))
        chosen = np.linspace(0, len(numbers) - 1, min(SAMPLED, len(numbers))).astype(np.int64)
        return self.vectors_at(numbers[chosen])
