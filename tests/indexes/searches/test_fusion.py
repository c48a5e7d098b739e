from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.searches.hybrid import fused

SCORES = st.floats(0, 20)
COSINES = st.floats(-1, 1)
SHARES = st.floats(0, 1)


def scores_of(
    worded: list[float],
    cosines: list[float],
    lowest: float = 0.0,
    weights: list[float] | None = None,
    exact: list[bool] | None = None,
    shares: list[float] | None = None,
) -> list[float]:
    return fused(
        np.array(worded),
        np.array(cosines),
        lowest,
        np.array(weights or [1.0] * len(worded)),
        np.array(shares or [0.5] * len(worded)),
        np.array(exact or [False] * len(worded)),
    ).tolist()


def test_scores_by_hand() -> None:
    # Words: 1, 1/2, 0. Nearness above .2: 0, 1, 1/2.
    assert scores_of([8.0, 4.0, 0.0], [0.2, 0.6, 0.4], 0.2) == pytest.approx([0.5, 0.75, 0.25])
    short = scores_of([8.0, 4.0, 0.0], [0.2, 0.6, 0.4], 0.2, shares=[0.25, 0.25, 0.5])
    assert short == pytest.approx([0.25, 0.875, 0.25])


def test_a_cosine_below_the_lowest_counts_as_the_lowest() -> None:
    assert scores_of([2.0, 2.0], [0.1, 0.5], 0.3) == pytest.approx([0.5, 1.0])


def test_a_document_weighs_what_is_near_but_not_what_is_worded() -> None:
    assert scores_of([2.0, 2.0], [0.5, 0.5], 0.0, [1.0, 0.4]) == pytest.approx([1.0, 0.7])


def test_identifiers_come_first() -> None:
    found = scores_of([9.0, 1.0], [0.9, 0.0], 0.0, None, [False, True])

    assert found == pytest.approx([0.5, (1 / 9 / 2 + 1) / 2])


def test_without_a_word_or_with_a_single_cosine() -> None:
    assert scores_of([0.0, 0.0], [0.4, 0.2], 0.2) == pytest.approx([0.5, 0.0])
    assert scores_of([3.0], [0.4], 0.4) == [1.0]
    assert scores_of([], []) == []


@given(st.lists(st.tuples(SCORES, COSINES, SHARES, st.booleans()), min_size=1))
def test_scores_are_shares_and_identifiers_lead(
    passages: list[tuple[float, float, float, bool]],
) -> None:
    worded, cosines, weights, exact = map(list, zip(*passages, strict=True))
    found = scores_of(worded, cosines, min(cosines), weights, exact)

    assert all(0 <= score <= 1 for score in found)
    leading = [score for score, leads in zip(found, exact, strict=True) if leads]
    others = [score for score, leads in zip(found, exact, strict=True) if not leads]
    assert not leading or not others or min(leading) >= max(others)
