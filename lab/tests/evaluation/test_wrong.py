"""The first guess at the step that went wrong, case by case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from hopyard.evaluation.records import RECORDS_FILE, Found, Record
from hopyard.state.schemas import Evidence, passage_evidence
from lab.evaluation.sort_failures import format_case, main, sort_wrong_answers
from lab.evaluation.wrong import STEPS, guess
from tests.evaluation.conftest import record

TWO = ("a", "b")
"""The supporting documents."""


def found(*documents: str) -> tuple[Found, ...]:
    return tuple(
        Found(passage_id=f"{name}#1", document_id=name, title=name.upper(), score=1.0)
        for name in documents
    )


def passages(*documents: str) -> list[Evidence]:
    return [passage_evidence(f"{name}#1", 1.0) for name in documents]


def wrong(strategy: str = "tree", **values: Any) -> Record:
    default: dict[str, Any] = {
        "answer": "1780",
        "em": 0.0,
        "f1": 0.0,
        "accuracy": 0.0,
        "supporting_ids": TWO,
        "evidence": found("a", "b"),
        "documents": {f"{name}#1": name for name in "abxyz"},
        "steps": ({"kind": "aggregate", "answer": "1780"},),
    }
    return record("q1", strategy, **(default | values))


ROOT = {"id": "root", "kind": "question", "parent": "", "question": "?", "verdict": "split"}
LEAF = {
    "id": "1", "kind": "question", "parent": "root", "question": "A?", "answer": "x",
    "verdict": "leaf",
}  # fmt: skip
CLOSING = {"id": "aggregate", "kind": "aggregate", "answer": "1780"}


@pytest.mark.parametrize(
    ("step", "told", "values"),
    [
        ("format", "among other words", {"accuracy": 1.0, "answer": "in 1781"}),
        ("format", "most of the gold", {"gold": ("Sol Bamba",), "answer": "Bamba", "f1": 2 / 3}),
        ("format", "nothing usable", {"answer": "", "steps": ()}),
        (
            "format",
            "nothing usable",
            {"answer": "Unknown", "steps": ({"kind": "read", "verdict": "failed"},)},
        ),
        ("gate", "no document", {"gate": {"retrieve": False}, "evidence": ()}),
        ("reading", "another answer", {}),
        ("reading", "another answer", {"gate": {"retrieve": None}}),
        ("reading", "Unknown", {"answer": "Unknown", "unanswered": True}),
        ("reading", "no document supports", {"supporting_ids": ()}),
        ("retrieval", "b was never found", {"evidence": found("a", "x")}),
        (
            "decomposition",
            "not split, though 2",
            {"evidence": found("a"), "steps": ({**ROOT, "verdict": "leaf"}, CLOSING)},
        ),
        (
            "retrieval",
            "never found",
            {"evidence": found("x"), "supporting_ids": ("a",), "steps": (ROOT, CLOSING)},
        ),
        (
            "judge",
            "b was found by a branch that was pruned",
            {
                "evidence": found("a"),
                "steps": (ROOT, {**LEAF, "verdict": "pruned", "passages": passages("b")}, CLOSING),
            },
        ),
        (
            "aggregation",
            "left out",
            {
                "evidence": found("a"),
                "steps": (ROOT, {**LEAF, "passages": passages("b")}, CLOSING),
            },
        ),
        (
            "aggregation",
            "a sub-question had the answer: in 1781",
            {"steps": (ROOT, {**LEAF, "answer": "in 1781"}, CLOSING)},
        ),
        (
            "aggregation",
            "a sub-question had the answer",
            {"steps": ({"kind": "link", "question": "A?", "answer": "1781"}, CLOSING)},
        ),
        (
            "judge",
            "reached by a hop",
            {"evidence": found("a"), "steps": ({"kind": "hop", "head": "b#1"},)},
        ),
    ],
)
def test_what_a_record_says_by_itself(step: str, told: str, values: dict[str, Any]) -> None:
    found_step, reason = guess(wrong(**values), {})
    assert (found_step, told in reason) == (step, True), reason
    assert step in STEPS


def test_what_one_search_finds_was_lost_by_the_sub_questions() -> None:
    tree = wrong(evidence=found("a", "x"), steps=(ROOT, {**LEAF, "passages": passages("x")}))
    assert guess(tree, {"bm25": record(evidence=found("b"))}).step == "decomposition"
    assert guess(tree, {"single+hybrid": record(evidence=found("b"))}).step == "decomposition"
    assert guess(tree, {"bm25": record(evidence=found("y"))}).step == "retrieval"
    assert guess(tree, {"chain": record(evidence=found("b"))}).step == "retrieval"


def test_the_route_is_wrong_where_another_strategy_was_right() -> None:
    route = {"by": "model", "strategy": "single"}
    auto = wrong("auto", route=route, evidence=found("a"))
    right, other = record("q1", "tree"), wrong("single")
    assert guess(auto, {"tree": right, "single": other, "auto": auto}).step == "route"
    # What it chose itself is right with another seed only; decompose is never chosen.
    assert guess(auto, {"single": record("q1", "single")}).step == "retrieval"
    assert guess(auto, {"decompose": record("q1", "decompose")}).step == "retrieval"


def test_a_case_shows_what_is_needed_to_judge_it() -> None:
    tree = wrong(evidence=found("a"), steps=(ROOT, LEAF, CLOSING), failures=("it stuttered",))
    [case] = sort_wrong_answers([tree], "tree", 20, {})
    text = format_case(tree, case, {"b": "B: the text of b"})
    for part in (
        tree.question, "1781", "1780", "not read b: B: the text of b", "gold doc  read    a",
        "question question: A?, answer: x, verdict: leaf", "it stuttered",
        "→ retrieval (by rule: b was never",
    ):  # fmt: skip
        assert part in text


def test_cases_are_counted_and_corrected_by_hand(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [wrong(question_id="q2"), wrong(question_id="q1"), record("q3", "tree")]
    records += [wrong("hop", question_id="q1", evidence=found("x"))]
    lines = "".join(each.model_dump_json() + "\n" for each in records)
    (tmp_path / RECORDS_FILE).write_text(lines)
    by_hand = tmp_path / "by_hand.json"
    by_hand.write_text('{"tree": {"q2": "decomposition"}}')
    assert main([str(tmp_path), "--by-hand", str(by_hand)]) == 0
    assert "tree: gate 0, route 0, decomposition 1, judge 0, retrieval 0, reading 1" in (
        capsys.readouterr().out
    )
    saved = json.loads((tmp_path / "failures.json").read_text())["strategies"]
    assert (saved["tree"]["wrong"], saved["tree"]["sorted"], saved["tree"]["by_hand"]) == (2, 2, 1)
    assert saved["hop"]["counts"]["retrieval"] == 1
    assert [case["question_id"] for case in saved["tree"]["cases"]] == ["q1", "q2"]
    assert main([str(tmp_path), "--limit", "1", "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert json.loads((tmp_path / "failures.json").read_text())["strategies"]["tree"]["sorted"] == 1


@pytest.mark.parametrize("text", ['{"tree": {"q": "luck"}}', "[1]", "{"])
def test_a_correction_that_is_none_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    (tmp_path / RECORDS_FILE).write_text(wrong().model_dump_json() + "\n")
    (tmp_path / "by_hand.json").write_text(text)
    assert main([str(tmp_path), "--by-hand", str(tmp_path / "by_hand.json")]) == 2
    assert "by_hand.json" in capsys.readouterr().err
    assert main([str(tmp_path / "nowhere")]) == 2
