"""The branch's score: a mean of four 0-5 scores, normalised to 0-1 (ToR-RAG, section III.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.prompts.strategies.tree import BranchScores, branch_score

NAMES = ("sufficiency", "non_redundancy", "consistency", "decomposition")
points = st.tuples(*[st.integers(0, 5)] * 4)


def judgement(values: tuple[int, ...]) -> BranchScores:
    return BranchScores.model_validate(dict(zip(NAMES, values, strict=True)) | {"weaker": "first"})


@pytest.mark.parametrize(
    ("values", "score"),
    [
        ((0, 0, 0, 0), 0.0),
        ((5, 5, 5, 5), 1.0),
        ((2, 2, 2, 2), 0.4),  # θ: two points of five on average
        ((5, 3, 0, 0), 0.4),
        ((2, 2, 2, 1), 0.35),
        ((1, 2, 3, 4), 0.5),
        ((0, 0, 0, 1), 0.05),
    ],
)
def test_by_hand(values: tuple[int, ...], score: float) -> None:
    scores = judgement(values).scores
    assert set(scores) == set(NAMES)
    assert branch_score(scores) == score


@given(values=points, at=st.integers(0, 3))
def test_it_lies_between_0_and_1_and_a_point_more_is_a_twentieth(
    values: tuple[int, ...], at: int
) -> None:
    scores = judgement(values).scores
    score = branch_score(scores)
    assert 0 <= score <= 1
    if scores[NAMES[at]] < 5:
        scores[NAMES[at]] += 1
        assert branch_score(scores) == pytest.approx(score + 1 / 20)


@given(values=points, twentieths=st.integers(0, 20))
def test_theta_is_met_as_arithmetic_has_it(values: tuple[int, ...], twentieths: int) -> None:
    """No sum of points falls below a θ that it equals by a rounding error."""
    theta = float(f"{twentieths / 20:.2f}")
    assert (round(branch_score(judgement(values).scores), 3) >= theta) is (
        sum(values) >= twentieths
    )
