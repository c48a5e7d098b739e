"""Features of a question for the trained route: words, meaning, and the first search."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ("NAMED", "Features", "FirstSearch", "QuestionWords", "count_words", "feature_matrix")

Floats = npt.NDArray[np.float64]
_WORD: Final = re.compile(r"\w+(?:['’-]\w+)*")
_NAME: Final = re.compile(r"\b[A-Z][\w'’-]*\b(?:[ ]+(?:(?:of|the|de|von)[ ]+){0,2}[A-Z][\w'’-]*)*")
_LINK: Final = re.compile(r"\b(?:of|that|which|who|whose|whom|where|when)\b|['’]s\b", re.IGNORECASE)
_CHOICE: Final = re.compile(
    r"\b(?:or|both|same|than|either|between|difference|compared?|earlier|later|more|less|first)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\d+")


class QuestionWords(NamedTuple):
    """Counts over a question. Links and choices are English words; elsewhere they count 0.

    Attributes:
        words: All words.
        names: Runs of capitalised words after the first word.
        numbers: Numbers in digits.
        commas: Commas and semicolons.
        links: Words that tie one thing to another: of, whose, that, 's.
        choices: Words of a comparison: or, both, same, than.
    """

    words: float
    names: float
    numbers: float
    commas: float
    links: float
    choices: float


class FirstSearch(NamedTuple):
    """How well the first search fits the question.

    Attributes:
        cosine: Of the nearest passage.
        outstanding: By how many standard deviations the nearest passages are nearer than the
            corpus's passages are on average.
        word_share: The share of the question's word weight that the best passage holds, 0 to 1.
        gap: Cosine of the nearest passage less that of the second.
    """

    cosine: float = 0.0
    outstanding: float = 0.0
    word_share: float = 0.0
    gap: float = 0.0


NAMED: Final = (*QuestionWords._fields, *FirstSearch._fields)
"""Names of the columns before the sentence vector."""


@dataclass(frozen=True)
class Features:
    """One question.

    Attributes:
        question: As it is asked.
        vector: Its sentence vector [d] by the embedding model of the index, of length 1.
        search: Scores of the first search.
    """

    question: str
    vector: Sequence[float] | npt.NDArray[np.float32]
    search: FirstSearch


def count_words(question: str) -> QuestionWords:
    """Count the words of a question by kind, without a model."""
    first, _, rest = question.strip().partition(" ")
    return QuestionWords(
        words=float(len(_WORD.findall(question))),
        names=float(len(_NAME.findall(rest))),
        numbers=float(len(_NUMBER.findall(question))),
        commas=float(question.count(",") + question.count(";")),
        links=float(len(_LINK.findall(rest)) + len(re.findall(r"['’]s\b", first))),
        choices=float(len(_CHOICE.findall(rest))),
    )


def feature_matrix(features: Sequence[Features]) -> Floats:
    """The features of n questions: [n, len(NAMED) + d], in the order of `NAMED`, then the vector.

    The number of words counts as its logarithm: the tenth word tells less than the second.
    """
    rows = []
    for each in features:
        counts = count_words(each.question)
        counts = counts._replace(words=float(np.log1p(counts.words)))
        rows.append(np.concatenate([counts, each.search, np.asarray(each.vector, np.float64)]))
    return np.stack(rows)
