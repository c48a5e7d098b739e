"""The base of the dense readers: vectors by passage, and how near the corpus is on average.

`ReadableDense` has those that a caller may read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence, Set
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.passage_set import PassageSet, mask_of
from hopyard.indexes.arrays.ragged import Ragged
from hopyard.models.embedder import Vector, Vectors
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError

VECTORS_FILE: Final = "vectors.npy"
"""The file of a kind's folder that holds the whole vectors [n, d], if it has one."""

COMPARED: Final = 5_000
"""Passages that a filter lets through and that are all compared with the question: it is exact, and
takes ten milliseconds with 384 dimensions. Wider filters take two in the inverted lists, with
recall .99 and more (docs/scale.md)."""

SAMPLED: Final = 1000
"""Vectors that stand for the whole corpus where its mean is wanted."""

_AT_ONCE: Final = 20_000
"""Vectors in memory while passages are compared."""

Tell = Callable[[int, int], None]
"""Called with the number of vectors that are in the index, and of all."""

Nearest = tuple[NDArray[np.int64], NDArray[np.float32]]
"""Numbers of passages, and their cosines with a question."""


def silent(done: int, total: int) -> None:
    """The `Tell` that says nothing."""
    del done, total


def products(vectors: Vectors, vector: Vector) -> NDArray[np.float32]:
    """[n] The products of vectors [n, d] with one, by one thread.

    Unlike `@`, it rounds equal vectors alike wherever they stand, and takes a third of its time.
    """
    found: NDArray[np.float32] = np.einsum("ij,j->i", vectors, vector)
    return found


def best_of(numbers: NDArray[np.int64], cosines: NDArray[np.float32], k: int) -> Nearest:
    """The k nearest of some passages, whose numbers ascend; equals in that order."""
    if 0 < k < len(cosines):
        near = cosines >= np.partition(cosines, -k)[-k]
        numbers, cosines = numbers[near], cosines[near]
    best = np.argsort(-cosines, kind="stable")[:k]
    return numbers[best], cosines[best]


class DenseReader(ABC):
    """Nearest neighbours by cosine over n passages.

    A passage has a number: its place among the ids, which are sorted.

    Args:
        ids: The passages' ids, sorted.
        dimension: Length of a vector.
    """

    def __init__(self, ids: Ragged, dimension: int) -> None:
        self.ids = ids
        self.dimension = dimension

    def __len__(self) -> int:
        return len(self.ids)

    @abstractmethod
    def _approximate(self, vector: Vector, k: int, allowed: NDArray[np.bool_] | None) -> Nearest:
        """About the k nearest passages, or fewer where the index does not reach so many."""

    @abstractmethod
    def vectors_at(self, numbers: NDArray[np.int64]) -> Vectors:
        """The vectors [m, d] of m passages, by their numbers."""

    def for_groups(self, groups: Sequence[str]) -> DenseReader:
        """The reader for a caller with groups, where the place of the vectors keeps to rights."""
        del groups
        return self

    def search(
        self, vector: Vector, k: int, allowed: Set[str] | None = None
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
        numbers, cosines = self.nearest(vector, k, allowed)
        names = map(self.ids.text, numbers.tolist())
        return list(zip(names, cosines.tolist(), strict=True))

    def nearest(self, vector: Vector, k: int, allowed: Set[str] | None = None) -> Nearest:
        """The passages of `search` by their numbers."""
        self._check_dimension(vector)
        mask = None if allowed is None else mask_of(allowed, self.ids)
        count = len(self) if mask is None else int(np.count_nonzero(mask))
        few = mask is not None and self._are_few(count)
        if not few:
            numbers, cosines = self._approximate(vector, k, mask)
        if few or len(numbers) < min(k, count):
            # They are few, or so far from the question that the index does not reach them, as
            # where it has many removed passages beside the question.
            some = np.arange(count) if mask is None else np.flatnonzero(mask)
            numbers, cosines = self._compare(vector, k, some)
        best = np.lexsort((numbers, -cosines))[:k]
        return numbers[best], cosines[best]

    def _are_few(self, count: int) -> bool:
        """Whether it takes less time to compare all of some passages than to use the index."""
        return count <= COMPARED

    def _compare(self, vector: Vector, k: int, numbers: NDArray[np.int64]) -> Nearest:
        """The k nearest of some passages, which are all compared: it is exact."""
        cosines = np.empty(len(numbers), dtype=np.float32)
        for start in range(0, len(numbers), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            cosines[part] = products(self.vectors_at(numbers[part]), vector)
        return best_of(numbers, cosines, k)

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
        numbers = [self.ids.find(passage_id) for passage_id in passage_ids]
        if None in numbers:
            raise IndexMissingError(
                f"Passage {passage_ids[numbers.index(None)]!r} is not in the dense index: it was "
                "updated or removed, so ask the question again."
            )
        return self.vectors_at(np.array(numbers, dtype=np.int64))

    def background(self, vector: Vector) -> tuple[float, float]:
        """Mean and standard deviation of a question's cosines with the corpus's passages.

        Args:
            vector: The question's embedding [d], of length 1.
        """
        scores = self._sample @ vector
        return float(scores.mean()), float(scores.std())

    @cached_property
    def _sample(self) -> Vectors:
        """Some vectors [m, d], evenly over the passages."""
        numbers = np.linspace(0, len(self) - 1, min(SAMPLED, len(self))).astype(np.int64)
        return self.vectors_at(numbers)


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
