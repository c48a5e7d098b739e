"""Intervals: how far a mean, or a difference of means, varies with the questions.

Efron, "Better Bootstrap Confidence Intervals", 1987 (BCa: bias-corrected and accelerated); paired
over questions as in Koehn, "Statistical Significance Tests for Machine Translation", 2004.
`benchmarks/interval_coverage.py` measures how often the intervals hold the true mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Final, NamedTuple

import numpy as np

RESAMPLES: Final = 10_000
LEVEL: Final = 0.95
SEED: Final = 7
_SAME: Final = 1e-9
"""Values this near to each other differ by rounding alone."""
_BATCH: Final = 1_000
"""Resamples in memory at once."""


class Interval(NamedTuple):
    """A mean with the bounds of its 95 % interval."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float]) -> Interval:
    """Mean and 95 % interval of one value per question. Equal values give one without width.

    The draws are seeded: the same number of questions gives the same resamples, so the intervals
    of two strategies that answered the same questions in the same order are comparable.

    Args:
        values: [n], at least one.
    """
    from scipy.stats import bootstrap

    low = high = mean = fmean(values)
    if max(values) - min(values) > _SAME:
        low, high = bootstrap(
            (values,),
            np.mean,
            n_resamples=RESAMPLES,
            batch=_BATCH,
            confidence_level=LEVEL,
            method="BCa",
            rng=SEED,
        ).confidence_interval
    return Interval(*(round(float(bound), 6) for bound in (mean, low, high)))


def difference(values: Sequence[float], baseline: Sequence[float]) -> Interval:
    """Mean and 95 % interval of the difference to a baseline, question by question.

    Args:
        values: [n], at least one.
        baseline: [n], for the same questions in the same order.
    """
    return interval([value - base for value, base in zip(values, baseline, strict=True)])
