"""The shipped gates' scorer: a linear head over a question's sentence vector and its words.

The words keep what a sentence vector blurs, such as "translate" or a sum.
"""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log, sqrt
from pathlib import Path
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from hopyard.models.embedder import Vector
from hopyard.state.storage.atomic import write_file

_HEAD_FILE: Final = "head.npy"
_WORDS_FILE: Final = "words.json"
_NUMBER: Final = re.compile(r"\d+")
_WORD: Final = re.compile(r"\w+|[^\w\s]")
_LEAST: Final = 2
"""Questions that a word must be in."""

Embed = Callable[[str], Vector]
"""Embeds a question, [d]."""


class VectorHead:
    """A linear head over the question's sentence vector and its words."""

    def __init__(self, weights: Vector, words: Mapping[str, float], embed: Embed) -> None:
        """Wrap the weights [d] of vectors that `embed` makes, and those of words."""
        self._weights, self._words, self._embed = weights, words, embed

    @classmethod
    def load(cls, folder: Path, embed: Embed) -> Self:
        """Read the head in a folder."""
        words = json.loads((folder / _WORDS_FILE).read_bytes())
        return cls(np.load(folder / _HEAD_FILE, allow_pickle=False), words, embed)

    def scores(self, questions: Sequence[str]) -> list[float]:
        """The weights of each question's vector and words, summed up."""
        return [self._score(question) for question in questions]

    def _score(self, question: str) -> float:
        words = _word_parts(question, self._words).items()
        vector = float(self._weights @ self._embed(question))
        return vector + sum(self._words[word] * part for word, part in words)


def write_head(folder: Path, weights: Vector, words: Mapping[str, float]) -> None:
    """Write the weights [d] of sentence vectors, and those of words."""
    head = io.BytesIO()
    np.save(head, weights, allow_pickle=False)
    write_file(folder / _HEAD_FILE, head.getvalue())
    rows = json.dumps(words, ensure_ascii=False, indent=0)
    write_file(folder / _WORDS_FILE, rows.encode())


def vocabulary(questions: Iterable[str]) -> list[str]:
    """The words of at least two questions, sorted."""
    counts = Counter(word for question in questions for word in set(_words(question)))
    return sorted(word for word, count in counts.items() if count >= _LEAST)


def word_columns(questions: Sequence[str], words: Sequence[str]) -> npt.NDArray[np.float64]:
    """The questions' words [n, d], each row of length 1, or 0 without a known word."""
    places = {word: place for place, word in enumerate(words)}
    columns = np.zeros((len(questions), len(words)))
    for row, question in enumerate(questions):
        for word, part in _word_parts(question, places).items():
            columns[row, places[word]] = part
    return columns


def _words(question: str) -> list[str]:
    """Words and single signs in lower case; every number is the same word."""
    return _WORD.findall(_NUMBER.sub("0", question.lower()))


def _word_parts(question: str, known: Mapping[str, object]) -> dict[str, float]:
    """The question's known words: 1 + ln(count), divided by the length of the vector."""
    counts = Counter(word for word in _words(question) if word in known)
    parts = {word: 1 + log(count) for word, count in counts.items()}
    length = sqrt(sum(part * part for part in parts.values()))
    return {word: part / length for word, part in parts.items()}
