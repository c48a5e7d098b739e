"""The rubrics and scores of ToR-RAG."""

from __future__ import annotations

import pytest

from hopyard.prompts.strategies.tree import (
    JUDGE_BRANCH,
    JUDGE_DECOMPOSITION,
    BranchScores,
    Rubric,
    branch_fault,
    branch_score,
)


def test_a_rubric_counts_its_points_and_names_its_faults() -> None:
    rubric = Rubric(wh_form=1, specific=0, relevant=1, non_overlapping=0, complete=1)
    assert rubric.points == 3
    assert rubric.faults == ["specific", "non_overlapping"]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [((0, 0, 0, 0), 0.0), ((5, 5, 5, 5), 1.0), ((2, 2, 2, 2), 0.4), ((5, 3, 2, 1), 0.55)],
)
def test_a_branchs_score_is_its_mean_of_five(scores: tuple[int, ...], expected: float) -> None:
    sufficiency, non_redundancy, consistency, decomposition = scores
    judged = BranchScores(
        sufficiency=sufficiency,
        non_redundancy=non_redundancy,
        consistency=consistency,
        decomposition=decomposition,
        weaker="first",
    )
    assert branch_score(judged.scores) == pytest.approx(expected)
    assert "weaker" not in judged.scores


def test_the_judge_rejects_the_bad_examples_of_its_prompt_and_takes_the_good_one() -> None:
    shown = [example.output for example in JUDGE_DECOMPOSITION.examples]
    rubrics = [output for output in shown if isinstance(output, Rubric)]
    assert [rubric.points for rubric in rubrics] == [3, 0, 5]
    assert [rubric.valid() for rubric in rubrics] == [False, False, True]
    branches = [example.output for example in JUDGE_BRANCH.examples]
    scores = [output.scores for output in branches if isinstance(output, BranchScores)]
    assert [branch_score(each) for each in scores] == pytest.approx([0.1, 0.35, 1.0])
    assert [bool(branch_fault(each, 0.4)) for each in scores] == [True, True, False]


@pytest.mark.parametrize(
    ("points", "valid"),
    [
        ((1, 1, 1, 1, 1), True),
        ((0, 1, 1, 1, 1), True),
        ((0, 0, 1, 1, 1), False),
        ((1, 1, 0, 1, 1), False),  # relevant, non-overlapping and complete cannot be missing
        ((1, 1, 1, 0, 1), False),
        ((1, 1, 1, 1, 0), False),
    ],
)
def test_a_decomposition_is_valid(points: tuple[int, ...], valid: bool) -> None:
    rubric = Rubric.model_validate(dict(zip(Rubric.model_fields, points, strict=True)))
    assert rubric.valid() is valid


@pytest.mark.parametrize(
    ("points", "theta", "fault"),
    [
        ((5, 5, 5, 5), 0.4, ""),
        ((2, 2, 2, 2), 0.4, ""),  # 8 of 20 are 0.4
        ((5, 1, 1, 1), 0.4, ""),
        ((2, 2, 2, 1), 0.4, "below θ=0.4"),
        ((0, 5, 5, 0), 0.4, "sufficiency and decomposition got 0 of 5"),  # 10 of 20 are 0.5
        ((5, 0, 5, 5), 0.4, "non redundancy got 0 of 5"),
        ((3, 5, 5, 5), 0.95, "below θ=0.95"),
        ((0, 0, 0, 0), 0.0, ""),
        ((1, 1, 1, 1), 1.0, "below θ=1"),
    ],
)
def test_a_branch_fails_below_theta_or_with_a_score_of_0(
    points: tuple[int, ...], theta: float, fault: str
) -> None:
    names = ("sufficiency", "non_redundancy", "consistency", "decomposition")
    assert branch_fault(dict(zip(names, points, strict=True)), theta) == fault
