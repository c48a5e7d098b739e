from __future__ import annotations

import json

import pytest

from hopyard.classifiers.labels import Label
from lab.gate_paper import FROM_MEMORY, label_of


def asked(*answers: str, kind: str = "hotpotqa") -> Label:
    return Label(
        id="1", question="q", answers=answers, type=kind, model="m", value="answer-f1", k=5
    )


@pytest.mark.parametrize(
    ("row", "from_memory", "label"),
    [
        (asked("Oslo"), "Oslo", 0),  # φ_q = ½(1 + 1), φ_D = ½(1 − 1)
        (asked("Oslo"), "Bergen", 1),  # φ_q = ½, φ_D = ½
        (asked("Oslo"), "Unknown", 1),
        (asked("Oslo", "the city of Oslo"), "a city in Norway", 0),  # F1 above 0 with one of both
        (asked("Bergen"), "Bergen", None),  # no passage says it: not in Q_c
        (asked("yes"), "no", 1),
        (asked("yes"), "Yes", 0),
        (asked(kind="everyday-writing"), "Unknown", 0),
    ],
)
def test_the_papers_label_by_hand(row: Label, from_memory: str, label: int | None) -> None:
    assert label_of(row, "The capital is OSLO.", from_memory) == label


def test_each_answer_from_memory_has_its_question_once() -> None:
    rows = [json.loads(line) for line in FROM_MEMORY.read_text(encoding="utf-8").splitlines()]
    assert len({row["id"] for row in rows}) == len(rows) == 130
    assert all(row["answer"] for row in rows)
