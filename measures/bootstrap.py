"""Paired bootstrap: how far a mean, or the difference of two, could be off by the questions drawn.

Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3 (percentile interval);
paired over questions as in Koehn, "Statistical Significance Tests for Machine Translation", 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

__all__ = ("RESAMPLES", "Interval", "difference", "interval")

RESAMPLES: Final = 10_000
LEVEL: Final = 0.95
SEED: Final = 7


class Interval(NamedTuple):
    """A mean with the bounds that hold it in 95 of 100 draws."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float], *, seed: int = SEED) -> Interval | None:
    """Mean and 95 % interval of one value a question; None without a question.

    The same number of questions gives the same draws: intervals of strategies that answered the
    same questions, in the same order, belong to the same resamples.

    Args:
        values: [n], one a question.
        seed: Of the draws.
    """
    if not values:
        return None
    given = np.asarray(values, dtype=float)
    draws = np.random.default_rng(seed).integers(len(given), size=(RESAMPLES, len(given)))
    means = given[draws].mean(axis=1)
    low, high = np.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(*(round(float(one), 6) for one in (given.mean(), low, high)))


def difference(
    values: Sequence[float], baseline: Sequence[float], *, seed: int = SEED
) -> Interval | None:
    """Mean and 95 % interval of the difference to a baseline, question by question.

    Args:
        values: [n], one a question.
        baseline: [n], for the same questions in the same order.
        seed: Of the draws.
    """
    return interval([one - other for one, other in zip(values, baseline, strict=True)], seed=seed)
