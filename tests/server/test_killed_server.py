"""A thread goes on after its server was killed and started again."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import Any

import pytest
from langgraph_sdk import get_client

from ..graphs.script import said, split
from .conftest import Server

pytestmark = pytest.mark.server


@pytest.mark.skipif("TEST_SCALE" not in os.environ, reason="a second start; `make test-scale`")
async def test_a_killed_server_goes_on_with_the_thread(comparison: Server) -> None:
    context: Any = comparison.context(seed=4, strategy="tree")
    question = "Which was built last, the Mill or the Barn?"
    parts = ["When was the Mill built?", "When was the Barn built?"]
    comparison.script.lines = {
        ("split", question): split(*parts),
        ("aggregate", question): said("The Barn"),
    }
    held, reached = threading.Event(), threading.Event()

    def hold(kind: str, asked: str) -> None:
        if (kind, asked) == ("aggregate", question) and not held.is_set():
            reached.set()
            held.wait(60)

    def calls() -> list[tuple[str, str]]:
        # A server that was killed also runs again what it had not yet noted as finished.
        return [call for call in comparison.script.asked if call[1] in {question, *parts}]

    comparison.script.before = hold
    try:
        async with get_client(url=comparison.address) as client:
            thread_id = (await client.threads.create())["thread_id"]
            await client.runs.create(
                thread_id, "hopyard", input={"question": question}, context=context
            )
            assert await asyncio.to_thread(reached.wait, 60)
        comparison.kill()
    finally:
        held.set()
    before = calls()
    assert before[-1] == ("aggregate", question)

    comparison.start()
    async with get_client(url=comparison.address) as client:
        # The server may have written down the thread and its run, or not yet; the steps it has.
        await client.threads.create(thread_id=thread_id, if_exists="do_nothing")
        await client.runs.wait(
            thread_id, "hopyard", input=None, context=context, multitask_strategy="enqueue"
        )
        state = await client.threads.get_state(thread_id)
    assert state["next"] == []
    assert state["values"]["answer"] == "The Barn"
    assert calls() == [*before, ("aggregate", question)]
