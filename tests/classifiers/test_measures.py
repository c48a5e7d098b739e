from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hopyard.classifiers.measures import (
    accuracy,
    auroc,
    bayes_threshold,
    best_temperature,
    best_threshold,
    costs,
    deciding,
    expected_calibration_error,
    negative_log_likelihood,
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


def test_the_threshold_of_least_cost_is_chosen_and_of_several_the_expected_one() -> None:
    assert best_threshold([0.1, 0.3, 0.8, 0.9], [0, 0, 1, 1], 1) == 0.5
    assert bayes_threshold(1) == 0.5
    assert bayes_threshold(4) == 0.2
    # a costly miss at 0.15 pulls the threshold below it
    assert best_threshold([0.1, 0.15, 0.3, 0.9], [0, 1, 0, 1], 10) == pytest.approx(0.125)
    assert best_threshold([0.1, 0.15, 0.3, 0.9], [0, 1, 0, 1], 0.5) == pytest.approx(0.6, abs=0.31)


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=1, max_size=30),
    st.floats(0.1, 20),
)
@example([(0.75, 0), (0.75, 1)], 0.99999)  # costs that nearly agree are no tie
def test_no_threshold_costs_less(rows: list[tuple[float, int]], ratio: float) -> None:
    probabilities, labels = zip(*rows, strict=True)
    chosen = best_threshold(probabilities, labels, ratio)
    [cost] = costs(probabilities, labels, [chosen], ratio)
    every = costs(probabilities, labels, np.linspace(0, 1, 101), ratio)
    assert cost <= every.min() + 1e-9


def test_a_sharp_classifier_is_cooled() -> None:
    """Logits of ±4 (p = 0.98) that are right three times in four: T makes them ln 3."""
    logits = [4.0, 4.0, 4.0, 4.0, -4.0, -4.0, -4.0, -4.0]
    labels = [1, 1, 1, 0, 0, 0, 0, 1]
    found = best_temperature(logits, labels)
    assert found == pytest.approx(4 / math.log(3), rel=1e-3)
    assert negative_log_likelihood(np.array(logits) / found, labels) < negative_log_likelihood(
        logits, labels
    )


def test_a_threshold_is_chosen_on_what_is_decisive_while_both_classes_are() -> None:
    assert deciding([1, 1, 0], [True, False, True]).tolist() == [True, False, True]
    assert deciding([1, 1, 0], [False, False, True]).tolist() == [True, True, True]
    assert deciding([1, 1, 0], [False] * 3).tolist() == [True, True, True]
