from __future__ import annotations

import json
from pathlib import Path

import pytest
from gates import write_gate

from hopyard.classifiers.policies import Answers, Outcome, compare, retrieves, verdict
from hopyard.state.errors import UsageError
from lab.gate_report import between_marks, block, main


def answers(with_: float, without: float, gate: bool, kind: str = "fact") -> Answers:
    return Answers(kind, Outcome(with_, 1000, 2.0), Outcome(without, 100, 0.5), gate, 0.01)


FOUR = [
    answers(1, 0, True),  # needed
    answers(1, 1, False, "greeting"),  # needless
    answers(0, 0, False, "greeting"),  # wrong either way
    answers(1, 0, False),  # missed
]


def test_four_policies_by_hand() -> None:
    found = compare(FOUR)
    policies = found.policies
    assert {name: one.accuracy.mean for name, one in policies.items()} == {
        "always": 0.75, "never": 0.25, "gate": 0.5, "oracle": 0.75,
    }  # fmt: skip
    assert {name: one.retrieval_rate for name, one in policies.items()} == {
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
    assert [retrieves("oracle", one) for one in FOUR] == [True, False, False, True]


def test_the_verdict_is_yes_where_cost_falls_and_accuracy_does_not() -> None:
    good = [answers(1, 1, False), answers(1, 0, True)] * 20
    assert verdict(compare(good))[0]
    assert "takes 45% fewer tokens" in verdict(compare(good))[1]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([answers(1, 0, False)] * 20, "20 of 20 questions"),
        ([answers(1, 0, True)] * 20, "no more than chance"),
    ],
)
def test_the_verdict_says_why_not(rows: list[Answers], why: str) -> None:
    good, text = verdict(compare(rows))
    assert not good
    assert why in text.replace("not more", "no more")


def test_the_block_of_a_document_is_replaced() -> None:
    document = "a\n<!-- gate: begin -->\nold\n<!-- gate: end -->\nb\n"
    assert between_marks(document, "new") == document.replace("old", "new")
    with pytest.raises(UsageError, match="gate: begin"):
        between_marks("a", "new")


def test_without_a_gate_the_block_says_so(tmp_path: Path) -> None:
    assert block(tmp_path) == "No gate ships with this version yet."


def test_the_command_fills_the_document_and_keeps_what_was_tried(tmp_path: Path) -> None:
    gate = write_gate(tmp_path / "small", 0.0)
    manifest = json.loads((gate / "gate.json").read_text())
    settings = {
        "pretraining": "distil", "pretraining_steps": 9, "class_weights": True, "dropout": 0.1,
        "seed": 7,
    }  # fmt: skip
    manifest["training"] = {
        "settings": settings, "validation_losses": [0.7, 0.5, 0.6], "labelling_seconds": 600,
        "training_seconds": 120, "rate": 0.0001,
    }  # fmt: skip
    manifest["validation"] = {"auroc": 0.8, "accuracy": 0.75, "ece": 0.1}
    (gate / "gate.json").write_text(json.dumps(manifest))
    document, results = tmp_path / "gate.md", tmp_path / "tried.json"
    document.write_text("a\n<!-- gate: begin -->\n<!-- gate: end -->\nb\n")
    common = ["--gate", str(gate), "--document", str(document), "--results", str(results)]
    assert main([*common, "--tried", str(gate)]) == 0
    first = document.read_text()
    assert "trained on 16 labelled questions (8 need retrieval), with 4 more" in first
    assert "It cost 10 minutes of labelling" in first
    row = "| small | scratch | distil | 9 | 0.0001 | True | 0.1 | 7 | 20 | 0.5 | 0.8 | 0.1 |"
    assert row in first
    assert main(common) == 0
    assert document.read_text() == first
