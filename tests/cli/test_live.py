"""Live output: each step on one line, once; and a run is not left behind when showing it fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from hopyard.agent.events import Event
from hopyard.cli import live
from hopyard.state.schemas import Step

SEARCH = Step(id="search", kind="search", question="Q?")
READ = Step(id="read", kind="read", title="Answer", answer="a\x1b[2J\nb")


async def lines(capsys: pytest.CaptureFixture[str], *events: Event) -> list[str]:
    async def run() -> AsyncGenerator[Event, None]:
        for event in events:
            yield event

    await live.follow(run(), steps=True, tokens=False)
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (Event("", "gate", {"gate": None}), "Gate: off"),
        (Event("", "route", {"route": None}), "Route: tree · model"),
        (Event("", "receive", {}), "receive"),
        (Event("single", "start", {}), "single · start"),
        (Event("direct", "answer", {"answer": "Severn"}), "direct · answer: Severn"),
        (Event("single", "search", {}, [SEARCH]), "single · Search: Q?"),
        (Event("single", "answer", {"answer": "a"}, [READ]), "single · Answer → a [2J b"),
    ],
)
async def test_a_step_is_one_line(
    capsys: pytest.CaptureFixture[str], event: Event, line: str
) -> None:
    decisions: dict[str, Any] = {
        "gate": {"gate": "off", "probability": None, "retrieve": None, "reason": "no gate"},
        "route": {"strategy": "tree", "by": "model", "probability": None, "reason": "it compares"},
    }
    event.update.update({key: decisions[key] for key in event.update if key in decisions})
    assert await lines(capsys, event) == [line]


async def test_an_update_that_repeats_steps_tells_only_what_is_new(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = Step(id="tree-1", kind="question", title="How long is it?", verdict="open")
    answered = asked | {"answer": "354 km", "verdict": "leaf"}
    assert await lines(
        capsys,
        Event("tree", "decompose", {}, [asked]),
        Event("tree", "answer", {}, [asked, SEARCH]),
        Event("tree", "judge", {}, [answered]),
        Event("tree", "aggregate", {"answer": "it"}, [answered, SEARCH, READ]),
        Event("", "tree", {"answer": "it"}, [answered, SEARCH, READ]),
    ) == [
        "tree · How long is it? · open",
        "tree · Search: Q?",
        "tree · How long is it? → 354 km · leaf",
        "tree · Answer → a [2J b",
        "tree: it",
    ]


async def test_a_run_is_closed_when_showing_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = asyncio.Event()

    async def run() -> AsyncGenerator[Event, None]:
        try:
            yield Event("hopyard", "route", {})
            raise AssertionError("nobody asks for more")
        finally:
            closed.set()

    def pipe_is_gone(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(live.err, "print", pipe_is_gone)
    with pytest.raises(BrokenPipeError):
        await live.follow(run(), steps=True, tokens=False)
    assert closed.is_set()
