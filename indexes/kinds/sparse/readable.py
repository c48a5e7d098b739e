"""The words of the passages that a caller may read."""

from __future__ import annotations

from collections.abc import Iterable, Set
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.passage_set import mask_of
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.kinds.sparse.postings import Found

__all__ = ("ReadableSparse",)


class ReadableSparse(SparseIndex):
    """A part of a word index. How rare a word is still depends on the whole.

    Args:
        whole: The index of all passages.
        passages: The passages that the caller may read.
    """

    def __init__(self, whole: SparseIndex, passages: Set[str]) -> None:
        super().__init__(whole.postings, whole.words, whole.documents)
        self._readable = mask_of(passages, self._ids)

    def _open(self, allowed: Set[str] | None) -> NDArray[np.bool_]:
        return self._readable if allowed is None else self._readable & mask_of(allowed, self._ids)

    def _known(self, words: Iterable[str]) -> Found:
        unique = sorted(words)
        readable = [self._readable[self.postings.of({word: 1.0}).rows].any() for word in unique]
        return super()._known(compress(unique, readable))
