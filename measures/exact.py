"""Exact statistics of counts: an interval of a share, and a test of paired answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hopyard.measures.bootstrap import LEVEL, Interval, interval


class Paired(NamedTuple):
    """Right answers of a strategy and of a baseline to the same questions."""

    gained: int
    """Questions that only the strategy answered rightly."""
    lost: int
    """Questions that only the baseline answered rightly."""
    p: float
    """Two-sided p of the exact McNemar test."""


def clopper_pearson(successes: int, n: int) -> Interval:
    """The exact 95 % interval of a binomial share.

    Clopper and Pearson, "The Use of Confidence or Fiducial Limits Illustrated in the Case of the
    Binomial", 1934. It is [0, 1 - 0.025^(1/n)] without a success, and [0.025^(1/n), 1] without a
    failure.

    Args:
        successes: 0 to n.
        n: At least 1.
    """
    from scipy.stats import beta

    tail, failures = (1 - LEVEL) / 2, n - successes
    low = beta.ppf(tail, successes, failures + 1) if successes else 0.0
    high = beta.ppf(1 - tail, successes + 1, failures) if failures else 1.0
    return Interval(*(round(float(bound), 6) for bound in (successes / n, low, high)))


def score_interval(values: Sequence[float]) -> Interval:
    """Mean and 95 % interval of one score per question.

    By the BCa bootstrap, or exact where every score is 0 or every score is 1: every resample is
    then the same, and the bootstrap's interval has no width.

    Args:
        values: [n], 0 to 1, at least one.
    """
    if all(value in (0, 1) for value in values) and len(set(values)) == 1:
        return clopper_pearson(int(sum(values)), len(values))
    return interval(values)


def mcnemar(values: Sequence[float], baseline: Sequence[float]) -> Paired:
    """Whether a strategy and a baseline differ in how many questions they answer rightly.

    McNemar, "Note on the Sampling Error of the Difference Between Correlated Proportions", 1947, in
    its exact form: each question that only one of the two answers rightly is a fair coin.

    Args:
        values: [n], 1 for a right answer, less for a wrong one.
        baseline: [n], for the same questions in the same order.
    """
    from scipy.stats import binomtest

    pairs = [(value == 1, base == 1) for value, base in zip(values, baseline, strict=True)]
    gained, lost = pairs.count((True, False)), pairs.count((False, True))
    p = float(binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0
    return Paired(gained, lost, round(p, 6))
