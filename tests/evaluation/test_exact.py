"""Exact intervals and the exact McNemar test, by hand."""

from __future__ import annotations

import pytest

from hopyard.measures.bootstrap import interval
from hopyard.measures.exact import clopper_pearson, mcnemar, score_interval


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0.0, 1 - 0.025**0.1),  # 0.3085
        (10, 10, 0.025**0.1, 1.0),  # 0.6915
        (1, 1, 0.025, 1.0),
        (1, 2, 1 - 0.975**0.5, 0.975**0.5),  # P(at least 1 of 2) = 1 - (1 - p)^2 = 0.025
        (5, 10, 0.187086, 0.812914),  # Clopper and Pearson's chart reads 0.19 and 0.81
    ],
)
def test_the_exact_interval_by_hand(successes: int, n: int, low: float, high: float) -> None:
    found = clopper_pearson(successes, n)
    assert found == pytest.approx((successes / n, low, high), abs=1e-6)


def test_scores_that_are_all_the_same_have_an_exact_interval() -> None:
    assert score_interval([1.0] * 10) == clopper_pearson(10, 10)
    assert score_interval([0.0] * 10) == clopper_pearson(0, 10)
    assert score_interval([0.5] * 10) == (0.5, 0.5, 0.5)
    assert score_interval([0.0, 1.0, 1.0]) == interval([0.0, 1.0, 1.0])


@pytest.mark.parametrize(
    ("gained", "lost", "p"),
    [
        (0, 0, 1.0),
        (5, 0, 2 / 32),  # 2 · (1/2)^5
        (0, 5, 2 / 32),
        (3, 3, 1.0),
        (8, 2, 2 * (1 + 10 + 45) / 1024),  # C(10,0) + C(10,1) + C(10,2)
    ],
)
def test_mcnemar_by_hand(gained: int, lost: int, p: float) -> None:
    # Questions that both answer rightly, or neither, do not count; 0.5 is not right.
    values = [1.0] * gained + [0.5] * lost + [1.0, 1.0, 0.0, 0.5]
    baseline = [0.0] * gained + [1.0] * lost + [1.0, 1.0, 0.0, 0.0]
    assert mcnemar(values, baseline) == pytest.approx((gained, lost, p), abs=1e-6)
