from __future__ import annotations

import pytest

from hopyard.classifiers.policies import (
    AnswerOutcome,
    AnswerPair,
    compare_policies,
    retrieves,
    verdict,
)


def answers(with_: float, without: float, gate: bool, kind: str = "fact") -> AnswerPair:
    retrieved, direct = AnswerOutcome(with_, 1000, 2.0), AnswerOutcome(without, 100, 0.5)
    return AnswerPair(kind, kind != "greeting", retrieved, direct, gate, 0.01)


FOUR = [
    answers(1, 0, True),  # needed
    answers(1, 1, False, "greeting"),  # needless
    answers(0, 0, False, "greeting"),  # wrong either way
    answers(1, 0, False),  # missed
]


def test_four_policies_by_hand() -> None:
    found = compare_policies(FOUR)
    policies = found.policies
    assert {name: result.accuracy.mean for name, result in policies.items()} == {
        "always": 0.75, "never": 0.25, "gate": 0.5, "oracle": 0.75,
    }  # fmt: skip
    assert {name: result.retrieval_rate for name, result in policies.items()} == {
        "always": 1, "never": 0, "gate": 0.25, "oracle": 0.5,
    }  # fmt: skip
    assert policies["always"].needless_rate == 0.25
    assert policies["gate"].tokens.mean == (1000 + 3 * 100) / 4
    assert policies["gate"].seconds.mean == pytest.approx((2.0 + 3 * 0.5) / 4 + 0.01)
    assert policies["gate"].against_always["accuracy"].mean == -0.25
    assert found.missed == 1
    assert found.by_type["greeting"] == {
        "questions": 2, "gate_retrieval_rate": 0, "always": 0.5, "never": 0.5, "gate": 0.5,
        "oracle": 0.5,
    }  # fmt: skip


def test_the_oracle_retrieves_only_where_it_helps() -> None:
    assert [retrieves("oracle", pair) for pair in FOUR] == [True, False, False, True]


def test_the_verdict_is_yes_where_cost_falls_and_accuracy_does_not() -> None:
    good = [answers(1, 1, False), answers(1, 0, True)] * 20
    assert verdict(compare_policies(good))[0]
    assert "takes 45% fewer tokens" in verdict(compare_policies(good))[1]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([answers(1, 0, False)] * 20, "20 of 20 questions"),
        ([answers(1, 0, True)] * 20, "no more than chance"),
    ],
)
def test_the_verdict_says_why_not(rows: list[AnswerPair], why: str) -> None:
    good, text = verdict(compare_policies(rows))
    assert not good
    assert why in text.replace("not more", "no more")
