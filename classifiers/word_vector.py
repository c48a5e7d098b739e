"""A question's words as a vector: what a sentence vector blurs, such as "translate" or a sum."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log, sqrt
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ("vocabulary", "word_columns", "word_parts")

_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"\w+|[^\w\s]")
_LEAST: Final = 2
"""Questions that a word must be in."""


def _words(question: str) -> list[str]:
    """Words and single signs in lower case; every number is the same word."""
    return _WORD.findall(_NUMBER.sub("0", question.lower()))


def word_parts(question: str, known: Mapping[str, object]) -> dict[str, float]:
    """The question's known words: 1 + ln(count), divided by the length of the vector."""
    counts = Counter(word for word in _words(question) if word in known)
    parts = {word: 1 + log(count) for word, count in counts.items()}
    length = sqrt(sum(part * part for part in parts.values()))
    return {word: part / length for word, part in parts.items()}


def vocabulary(questions: Iterable[str]) -> list[str]:
    """The words of at least two questions, sorted."""
    counts = Counter(word for question in questions for word in set(_words(question)))
    return sorted(word for word, count in counts.items() if count >= _LEAST)


def word_columns(questions: Sequence[str], words: Sequence[str]) -> npt.NDArray[np.float64]:
    """The questions' words [n, d], each row of length 1, or 0 without a known word."""
    places = {word: place for place, word in enumerate(words)}
    columns = np.zeros((len(questions), len(words)))
    for row, question in enumerate(questions):
        for word, part in word_parts(question, places).items():
            columns[row, places[word]] = part
    return columns
