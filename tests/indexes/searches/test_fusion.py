from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.searches.hybrid import reciprocal_rank_fusion

RANKINGS = st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=4)


def test_two_rankings_by_hand() -> None:
    fused = reciprocal_rank_fusion([["a", "b", "c"], ["b", "d"]])

    assert fused == [
        ("b", 1 / 62 + 1 / 61),
        ("a", 1 / 61),
        ("d", 1 / 62),
        ("c", 1 / 63),
    ]


def test_a_small_k_favours_first_places() -> None:
    rankings = [["a", "b"], ["c", "b"], ["d", "b"]]

    assert reciprocal_rank_fusion(rankings)[0][0] == "b"
    assert reciprocal_rank_fusion([["a", "x", "b"], ["c", "x", "b"]], k=0)[0][0] == "a"


def test_ties_go_by_id() -> None:
    assert [name for name, _ in reciprocal_rank_fusion([["b", "a"], ["a", "b"]])] == ["a", "b"]


@given(st.lists(st.sampled_from("abcdef"), unique=True))
def test_one_ranking_keeps_its_order(ranking: list[str]) -> None:
    assert [name for name, _ in reciprocal_rank_fusion([ranking])] == ranking


@given(RANKINGS)
def test_order_of_rankings_does_not_matter(rankings: list[list[str]]) -> None:
    assert dict(reciprocal_rank_fusion(rankings)) == pytest.approx(
        dict(reciprocal_rank_fusion(reversed(rankings)))
    )


@given(RANKINGS)
def test_every_id_comes_once_with_a_score_in_range(rankings: list[list[str]]) -> None:
    fused = dict(reciprocal_rank_fusion(rankings))

    assert fused.keys() == {name for ranking in rankings for name in ranking}
    assert all(0 < score <= len(rankings) / 61 for score in fused.values())
