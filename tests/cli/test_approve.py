"""Approvals on the command line: asked in a terminal, or left waiting for `resume --answer`."""

from __future__ import annotations

import io
import json
import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from approvals import action, edit, proposed
from model_server import ModelServer

from hopyard.cli import run_thread

from .conftest import Ended, Run

QUESTION = "Which has more moons, Mars or Venus?"
MARS, VENUS = "How many moons does Mars have?", "How many moons does Venus have?"
ASK = ("ask", QUESTION, "-s", "tree", "--approve", "decomposition", "-t", "mine")


@pytest.fixture(autouse=True)
def two_halves(model: ModelServer) -> None:
    usual = model.answer

    def answer(title: str, messages: list[dict[str, object]]) -> object:
        if title == "Route":
            return {"strategy": "tree"}
        if title == "Decomposition" and str(messages[-1]["content"]).endswith(QUESTION):
            return {"kind": "compound", "first": MARS, "second": VENUS}
        return {"answer": "two"} if title == "Answer" else usual(title, messages)

    model.answer = answer  # type: ignore[assignment]


Terminal = Callable[..., None]


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Somebody sits at the terminal, and types these lines."""

    def lines(*lines: str) -> None:
        monkeypatch.setattr(run_thread, "can_ask", lambda: True)
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))

    return lines


def questions(ended: Ended) -> list[str]:
    assert ended.code == 0, ended.err
    return [step["question"] for step in ended.json["steps"] if step["kind"] == "question"]


def shown(hopyard: Run) -> list[str]:
    return questions(hopyard("threads", "show", "mine", "--json"))


def test_where_nobody_can_be_asked_the_thread_waits(
    hopyard: Run, index: Path, model: ModelServer
) -> None:
    ended = hopyard(*ASK, "-i", index, "--json")
    assert ended.code == 5
    [asked] = ended.json["waiting"]
    assert (action(asked), proposed(asked)) == ("decomposition", [MARS, VENUS])
    assert ended.json["thread_id"] == "mine"
    assert ended.json["answer"] == ""
    assert "hopyard resume mine --answer approve" in ended.err
    assert asked["id"] in ended.err
    assert model.titles() == ["Decomposition", "Rubric"]
    assert hopyard("ask", "Another?", "-i", index, "-t", "mine").code == 2
    listed = hopyard("threads", "list", "--json").json["threads"]
    assert (listed[0]["finished"], listed[0]["waiting"]) == (False, True)
    assert "waiting for" in hopyard("threads", "list").out
    assert "hopyard resume mine --answer approve" in hopyard("threads", "show", "mine").err

    again = hopyard("resume", "mine", "--json")
    assert (again.code, again.json["waiting"]) == (5, [asked])
    done = hopyard("resume", "mine", "--answer", "approve", "--json")
    assert questions(done) == [QUESTION, MARS, VENUS]
    assert "waiting" not in done.json
    assert model.titles().count("Decomposition") == 3  # the question's, then each half's


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ('{"sub_questions": ["A?", "B?"]}', [QUESTION, "A?", "B?"]),
        (json.dumps(edit("decomposition", sub_questions=["A?", "B?"])), [QUESTION, "A?", "B?"]),
        ("reject", [QUESTION]),
        ('"reject"', [QUESTION]),
    ],
)
def test_an_answer_on_the_command_line(
    hopyard: Run, index: Path, answer: str, asked: list[str]
) -> None:
    hopyard(*ASK, "-i", index)
    assert questions(hopyard("resume", "mine", "--answer", answer, "--json")) == asked


def test_an_answer_by_id_and_several_kinds_of_approval(hopyard: Run, index: Path) -> None:
    ended = hopyard(
        *("ask", QUESTION, "-i", index, "--approve", "route,decomposition"), "-t", "mine", "--json"
    )
    [route] = ended.json["waiting"]
    assert (action(route), proposed(route)) == ("route", "tree")
    ended = hopyard("resume", "mine", "--answer", json.dumps({route["id"]: "approve"}), "--json")
    assert ended.code == 5
    assert action(ended.json["waiting"][0]) == "decomposition"
    ended = hopyard("resume", "mine", "--answer", "approve", "--json")
    assert (ended.code, ended.json["strategy"]) == (0, "tree")


@pytest.mark.parametrize("answer", ["", "{", '["A?"', '"'])
def test_an_answer_that_is_no_json_is_refused(hopyard: Run, index: Path, answer: str) -> None:
    hopyard(*ASK, "-i", index)
    ended = hopyard("resume", "mine", "--answer", answer)
    assert ended.code == 2
    assert "--answer" in ended.error


def test_a_wrong_kind_of_approval_is_named(hopyard: Run, index: Path) -> None:
    ended = hopyard("ask", QUESTION, "-i", index, "--approve", "everything")
    assert ended.code == 2
    assert "'decomposition'" in ended.error


@pytest.mark.parametrize(
    ("lines", "asked"),
    [
        (["y"], [QUESTION, MARS, VENUS]),
        ([""], [QUESTION, MARS, VENUS]),
        (["e", "A?", ""], [QUESTION, "A?", VENUS]),
        (["w"], [QUESTION]),
    ],
)
def test_in_a_terminal_it_is_asked(
    hopyard: Run, index: Path, typed: Terminal, lines: list[str], asked: list[str]
) -> None:
    typed(*lines)
    ended = hopyard(*ASK, "-i", index)
    assert ended.code == 0
    assert MARS in ended.err + ended.out
    assert shown(hopyard) == asked


def test_in_a_terminal_the_route_is_asked_until_it_fits(
    hopyard: Run, index: Path, typed: Terminal
) -> None:
    typed("nonsense", "single")
    ended = hopyard("ask", QUESTION, "-i", index, "--approve", "route", "-t", "mine")
    assert ended.code == 0
    assert "'nonsense' is no strategy" in ended.err
    assert hopyard("threads", "show", "mine", "--json").json["strategy"] == "single"


def test_whoever_goes_away_leaves_it_waiting(hopyard: Run, index: Path, typed: Terminal) -> None:
    typed()
    ended = hopyard(*ASK, "-i", index)
    assert ended.code == 130
    assert "hopyard resume mine" in ended.err
    typed("y")
    assert hopyard("resume", "mine").code == 0
    assert shown(hopyard) == [QUESTION, MARS, VENUS]


@pytest.mark.parametrize("terminal", [True, False])
def test_only_somebody_at_a_terminal_is_asked(
    terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = pty.openpty() if terminal else os.pipe()
    with os.fdopen(reading) as stdin, os.fdopen(writing, "w") as stderr:
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(sys, "stderr", stderr)
        assert run_thread.can_ask() is terminal
