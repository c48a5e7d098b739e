"""The base of the dense readers: vectors by passage, and how near the corpus is on average."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.models.embedder import Vector, Vectors
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError

__all__ = ("DenseReader",)

SAMPLED: Final = 1000
"""Vectors that stand for the whole corpus where its mean is wanted."""


class DenseReader(ABC):
    """Nearest neighbours by cosine over rows of unit vectors.

    Args:
        rows: The row of each passage; several passages may share one.
        count: The number of rows.
        dimension: Length of a vector.
    """

    def __init__(self, rows: Mapping[str, int], count: int, dimension: int) -> None:
        self._rows = rows
        self._count = count
        self.dimension = dimension

    def __len__(self) -> int:
        return len(self._rows)

    @abstractmethod
    def search(
        self, vector: Vector, k: int, allowed: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        """Find the passages nearest to a question.

        Args:
            vector: The question's embedding [d], of length 1.
            k: Passages at most.
            allowed: Ids of the passages that may be found; None where all may.

        Returns:
            (passage id, cosine) pairs, the nearest first, equals by id.

        Raises:
            EmbeddingMismatchError: The vector has another dimension than the index.
        """

    @abstractmethod
    def _vectors_at(self, rows: NDArray[np.int64]) -> Vectors:
        """The vectors [n, d] of n rows."""

    def _check_dimension(self, vector: Vector) -> None:
        if vector.shape != (self.dimension,):
            raise EmbeddingMismatchError(
                f"A question of shape {vector.shape} cannot be looked up in an index of dimension "
                f"{self.dimension}: use the embedding model that the index was built with."
            )

    def vectors(self, passage_ids: Sequence[str]) -> Vectors:
        """The embeddings [n, d] of n passages, in order.

        Raises:
            IndexMissingError: A passage is not in the index.
        """
        try:
            rows = [self._rows[passage_id] for passage_id in passage_ids]
        except KeyError as error:
            raise IndexMissingError(
                f"Passage {error.args[0]!r} is not in the dense index: it was updated or removed, "
                "so ask the question again."
            ) from error
        return self._vectors_at(np.array(rows, dtype=np.int64))

    def background(self, vector: Vector) -> tuple[float, float]:
        """Mean and standard deviation of a question's cosines with the corpus's passages.

        Args:
            vector: The question's embedding [d], of length 1.
        """
        scores = self._sample @ vector
        return float(scores.mean()), float(scores.std())

    @cached_property
    def _sample(self) -> Vectors:
        """Some vectors [m, d], evenly over the rows."""
        rows = np.linspace(0, self._count - 1, min(SAMPLED, self._count)).astype(np.int64)
        return self._vectors_at(rows)
