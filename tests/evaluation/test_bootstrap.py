"""Bootstrap intervals: exact cases, and scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from hopyard.measures.bootstrap import difference, interval

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def test_what_does_not_vary_has_no_width() -> None:
    assert interval([0.25] * 7) == (0.25, 0.25, 0.25)
    assert interval([]) is None


def test_a_constant_difference_has_no_width_however_the_values_vary() -> None:
    base = [0.0, 0.1, 0.5, 0.7]
    found = difference([one + 0.2 for one in base], base)
    assert found == pytest.approx((0.2, 0.2, 0.2))


@settings(max_examples=20, deadline=None)
@given(VALUES)
def test_the_mean_lies_between_its_bounds_and_those_between_the_extremes(
    values: list[float],
) -> None:
    found = interval(values)
    assert found is not None
    assert found.mean == pytest.approx(np.mean(values), abs=1e-6)
    assert min(values) - 1e-6 <= found.low <= found.high <= max(values) + 1e-6


def test_the_difference_turned_round_is_the_same_with_the_other_sign() -> None:
    rng = np.random.default_rng(3)
    one, other = rng.random(40).tolist(), rng.random(40).tolist()
    forth, back = difference(one, other), difference(other, one)
    assert forth is not None
    assert back is not None
    assert (forth.mean, forth.low, forth.high) == pytest.approx(
        (-back.mean, -back.high, -back.low), abs=1e-5
    )


def test_it_is_scipys_percentile_interval() -> None:
    rng = np.random.default_rng(1)
    one, other = (rng.random(60) < 0.6).astype(float), (rng.random(60) < 0.4).astype(float)
    theirs = bootstrap(
        (one, other),
        lambda x, y, axis: (x - y).mean(axis=axis),
        paired=True,
        method="percentile",
        n_resamples=10_000,
        rng=5,
        vectorized=True,
    ).confidence_interval
    ours = difference(one.tolist(), other.tolist())
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)
    with pytest.raises(ValueError, match="zip"):
        difference([1.0], [1.0, 0.0])
