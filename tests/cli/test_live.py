"""What shows a run: it may fail, and must not leave the run behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from hopyard.agent.events import Event
from hopyard.cli import live


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
