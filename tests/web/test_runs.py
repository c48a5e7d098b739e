"""The events of a run, as a listener gets them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from hopyard.agent.session import open_session
from hopyard.nodes.resources import Resources
from hopyard.state.settings.given import Given
from hopyard.web import runs as web_runs
from hopyard.web.runs import Run, Runs


async def test_the_last_event_reaches_a_listener_that_was_busy_with_the_first() -> None:
    run = Run("t", "What is it?")
    heard = []
    async for happening in run.follow():
        heard.append(happening.kind)
        if happening.kind == "begin":
            run.tell("failed", {"text": "No."})
    assert heard == ["begin", "failed"]


async def test_the_run_that_ended_last_is_kept_longest(
    given: Given, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_runs, "_KEPT", 1)
    with Resources() as resources:
        async with open_session(resources) as session:
            runs = Runs(session, given, tmp_path)
            for thread in ("old", "other", "old", "new"):
                run = runs.ask("Which bridge?", thread=thread, changes={"strategy": 0})
                assert [told.kind async for told in run.follow()] == ["begin", "failed"]
            assert [name for name in ("old", "other", "new") if runs.of(name)] == ["old", "new"]


async def test_a_note_that_cannot_be_written_leaves_its_thread_free(
    given: Given, tmp_path: Path
) -> None:
    with Resources() as resources:
        async with open_session(resources) as session:
            runs = Runs(session, given, tmp_path / "missing")
            with pytest.raises(FileNotFoundError):
                runs.ask("Why?", thread="t")
            assert runs.of("t") is None


async def test_a_second_stop_does_not_break_off_the_end_of_the_first(
    given: Given, tmp_path: Path
) -> None:
    ended = asyncio.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            ended.set()

    with Resources() as resources:
        async with open_session(resources) as session:
            runs = Runs(session, given, tmp_path)
            run = Run("t", "Why?")
            run.task = asyncio.create_task(work())
            await asyncio.sleep(0)
            runs.abandon(run)
            await asyncio.sleep(0)
            runs.abandon(run)
            await asyncio.wait([run.task])
    assert ended.is_set()
