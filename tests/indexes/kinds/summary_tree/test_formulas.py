"""The formulas of the summary tree, by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hopyard.indexes.kinds.summary_tree.formulas import bic, lexrank, soft_members


def test_bic_counts_means_covariances_and_weights() -> None:
    # Two components in 2 dimensions: 2 means of 2, 2 symmetric covariances of 3, 1 free weight.
    assert bic(-50.0, 100, 2, 2) == pytest.approx(math.log(100) * 11 + 100)
    assert bic(-50.0, 100, 10, 1) == pytest.approx(math.log(100) * 65 + 100)


def test_a_better_fit_must_be_worth_its_parameters() -> None:
    # One component more costs 6 ln(100) = 27.6 in 2 dimensions, so 13.8 of log-likelihood.
    assert bic(-50.0, 100, 2, 1) < bic(-37.0, 100, 2, 2)
    assert bic(-50.0, 100, 2, 1) > bic(-36.0, 100, 2, 2)


def test_a_point_may_be_in_several_clusters_and_is_in_its_likeliest() -> None:
    probabilities = np.array([[0.95, 0.05, 0.0], [0.6, 0.4, 0.0], [0.1, 0.9, 0.0]])
    first, second = soft_members(probabilities, 0.1)
    assert first.tolist() == [0, 1]  # 0.1 is not higher than 0.1
    assert second.tolist() == [1, 2]
    even = np.full((1, 20), 0.05)
    assert [rows.tolist() for rows in soft_members(even, 0.1)] == [[0]]


def test_lexrank_prefers_the_sentence_that_others_are_like() -> None:
    # The middle of a chain: the ends vote for it, and it votes for both. By symmetry the ends have
    # x each and the middle y: x = 0.05 + 0.85 y / 2, 2x + y = 1, so 1.85 x = 0.475.
    similarity = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.5], [0.0, 0.5, 1.0]])
    end = 0.475 / 1.85
    assert lexrank(similarity) == pytest.approx([end, 1 - 2 * end, end], abs=1e-6)
    assert lexrank(np.eye(4)) == pytest.approx([0.25] * 4)


def test_a_sentence_that_is_like_no_other_is_the_least_central() -> None:
    similarity = np.array([[1.0, 0.2, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.0]])
    first, second, alone = lexrank(similarity)
    assert first == second
    assert alone < first / 2
