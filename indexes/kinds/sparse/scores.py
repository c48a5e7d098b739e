"""Pure functions over the scores of passages and of their documents."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

SHORT_DOCUMENT: Final = 10
"""Passages of a document whose weight counts half for the scores of another search."""
_OF_LENGTH: Final = 0.1
"""How much the length of a document counts. The best of many passages is good by chance."""
_REPORT: Final = 5 / 6
"""How long a document of 50 passages is."""
_LEAST_WEIGHT: Final = 0.3
"""Weight of the least likely short document where the question surely names one; 1 of the best."""
_BEST_PIECES: Final = 3
"""Passages that speak for their document."""
_LOOKED_AT: Final = 1000
"""The best passages, among which those of a document are looked for."""

Scores = NDArray[np.float64]


def shares_of(scores: Scores) -> Scores:
    """Scores as shares of the highest."""
    best = scores.max(initial=0.0)
    return scores / best if best > 0 else scores


def by_chance(held: NDArray[np.int64]) -> Scores:
    """Factors for the scores of the passages of documents with so many passages, 0 to 1.

    1 / (1 + 0.1·log(n/10)), and 1 up to ten passages.
    """
    factors: Scores = 1 / (1 + _OF_LENGTH * np.log(np.maximum(held / SHORT_DOCUMENT, 1)))
    return factors


def by_likelihood(sure: float, likely: Scores, long: Scores) -> Scores:
    """Factors for the scores of the passages of documents. All numbers are 0 to 1.

    A document of more than 50 passages that is not likely weighs less than a short one: reports of
    one company on other years have the same words.

    Args:
        sure: How far the question names a document.
        likely: How likely each document is.
        long: How long each document is.
    """
    is_report = long > _REPORT
    least = np.where(is_report, _LEAST_WEIGHT * (1 - long), _LEAST_WEIGHT)
    weights: Scores = (1 - sure * (1 - least) * (1 - likely)) ** np.where(is_report, 1.5, 1.0)
    return weights


def highest(scores: Scores, k: int) -> NDArray[np.int64]:
    """The places of the k highest scores, none below 0; equals in order."""
    best = best_rows(scores, k)
    others = np.flatnonzero(scores[: 2 * k] <= 0)
    return np.concatenate([best, others[: k - len(best)]])


def by_document(scores: Scores, rows: NDArray[np.int32], count: int) -> Scores:
    """The mean score of the best passages of each document."""
    best = best_rows(scores, _LOOKED_AT)
    owners = rows[best]
    order = np.argsort(owners, kind="stable")  # the best of each document come first
    firsts = np.searchsorted(owners[order], owners[order])
    taken = best[order[np.arange(len(order)) - firsts < _BEST_PIECES]]
    means = np.bincount(rows[taken], scores[taken] / _BEST_PIECES, minlength=count)
    return np.asarray(means, dtype=np.float64)


def best_rows(scores: Scores, k: int) -> NDArray[np.int64]:
    """The rows of the k highest scores above 0, the highest first; equals in order."""
    hits = np.flatnonzero(scores > 0)
    if len(hits) > k > 0:
        least = np.partition(scores[hits], -k)[-k]
        hits = hits[scores[hits] >= least]  # with all equals of the last, so that the order decides
    return hits[np.argsort(-scores[hits], kind="stable")[:k]]
