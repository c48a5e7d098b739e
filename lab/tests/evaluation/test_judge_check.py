"""The pairs judged by hand, and how a judge's agreement with them is counted."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from hopyard.measures.exact import clopper_pearson
from hopyard.testing import GARBAGE, ScriptedChat
from lab.evaluation import judge_check
from lab.evaluation.judge_check import main, read_pairs

PAIRS = read_pairs()


def told(messages: list[dict[str, Any]]) -> tuple[str, str]:
    """The question and the answer that the judge was asked about."""
    lines = str(messages[-1]["content"]).splitlines()
    return lines[0].removeprefix("Question: "), lines[-1].removeprefix("Answer: ")


def by_hand(title: str, messages: list[dict[str, Any]]) -> dict[str, str]:
    assert title == "AnswerVerdict"
    turn = str(messages[-1]["content"])
    [verdict] = {
        pair.verdict
        for pair in PAIRS
        if (pair.question, pair.answer) == told(messages)
        and all(f"- {gold}" in turn for gold in pair.answers if gold)
    }
    return {"reason": "as by hand", "verdict": verdict}


def test_there_are_a_hundred_pairs_of_every_verdict() -> None:
    assert len(PAIRS) == len({pair.id for pair in PAIRS}) == 100
    verdicts = Counter(pair.verdict for pair in PAIRS)
    assert verdicts.keys() == {"equivalent", "partly", "different"}
    assert min(verdicts.values()) >= 10
    asked = {(pair.question, pair.answers, pair.answer) for pair in PAIRS}
    assert len(asked) == 100


def test_a_judge_that_judges_as_a_person_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    ScriptedChat(by_hand).register("judge")
    assert main(["--model", "judge", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["equivalent"]["mean"] == found["verdict"]["mean"] == 1
    assert found["equivalent"]["low"] == clopper_pearson(100, 100).low
    assert found["disagreements"] == []
    assert found["by_words"]["mean"] < 0.6  # exact match undercounts what these pairs show


def test_disagreements_are_listed_and_a_bad_output_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = ("list-2", "list-3", "list-4", "place-1")
    pairs = [pair for pair in PAIRS if pair.id in ids]
    monkeypatch.setattr(judge_check, "read_pairs", lambda: pairs)

    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        _, given = told(messages if len(messages) < 6 else messages[:-2])
        if given == "Danish":
            return GARBAGE
        return {"reason": "It seems so.", "verdict": "partly"}

    ScriptedChat(answer).register("judge")
    assert main(["--model", "judge"]) == 0
    out = capsys.readouterr().out
    # partly, different, equivalent (by its words, without a call), equivalent (no usable output)
    assert "equivalent or not: 75 %" in out
    assert "all three verdicts: 50 %" in out
    assert "by hand different, judged partly: It seems so." in out
    assert "by hand equivalent, judged not at all: " in out


def test_an_unusable_model_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--model", "nonsense"]) == 2
    assert capsys.readouterr().err.startswith("Error: The model 'nonsense' has no provider")
