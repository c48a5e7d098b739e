"""`hopyard trace`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from hopyard.cli import trace as command

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
    ended = hopyard("trace", "mine", "--html", "page.html", "--follow")
    assert (ended.code, ended.out) == (0, "page.html written\n")
    written = (folder / "page.html").read_text(encoding="utf-8")
    assert QUESTION in written
    assert 'http-equiv="refresh"' not in written


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


@pytest.mark.parametrize(
    "more", [["--json", "--follow"], ["--follow", "-q", "1"], ["--json", "--html", "x"]]
)
def test_what_does_not_go_together_is_named(hopyard: Run, more: list[str]) -> None:
    assert "leave out" in hopyard("trace", "mine", *more).error


def test_a_file_that_cannot_be_written_is_named(hopyard: Run, asked: None) -> None:
    ended = hopyard("trace", "mine", "--html", "missing/page.html")
    assert ended.code == 1
    assert "missing/page.html" in ended.error


def test_a_thread_that_is_not_there_is_named(hopyard: Run, home: Path) -> None:
    ended = hopyard("trace", "nowhere")
    assert ended.code == 2
    assert "'nowhere'" in ended.error


def test_follow_looks_until_the_thread_has_finished(
    hopyard: Run,
    index: Path,
    model: ModelServer,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from model_server import Reply

    usual = model.answer
    model.answer = lambda title, messages: (
        Reply(401) if title == "Answer" else usual(title, messages)
    )
    assert hopyard("ask", QUESTION, "-i", index, "-t", "mine").code == 4
    model.answer = usual
    seen: list[str] = []
    inodes: list[int] = []
    sleep = asyncio.sleep

    async def go_on(seconds: float) -> None:
        """In the place of the pause: the run continues elsewhere meanwhile."""
        from hopyard.agent.session import open_session

        if seconds != command.PAUSE:  # others sleep too: a store that is busy is tried again
            await sleep(seconds)
            return
        seen.append((folder / "page.html").read_text(encoding="utf-8"))
        inodes.append((folder / "page.html").stat().st_ino)
        async with open_session() as session:
            async for _event in session.resume("mine"):
                pass

    monkeypatch.setattr(asyncio, "sleep", go_on)
    asyncio.run(command._write("mine", Path("page.html"), follow=True))
    monkeypatch.undo()
    assert len(seen) == 1
    assert 'http-equiv="refresh"' in seen[0]
    assert '"finished": false' in seen[0]
    assert '"finished": true' in (folder / "page.html").read_text(encoding="utf-8")
    # A browser that loads the page meanwhile has one or the other, and never a part.
    assert (folder / "page.html").stat().st_ino != inodes[0]
    assert [file.name for file in folder.glob("page.html*")] == ["page.html"]
