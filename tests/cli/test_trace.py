"""`hopyard trace`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from .conftest import QUESTION, Run


@pytest.fixture
def asked(hopyard: Run, index: Path, model: ModelServer) -> None:
    """A finished thread."""
    usual = model.answer
    model.answer = lambda title, messages: (
        {"answer": "two moons"} if title == "Answer" else usual(title, messages)
    )
    assert hopyard("ask", QUESTION, "-i", index, "-t", "mine").code == 0


def test_it_draws_the_run(hopyard: Run, asked: None) -> None:
    ended = hopyard("trace", "mine")
    assert ended.code == 0
    for part in (QUESTION, "→ two moons", "Route: single", "“Mars has two moons", "thread mine"):
        assert part in ended.out


def test_it_writes_a_page(hopyard: Run, asked: None, folder: Path) -> None:
    ended = hopyard("trace", "mine", "--html", "page.html")
    assert (ended.code, ended.out) == (0, "page.html written\n")
    assert QUESTION in (folder / "page.html").read_text(encoding="utf-8")


def test_it_prints_json(hopyard: Run, asked: None) -> None:
    trace = hopyard("trace", "mine", "--json").json
    assert (trace["question"], trace["answer"], trace["model"]) == (
        QUESTION,
        "two moons",
        "scripted",
    )
    [cited] = trace["citations"]
    assert (cited["reference"], cited["passage_id"]) == ("Mars", "mars")
    calls = [call for step in steps_of(trace) for call in step["calls"]]
    assert [call["prompt"] for call in calls] == ["route", "answer"]
    assert all(call["messages"] and call["output"] for call in calls)


def steps_of(trace: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for step in trace["steps"]:
        yield step
        yield from steps_of(step)


def test_an_earlier_question_is_drawn(hopyard: Run, asked: None, model: ModelServer) -> None:
    model.answer = lambda title, messages: {
        "StandAlone": {"question": "How many moons does Venus have?"},
        "Route": {"strategy": "single"},
        "Answer": {"answer": "none"},
    }[title]
    assert hopyard("ask", "And Venus?", "-t", "mine").code == 0
    assert "→ none" in hopyard("trace", "mine").out
    first = hopyard("trace", "mine", "--question", "1")
    assert "→ two moons" in first.out
    assert "none" not in first.out
    missing = hopyard("trace", "mine", "--question", "3")
    assert missing.code == 2
    assert "it has 2" in missing.error


def test_json_and_html_do_not_go_together(hopyard: Run) -> None:
    assert "leave out" in hopyard("trace", "mine", "--json", "--html", "x").error


def test_a_file_that_cannot_be_written_is_named(hopyard: Run, asked: None) -> None:
    ended = hopyard("trace", "mine", "--html", "missing/page.html")
    assert ended.code == 1
    assert "missing/page.html" in ended.error


def test_a_thread_that_is_not_there_is_named(hopyard: Run, home: Path) -> None:
    ended = hopyard("trace", "nowhere")
    assert ended.code == 2
    assert "'nowhere'" in ended.error
