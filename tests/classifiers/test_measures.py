from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.classifiers.evaluate import (
    accuracy,
    auroc,
    bayes_threshold,
    costs,
    expected_calibration_error,
    reliability,
)


def test_auroc_by_hand() -> None:
    # pairs (good, bad): .9 > .4, .9 > .5, .5 > .4, .5 = .5: 3.5 of 4
    assert auroc([0.9, 0.5, 0.4, 0.5], [1, 1, 0, 0]) == 3.5 / 4
    assert math.isnan(auroc([0.1], [1]))


def test_reliability_and_its_error_by_hand() -> None:
    probabilities, labels = [0.11, 0.19, 0.95, 1.0], [0, 1, 1, 1]
    low, high = reliability(probabilities, labels)
    assert (low.low, low.high, low.questions, low.frequency) == (0.1, 0.2, 2, 0.5)
    assert low.probability == pytest.approx(0.15)
    assert (high.low, high.high, high.questions, high.frequency) == (0.9, 1.0, 2, 1.0)
    wanted = 2 / 4 * 0.35 + 2 / 4 * 0.025
    assert expected_calibration_error(probabilities, labels) == pytest.approx(wanted)


def test_costs_by_hand() -> None:
    # 0.2 (needs it), 0.6 (does not), 0.9 (needs it); a miss costs 4
    found = costs([0.2, 0.6, 0.9], [1, 0, 1], [0.0, 0.5, 0.7, 1.0], 4)
    assert found.tolist() == pytest.approx([1 / 3, 5 / 3, 4 / 3, 8 / 3])
    assert accuracy([0.2, 0.6, 0.9], [1, 0, 1], 0.7) == pytest.approx(2 / 3)


def test_the_threshold_is_where_both_mistakes_cost_the_same() -> None:
    assert bayes_threshold(1) == 0.5
    assert bayes_threshold(4) == 0.2


@given(st.floats(0.1, 20), st.floats(0, 1))
def test_no_threshold_costs_less_where_the_probabilities_are_right(ratio: float, at: float) -> None:
    """A hundred questions at each probability, of which exactly that share needs retrieval."""
    probabilities = np.repeat(np.linspace(0.005, 0.995, 100), 200)
    labels = np.concatenate([np.arange(200) < 2 * n + 1 for n in range(100)]).astype(int)
    best, other = costs(probabilities, labels, [bayes_threshold(ratio), at], ratio)
    assert best <= other + 1e-9
