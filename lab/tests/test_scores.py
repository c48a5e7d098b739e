from __future__ import annotations

import math

import pytest

from lab.scores import auroc, exact_match, pair_f1, token_f1


def test_articles_case_and_marks_do_not_count() -> None:
    assert exact_match("The Brooklyn Bridge.", "brooklyn bridge") == 1
    assert exact_match("Brooklyn", "Brooklyn Bridge") == 0


def test_token_f1_by_hand() -> None:
    # one of two given words is right, one of three wanted ones is found: 2·(1/2)(1/3)/(5/6)
    assert token_f1("red house", "red barn door") == pytest.approx(0.4)
    assert token_f1("", "") == 1
    assert token_f1("", "x") == 0


def test_halves_are_compared_in_the_better_order() -> None:
    assert pair_f1(("When was B?", "When was C?"), ("When was C?", "When was B?")) == 1


def test_auroc_by_hand() -> None:
    assert auroc([5, 4], [4, 1]) == pytest.approx(3.5 / 4)
    assert math.isnan(auroc([], [1]))
