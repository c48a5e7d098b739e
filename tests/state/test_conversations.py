"""Conversations in the thread store: written once, read whole, deleted with what named them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiosqlite
import pytest_asyncio
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

from hopyard.state.storage.checkpoints import FileLocks, open_saver
from hopyard.state.storage.thread_store import SqliteThreadStore

WORDS = ("apple", "birch", "cedar", "dwarf pine", "elder", "fir", "gorse", "hazel")


@pytest_asyncio.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteThreadStore]:
    async with open_saver(tmp_path / "threads.sqlite") as opened:
        yield opened


def reply(state: MessagesState) -> dict[str, Any]:
    asked = state["messages"][-1]
    return {"messages": [AIMessage(f"about {asked.text}", id=f"to-{asked.id}")]}


def chat(saver: AsyncSqliteSaver) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Answers each message, in a graph within the graph."""
    inner = StateGraph(MessagesState).add_node("reply", reply)
    inner.add_edge(START, "reply")
    inner.add_edge("reply", END)
    outer = StateGraph(MessagesState).add_node("inner", inner.compile())
    outer.add_edge(START, "inner")
    outer.add_edge("inner", END)
    return outer.compile(checkpointer=saver)


def on(thread: str, **more: Any) -> Any:
    return {"configurable": {"thread_id": thread}, **more}


def said(word: str) -> Any:
    return {"messages": [HumanMessage(word, id=word, additional_kwargs={"pair": (1, 2)})]}


async def tell(saver: AsyncSqliteSaver, thread: str, *words: str, **more: Any) -> None:
    for word in words:
        await chat(saver).ainvoke(said(word), on(thread, **more))


async def texts(saver: AsyncSqliteSaver, thread: str) -> list[str]:
    messages: list[AnyMessage] = (await chat(saver).aget_state(on(thread))).values["messages"]
    return [message.text for message in messages]


async def rows(saver: AsyncSqliteSaver, thread: str) -> int:
    sql = "SELECT COUNT(*) FROM messages WHERE thread_id = ?"
    return int(next(iter(await saver.conn.execute_fetchall(sql, (thread,))))[0])


async def test_each_message_is_written_once(store: SqliteThreadStore) -> None:
    builder = StateGraph(MessagesState).add_node("reply", reply)
    builder.add_edge(START, "reply")
    builder.add_edge("reply", END)
    flat, sizes = builder.compile(checkpointer=store), [0]
    for word in WORDS * 4:
        await flat.ainvoke(said(f"{word} {len(sizes):02}"), on("a"))
        sizes.append(await store.thread_size("a"))
    growth = [after - before for before, after in pairwise(sizes[1:])]
    assert await rows(store, "a") == 64
    assert max(growth[-8:]) <= max(growth[:8]) * 1.02
    assert len(await texts(store, "a")) == 64


async def test_every_step_of_the_history_has_its_own_messages(store: SqliteThreadStore) -> None:
    await tell(store, "a", "apple", "birch")
    steps = [
        [message.text for message in state.values.get("messages", [])]
        async for state in chat(store).aget_state_history(on("a"))
    ]
    two = ["apple", "about apple"]
    assert steps == [[*two, "birch", "about birch"], [*two, "birch"], two, two, ["apple"], []]
    saved = [tuple_ async for tuple_ in store.alist(None)]
    assert not any("messages" in key for each in saved for key in each.metadata)
    inner = [
        each.checkpoint["channel_values"]["__start__"]["messages"]
        for each in saved
        if each.config["configurable"]["checkpoint_ns"] and each.metadata["source"] == "input"
    ]
    assert [len(messages) for messages in inner] == [3, 1]


async def test_a_changed_message_leaves_the_earlier_steps(store: SqliteThreadStore) -> None:
    await tell(store, "a", "apple", "birch")
    before = (await chat(store).aget_state(on("a"))).config
    changes = [HumanMessage("ash", id="apple"), RemoveMessage(id="birch")]
    await chat(store).aupdate_state(on("a"), {"messages": changes})
    assert await texts(store, "a") == ["ash", "about apple", "about birch"]
    earlier = (await chat(store).aget_state(before)).values["messages"]
    assert [each.text for each in earlier] == ["apple", "about apple", "birch", "about birch"]


async def test_odd_characters_of_a_message_stay(store: SqliteThreadStore) -> None:
    builder = StateGraph(MessagesState).add_node("reply", reply)
    flat = builder.add_edge(START, "reply").compile(checkpointer=store)
    for word in ("a\0b", "\U0001f600", "\u2028"):
        await flat.ainvoke(said(word), on("a"))
    asked = [message.text for message in (await flat.aget_state(on("a"))).values["messages"]][::2]
    assert asked == ["a\0b", "\U0001f600", "\u2028"]


async def test_a_copy_has_its_own_messages(store: SqliteThreadStore) -> None:
    await tell(store, "a", "apple")
    await store.acopy_thread("a", "b")
    await tell(store, "b", "birch")
    await store.adelete_thread("a")
    assert await rows(store, "a") == 0
    assert await texts(store, "b") == ["apple", "about apple", "birch", "about birch"]


async def test_messages_go_with_the_last_checkpoint_that_has_them(
    store: SqliteThreadStore, tmp_path: Path
) -> None:
    await tell(store, "a", "apple", metadata={"run_id": "1"})
    await tell(store, "a", "birch", metadata={"run_id": "2"})
    await tell(store, "b", "birch", metadata={"run_id": "3"})
    await store.adelete_for_runs(["2"])
    assert await texts(store, "a") == ["apple", "about apple"]
    assert (await rows(store, "a"), await rows(store, "b")) == (2, 2)
    await store.aprune(["a"])
    assert await texts(store, "a") == ["apple", "about apple"]
    await store.adelete_thread("b")
    await store.scrub()
    assert await rows(store, "b") == 0
    assert b"birch" not in (tmp_path / "threads.sqlite").read_bytes()


async def test_every_method_may_be_the_first(tmp_path: Path) -> None:
    for number, first in enumerate(
        (
            lambda saver: saver.adelete_thread("a"),
            lambda saver: saver.adelete_for_runs(["1"]),
            lambda saver: saver.aprune(["a"]),
            lambda saver: saver.acopy_thread("a", "b"),
            lambda saver: saver.aget_tuple(on("a")),
        )
    ):
        async with aiosqlite.connect(tmp_path / f"{number}.sqlite") as connection:
            assert await first(SqliteThreadStore(connection, FileLocks(tmp_path))) is None


async def test_a_hash_needs_the_key_where_there_is_one(tmp_path: Path) -> None:
    found = set()
    for number, key in enumerate((b"", bytes([1]) * 32, bytes([2]) * 32)):
        async with aiosqlite.connect(tmp_path / f"{number}.sqlite") as connection:
            store = SqliteThreadStore(connection, FileLocks(tmp_path), key)
            await tell(store, "a", "apple")
            found |= {
                row[0] for row in await connection.execute_fetchall("SELECT id FROM messages")
            }
            assert await texts(store, "a") == ["apple", "about apple"]
            await store.end()
    assert len(found) == 3 * 2
