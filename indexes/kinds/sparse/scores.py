"""The score of each word of each text, computed once when the index is made.

Lù, "BM25S: Orders of magnitude faster lexical search via eager sparse scoring", 2024
(arXiv:2407.03618), section 2, with the variant of Lucene from Kamphuis et al., "Which BM25 do you
mean?", 2020, table 1. The library bm25s computes the same numbers, and needs all texts in memory.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ("Scores", "WordCounts", "bm25")

K1: Final = 1.5
B: Final = 0.75

_AT_ONCE: Final = 1 << 20
"""Scores computed at once, in double precision."""
_MOST: Final = (1 << 16) - 1
"""A word counts at most so often in a text; its score has long reached its limit then."""


class Scores(NamedTuple):
    """A matrix of n texts and v words in compressed sparse columns."""

    words: dict[str, int]
    """Each word's column, in sorted order."""
    data: NDArray[np.float32]
    indices: NDArray[np.int32]
    """The text of each score."""
    indptr: NDArray[np.int64]
    """Where each word's scores begin, [v + 1]."""


class WordCounts:
    """Counts the words of texts. It keeps six bytes for each different word of a text."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._words = array("i")
        self._times = array("H")
        self._ends = array("q", [0])
        self._lengths = array("q")

    def add(self, text: Sequence[str]) -> None:
        """Count the words of the next text."""
        numbers = self._numbers
        counts = Counter(numbers.setdefault(word, len(numbers)) for word in text)
        self._words.extend(counts)
        self._times.extend(min(times, _MOST) for times in counts.values())
        self._ends.append(len(self._words))
        self._lengths.append(len(text))

    def scores(self) -> Scores:
        """The scores of all texts that were added. The counts are gone then."""
        from scipy.sparse import csr_matrix

        # bm25s fails on an empty vocabulary, so it gets the empty word, which no text has.
        words = {word: number for number, word in enumerate(sorted(self._numbers) or [""])}
        lengths = np.array(self._lengths)
        columns = np.array([words[word] for word in self._numbers], dtype=np.int32)
        columns = columns[np.frombuffer(self._words, dtype=np.int32)]
        self._words = array("i")
        times = np.frombuffer(self._times, dtype=np.uint16)
        shape = len(lengths), len(words)
        counts = csr_matrix((times, columns, np.array(self._ends)), shape).tocsc()
        del columns, times
        self._times = array("H")
        data = np.empty(counts.nnz, dtype=np.float32)
        for begin in range(0, counts.nnz, _AT_ONCE):
            end = min(begin + _AT_ONCE, counts.nnz)
            word = np.searchsorted(counts.indptr, np.arange(begin, end), side="right") - 1
            data[begin:end] = bm25(
                counts.data[begin:end],
                lengths[counts.indices[begin:end]],
                counts.indptr[word + 1] - counts.indptr[word],
                len(lengths),
                float(lengths.mean()),
            )
        return Scores(words, data, counts.indices, counts.indptr.astype(np.int64))


def bm25(
    times: NDArray[Any],
    lengths: NDArray[Any],
    holders: NDArray[Any],
    texts: int,
    mean_length: float,
) -> NDArray[np.float64]:
    """BM25 in the variant of Lucene, with k1 = 1.5 and b = 0.75.

    Args:
        times: How often the word is in the text, [m].
        lengths: Words of the text, [m].
        holders: How many texts have the word, [m].
        texts: How many texts there are.
        mean_length: Words of a text on average, above 0.

    Returns:
        The scores, [m], each above 0.
    """
    idf = np.log(1 + (texts - holders + 0.5) / (holders + 0.5))
    often = times.astype(np.float64)
    return idf * often / (often + K1 * (1 - B + B * lengths / mean_length))
