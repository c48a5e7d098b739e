"""The words of the passages that a caller may read."""

from __future__ import annotations

from collections.abc import Iterable, Set

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.sparse.bm25 import SparseIndex

__all__ = ("ReadableSparse",)


class ReadableSparse(SparseIndex):
    """A part of a word index. How rare a word is still depends on the whole.

    Args:
        whole: The index of all passages.
        passages: The passages that the caller may read.
    """

    def __init__(self, whole: SparseIndex, passages: Set[str]) -> None:
        super().__init__(whole._postings, whole._ids, whole._words, whole._documents)
        self._readable = super()._open(passages)

    def _open(self, allowed: Set[str] | None) -> NDArray[np.bool_]:
        return self._readable if allowed is None else self._readable & super()._open(allowed)

    def _known(self, words: Iterable[str]) -> dict[int, float]:
        known = super()._known(words)
        return {term: 1.0 for term in known if self._readable[self._postings.of(term)[0]].any()}
