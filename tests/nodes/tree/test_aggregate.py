"""Which passages the closing prompt is shown."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hopyard.nodes.tree.aggregate import best_evidence
from hopyard.state.schemas import passage_evidence


def leaf(**scores: float) -> Any:
    return {
        "path": "1",
        "passages": [passage_evidence(name, score) for name, score in scores.items()],
    }


def test_by_hand() -> None:
    found = [leaf(a=0.5, b=0.3, c=0.1), leaf(b=0.6, d=0.4), leaf()]
    assert best_evidence(found, 3) == [
        passage_evidence("b", 0.6),
        passage_evidence("a", 0.5),
        passage_evidence("d", 0.4),
    ]


def test_of_equal_scores_the_first_by_name_so_that_every_run_is_the_same() -> None:
    best = best_evidence([leaf(z=0.5, a=0.5), leaf(m=0.5)], 2)
    assert [unit["id"] for unit in best] == ["a", "m"]


def test_a_passage_that_scores_below_zero_counts() -> None:
    assert best_evidence([leaf(a=-0.2), leaf(a=-0.5)], 5) == [passage_evidence("a", -0.2)]


def test_nothing_found() -> None:
    assert best_evidence([], 5) == []
    assert best_evidence([{"path": "", "question": "?", "status": "done"}], 5) == []


scored = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=1), st.floats(-1, 1), max_size=8)


@given(found=st.lists(scored, max_size=5), k=st.integers(1, 10))
def test_the_best_k_each_once_the_best_first(found: list[dict[str, float]], k: int) -> None:
    best = best_evidence([leaf(**scores) for scores in found], k)
    names = [unit["id"] for unit in best]
    every = {name for scores in found for name in scores}
    assert len(names) == len(set(names)) == min(k, len(every))
    scores = [unit["score"] for unit in best]
    assert scores == sorted(scores, reverse=True)
    highest = {name: max(scores[name] for scores in found if name in scores) for name in every}
    assert all(highest[unit["id"]] == unit["score"] for unit in best)
    left_out = [score for name, score in highest.items() if name not in names]
    assert not left_out or max(left_out) <= min(scores)
