from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopyard.classifiers.contributions import (
    CoalitionValues,
    captum_contributions,
    contributions,
    needs_retrieval,
)

values = st.floats(-20, 20, allow_nan=False, width=32)
coalitions = st.builds(CoalitionValues, values, values, values, values)


def test_worked_by_hand() -> None:
    found = contributions(CoalitionValues(none=0.1, question=0.5, passages=1.1, both=2.0))
    assert found.question == pytest.approx(0.65)  # ½[(2.0 − 1.1) + (0.5 − 0.1)]
    assert found.passages == pytest.approx(1.25)  # ½[(2.0 − 0.5) + (1.1 − 0.1)]
    assert needs_retrieval(found)


@given(coalitions)
def test_efficiency(given_values: CoalitionValues) -> None:
    found = contributions(given_values)
    assert found.question + found.passages == pytest.approx(
        given_values.both - given_values.none, abs=1e-9
    )


@given(none=values, alone=values, both=values)
def test_symmetry(none: float, alone: float, both: float) -> None:
    found = contributions(CoalitionValues(none, alone, alone, both))
    assert found.question == pytest.approx(found.passages, abs=1e-9)
    assert needs_retrieval(contributions(CoalitionValues(0, 1, 1, 2)))  # a tie retrieves


@given(none=values, passages=values)
def test_a_null_player_gets_nothing(none: float, passages: float) -> None:
    found = contributions(CoalitionValues(none, none, passages, passages))
    assert found.question == pytest.approx(0, abs=1e-9)
    assert found.passages == pytest.approx(passages - none, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(coalitions)
def test_captum_gives_the_closed_form(given_values: CoalitionValues) -> None:
    closed, found = contributions(given_values), captum_contributions(given_values)
    assert found.question == pytest.approx(closed.question, abs=1e-5)
    assert found.passages == pytest.approx(closed.passages, abs=1e-5)


@given(coalitions)
def test_the_label_asks_which_of_the_two_does_better_alone(given_values: CoalitionValues) -> None:
    """φ_D − φ_q = v(D) − v(q): what both do together, and neither, cancels out."""
    found = contributions(given_values)
    apart = given_values.passages - given_values.question
    assert found.passages - found.question == pytest.approx(apart, abs=1e-9)
