"""Runs on LangGraph's server that a second message, a person or a client ends."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from contextlib import closing
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

from .conftest import IRON, Server

pytestmark = pytest.mark.server

FIRST = "When was the first pier built?"
SECOND = "When was the second pier built?"


async def held_run(client: LangGraphClient, server: Server, thread_id: str, seed: int) -> Any:
    """A run about the first pier whose model call has begun, and what lets it go on."""
    reached, go_on = threading.Event(), threading.Event()

    def hold(kind: str, asked: str) -> None:
        if asked == FIRST and not go_on.is_set():
            reached.set()
            go_on.wait(60)

    server.script.before = hold
    context: Any = server.context(seed=seed, strategy="single")
    run = await client.runs.create(thread_id, "hopyard", input={"question": FIRST}, context=context)
    assert await asyncio.to_thread(reached.wait, 60)
    return run["run_id"], context, go_on


async def said_on(client: LangGraphClient, thread_id: str) -> list[str]:
    state = await client.threads.get_state(thread_id)
    return [message["content"] for message in state["values"]["messages"]]


async def test_a_second_message_rolls_the_first_back(
    client: LangGraphClient, comparison: Server
) -> None:
    thread_id = (await client.threads.create())["thread_id"]
    run_id, context, go_on = await held_run(client, comparison, thread_id, 51)
    try:
        answer: Any = await client.runs.wait(
            thread_id,
            "hopyard",
            input={"question": SECOND},
            context=context,
            multitask_strategy="rollback",
        )
    finally:
        go_on.set()
    assert answer["answer"] == f"read: {SECOND}"
    assert await said_on(client, thread_id) == [SECOND, f"read: {SECOND}"]
    runs = await client.runs.list(thread_id)
    assert [run["status"] for run in runs] == ["success"]
    assert run_id not in {run["run_id"] for run in runs}
    assert (await client.threads.get(thread_id))["status"] == "idle"


async def test_a_cancelled_run_is_rolled_back_and_a_run_can_be_deleted(
    client: LangGraphClient, comparison: Server
) -> None:
    thread_id = (await client.threads.create())["thread_id"]
    context: Any = comparison.context(seed=52, strategy="single")
    comparison.script.lines["rewrite", FIRST] = {"question": FIRST}
    await client.runs.wait(thread_id, "hopyard", input={"question": SECOND}, context=context)
    run_id, _, go_on = await held_run(client, comparison, thread_id, 52)
    try:
        await client.runs.cancel(thread_id, run_id, wait=True, action="rollback")
    finally:
        go_on.set()
    assert await said_on(client, thread_id) == [SECOND, f"read: {SECOND}"]
    [run] = await client.runs.list(thread_id)
    await client.runs.delete(thread_id, run["run_id"])
    assert await client.runs.list(thread_id) == []
    await client.runs.wait(thread_id, "hopyard", input={"question": IRON}, context=context)
    assert (await said_on(client, thread_id))[-2:] == [IRON, f"read: {IRON}"]


async def test_a_pruned_thread_leaves_the_store(
    client: LangGraphClient, comparison: Server
) -> None:
    """With "delete". The development server refuses "keep_latest" itself, which changes nothing."""
    thread_id = (await client.threads.create())["thread_id"]
    context: Any = comparison.context(seed=53, strategy="single")
    await client.runs.wait(thread_id, "hopyard", input={"question": SECOND}, context=context)

    def rows() -> int:
        count = "SELECT COUNT(*) FROM checkpoints WHERE thread_id = ?"
        with closing(sqlite3.connect(comparison.folder / "home" / "threads.sqlite")) as store:
            return int(store.execute(count, (thread_id,)).fetchone()[0])

    assert (whole := rows()) > 5
    with pytest.raises(UnprocessableEntityError, match="keep_latest strategy is not supported"):
        await client.threads.prune([thread_id], strategy="keep_latest")
    assert rows() == whole
    assert await client.threads.prune([thread_id]) == {"pruned_count": 1}
    for _ in range(100):  # the store deletes after the server has answered
        if rows():
            await asyncio.sleep(0.1)
    assert rows() == 0
    with pytest.raises(NotFoundError):
        await client.threads.get(thread_id)
