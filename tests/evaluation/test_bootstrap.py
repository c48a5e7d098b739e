"""Bootstrap intervals: exact cases, and the normal interval."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.measures.bootstrap import difference, interval

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_what_does_not_vary_has_no_width() -> None:
    assert interval([0.25] * 7) == (0.25, 0.25, 0.25)


def test_a_constant_difference_has_no_width_however_the_values_vary() -> None:
    base = [0.0, 0.1, 0.5, 0.7]
    found = difference([value + 0.2 for value in base], base)
    assert found == pytest.approx((0.2, 0.2, 0.2))


@given(VALUES)
def test_the_mean_lies_between_its_bounds_and_those_between_the_extremes(
    values: list[float],
) -> None:
    found = interval(values)
    assert found.mean == pytest.approx(np.mean(values), abs=1e-6)
    assert min(values) - 1e-6 <= found.low <= found.high <= max(values) + 1e-6


def test_the_difference_turned_round_is_the_same_with_the_other_sign() -> None:
    rng = np.random.default_rng(3)
    left, right = rng.random(40).tolist(), rng.random(40).tolist()
    forth, back = difference(left, right), difference(right, left)
    assert (forth.mean, forth.low, forth.high) == pytest.approx(
        (-back.mean, -back.high, -back.low), abs=1e-5
    )


def test_worked_by_hand() -> None:
    """Of two values each mean of a draw is 0, 1/2 or 1, and both ends are a quarter likely."""
    assert interval([0.0, 1.0]) == (0.5, 0.0, 1.0)
    assert interval([0.75]) == (0.75, 0.75, 0.75)


def test_one_miss_in_eight_by_hand() -> None:
    """Seven values of 1 and a 0: the longer tail is on the side of the 0.

    A resample has K misses, K binomial (8, 1/8). Half of those with one miss count as below the
    mean, so z0 = Φ⁻¹(P(K ≥ 2) + ½ P(K = 1)) = Φ⁻¹(.460) = -.10. Without one value the mean is
    6/7 seven times and 1 once, so the acceleration is -.00191 / (6 · .01786^1.5) = -.134. The
    bounds are then the quantiles .0016 and .918: 1 - 4/8 and 1. The percentile interval begins at
    the quantile .025, 1 - 3/8.
    """
    assert interval([1.0] * 7 + [0.0]) == (0.875, 0.5, 1.0)


def test_many_values_give_the_normal_interval() -> None:
    """The mean of 400 values lies within 1.96 standard errors in 95 of 100 samples."""
    values = np.random.default_rng(1).random(400)
    error = 1.96 * values.std() / 20
    found = interval(values.tolist())
    assert (found.low, found.high) == pytest.approx(
        (values.mean() - error, values.mean() + error), abs=0.002
    )


def test_a_pair_needs_both_values() -> None:
    with pytest.raises(ValueError, match="zip"):
        difference([1.0], [1.0, 0.0])
