"""The rubrics and scores of ToR-RAG."""

from __future__ import annotations

import pytest

from hopyard.prompts.tree import BranchScores, Rubric, branch_score


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
