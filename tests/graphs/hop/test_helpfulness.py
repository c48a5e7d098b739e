"""Equations 2 and 3, by hand and as properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.passage_graph.traversal import helpfulness, importance

COUNTS = st.dictionaries(st.text(max_size=3), st.integers(1, 50), min_size=1, max_size=20)


def test_importance_by_hand() -> None:
    assert importance({"a": 3, "b": 1}) == {"a": 0.75, "b": 0.25}
    assert importance({"a": 9}) == {"a": 1.0}
    assert importance({}) == {}


@pytest.mark.parametrize(
    ("similarity", "share", "helpful"),
    [(0.5, 0.25, 0.375), (1.0, 1.0, 1.0), (-0.5, 0.1, -0.2), (0.0, 0.5, 0.25)],
)
def test_helpfulness_by_hand(similarity: float, share: float, helpful: float) -> None:
    assert helpfulness(similarity, share) == pytest.approx(helpful)


@given(COUNTS)
def test_importance_adds_up_to_one_and_keeps_the_order(counts: dict[str, int]) -> None:
    shares = importance(counts)
    assert sum(shares.values()) == pytest.approx(1)
    assert sorted(counts, key=lambda name: (counts[name], name)) == sorted(
        counts, key=lambda name: (shares[name], name)
    )


@given(COUNTS, st.integers(2, 9))
def test_importance_is_no_count(counts: dict[str, int], factor: int) -> None:
    """Walking everything several times over changes nothing: the authors' code fails here."""
    more = {name: count * factor for name, count in counts.items()}
    assert importance(more) == pytest.approx(importance(counts))
