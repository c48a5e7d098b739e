"""Features of a question for the trained route: words, meaning, and the first search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hopyard.measures.question_words import QuestionWords, count_words

__all__ = ("NAMED", "Features", "FirstSearch", "feature_matrix")

Floats = npt.NDArray[np.float64]


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
