"""The vectors that a caller may read."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.dense.reader import SAMPLED, DenseReader
from hopyard.models.embedder import Vector, Vectors

__all__ = ("ReadableDense",)


class ReadableDense(DenseReader):
    """A part of a dense index.

    Args:
        whole: The index of all passages.
        passages: The passages that the caller may read.
    """

    def __init__(self, whole: DenseReader, passages: frozenset[str]) -> None:
        rows = {name: whole._rows[name] for name in sorted(passages)}
        super().__init__(rows, len(rows), whole.dimension)
        self._whole, self._passages = whole, passages

    def search(
        self, vector: Vector, k: int, allowed: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        """See `DenseReader.search`."""
        return self._whole.search(vector, k, self._passages if allowed is None else allowed)

    def background(self, vector: Vector) -> tuple[float, float]:
        """See `DenseReader.background`."""
        return super().background(vector) if len(self) else (0.0, 0.0)

    def _vectors_at(self, rows: NDArray[np.int64]) -> Vectors:
        return self._whole._vectors_at(rows)

    @cached_property
    def _sample(self) -> Vectors:
        rows = np.array(sorted({*self._rows.values()}), dtype=np.int64)
        chosen = np.linspace(0, len(rows) - 1, min(SAMPLED, len(rows))).astype(np.int64)
        return self._vectors_at(rows[chosen])
