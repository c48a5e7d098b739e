from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hopyard.indexes.searches.mmr import mmr
from hopyard.models.embedder import Vector, Vectors

# Small whole numbers, so that both ways of adding up are exact and ties are ties.
NUMBERS = st.integers(-3, 3).map(float)
QUERIES = arrays(np.float32, 3, elements=NUMBERS)
CANDIDATES = arrays(np.float32, st.tuples(st.integers(0, 8), st.just(3)), elements=NUMBERS)
LAMBDAS = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


def naive_mmr(
    query: Vector, candidates: Vectors, k: int, lambda_: float
) -> list[tuple[int, float]]:
    """The formula of the paper, one pair at a time."""
    chosen: list[tuple[int, float]] = []
    while len(chosen) < min(k, len(candidates)):
        best = (-1, -np.inf)
        for row, candidate in enumerate(candidates):
            if row in [taken for taken, _ in chosen]:
                continue
            alike = [float(candidate @ candidates[taken]) for taken, _ in chosen]
            score = lambda_ * float(candidate @ query) - (1 - lambda_) * max(alike, default=0.0)
            if score > best[1]:
                best = (row, score)
        chosen.append(best)
    return chosen


def test_a_near_copy_loses_to_something_new_by_hand() -> None:
    query = np.array([1, 0], dtype=np.float32)
    candidates = np.array([[0.8, 0.6], [0.8, 0.6], [0.6, -0.8]], dtype=np.float32)

    chosen = mmr(query, candidates, k=3, lambda_=0.5)

    # Second choice: the copy scores 0.5·0.8 − 0.5·1 = −0.1, the other 0.5·0.6 − 0.5·0 = 0.3.
    assert [row for row, _ in chosen] == [0, 2, 1]
    assert [score for _, score in chosen] == pytest.approx([0.4, 0.3, -0.1])


@given(QUERIES, CANDIDATES, st.integers(0, 9), LAMBDAS)
def test_agrees_with_the_formula(
    query: Vector, candidates: Vectors, k: int, lambda_: float
) -> None:
    assert mmr(query, candidates, k, lambda_) == naive_mmr(query, candidates, k, lambda_)


@given(QUERIES, CANDIDATES)
def test_lambda_one_is_plain_ranking(query: Vector, candidates: Vectors) -> None:
    relevance = candidates @ query

    chosen = mmr(query, candidates, len(candidates), 1.0)

    assert [row for row, _ in chosen] == np.argsort(-relevance, kind="stable").tolist()
    assert [score for _, score in chosen] == sorted(relevance.tolist(), reverse=True)


@given(QUERIES, CANDIDATES, st.integers(0, 9), LAMBDAS)
def test_chooses_each_at_most_once(
    query: Vector, candidates: Vectors, k: int, lambda_: float
) -> None:
    rows = [row for row, _ in mmr(query, candidates, k, lambda_)]

    assert len(rows) == len(set(rows)) == min(k, len(candidates))


def test_scores_are_plain_floats() -> None:
    (row, score), *_ = mmr(np.ones(2, np.float32), np.ones((2, 2), np.float32), 1, 0.5)

    assert (type(row), type(score)) == (int, float)


@pytest.mark.parametrize("lambda_", [-0.1, 1.1, float("nan")])
def test_lambda_out_of_range(lambda_: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        mmr(np.ones(2, np.float32), np.ones((2, 2), np.float32), 1, lambda_)
