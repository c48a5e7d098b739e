"""The loop of the Python API: one run cannot end the others."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor

import pytest

from hopyard.agent.background import stream, wait


def test_a_step_that_exits_leaves_the_other_runs_alone() -> None:
    begun, exited = threading.Event(), threading.Event()

    async def slow() -> str:
        begun.set()
        await asyncio.to_thread(exited.wait)
        return "done"

    async def leave() -> None:
        raise SystemExit(3)

    async def step_that_exits() -> None:
        await asyncio.create_task(leave())

    with ThreadPoolExecutor(1) as threads:
        other = threads.submit(wait, slow())
        begun.wait()
        with pytest.raises(SystemExit):
            wait(step_that_exits())
        exited.set()
        assert other.result() == "done"


def test_a_stream_that_is_closed_early_finishes_its_writes() -> None:
    written = []

    async def items() -> AsyncGenerator[int, None]:
        try:
            yield 1
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            written.append("whole")

    found = stream(items())
    assert next(found) == 1
    found.close()
    assert written == ["whole"]
