"""The thread store: threads in order, their size, copies that go another way."""

from __future__ import annotations

import asyncio
import operator
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import pytest
import pytest_asyncio
from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from hopyard.state.errors import HopyardError
from hopyard.state.storage.checkpoints import create, open_saver
from hopyard.state.storage.thread_store import SqliteThreadStore


class Notes(TypedDict):
    notes: Annotated[list[str], operator.add]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "threads.sqlite"


@pytest_asyncio.fixture
async def saver(
    place: Path | str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Any]:
    """A thread store of each kind."""
    if isinstance(place, str):
        monkeypatch.setenv("HOPYARD_THREADS", place)
    async with open_saver(path if isinstance(place, Path) else None) as opened:
        yield opened


def graph(saver: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
    """Two steps; the second waits for a word if a note asks for it."""

    def second(state: Notes) -> dict[str, Any]:
        return {"notes": [interrupt("?") if "wait" in state["notes"] else "second"]}

    notes = StateGraph(Notes)
    notes.add_node("first", lambda state: {"notes": ["first"]})
    notes.add_node("second", second)
    notes.add_edge(START, "first")
    notes.add_edge("first", "second")
    notes.add_edge("second", END)
    return notes.compile(checkpointer=saver)


def on(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


async def history(saver: Any, thread: str) -> list[Any]:
    return [state.values async for state in graph(saver).aget_state_history(on(thread))]


async def test_a_thread_that_is_deleted_under_a_run_does_not_come_back(saver: Any) -> None:
    """LangGraph's server deletes a thread although a run of it has not ended."""
    began, go_on = asyncio.Event(), asyncio.Event()

    async def first(_: Notes) -> dict[str, Any]:
        began.set()
        await go_on.wait()
        return {"notes": ["first"]}

    notes = StateGraph(Notes)
    notes.add_node("first", first)
    notes.add_node("second", lambda _: {"notes": ["second"]})
    notes.add_edge(START, "first")
    notes.add_edge("first", "second")
    held = notes.compile(checkpointer=saver)

    def run(name: str) -> Any:
        return {"configurable": {"thread_id": "a", "run_id": name}}

    running = asyncio.create_task(held.ainvoke({"notes": ["secret"]}, run("one")))
    await began.wait()
    await saver.adelete_thread("a")
    go_on.set()
    assert (await running)["notes"] == ["secret", "first", "second"]
    assert await saver.last_steps() == []
    assert await saver.thread_size("a") == 0
    await held.ainvoke({"notes": ["new"]}, run("two"))
    assert (await held.aget_state(on("a"))).values["notes"] == ["new", "first", "second"]


async def test_threads_are_listed_the_last_used_first(saver: Any) -> None:
    assert [name for name, _ in await saver.last_steps()] == []
    for thread in ("a", "b", "c", "a"):
        await graph(saver).ainvoke({"notes": []}, on(thread))
    assert [name for name, _ in await saver.last_steps()] == ["a", "c", "b"]


async def test_a_threads_size_counts_its_history(saver: Any) -> None:
    assert await saver.thread_size("a") == 0
    await graph(saver).ainvoke({"notes": ["x" * 10_000]}, on("a"))
    once = await saver.thread_size("a")
    await graph(saver).ainvoke({"notes": []}, on("a"))
    assert 0 < once < await saver.thread_size("a")


async def test_a_pruned_thread_continues_from_its_last_state(saver: Any) -> None:
    await graph(saver).ainvoke({"notes": ["wait"]}, on("a"))
    await graph(saver).ainvoke({"notes": []}, on("b"))
    whole = await saver.thread_size("a"), await saver.thread_size("b")
    await saver.aprune(["a"])
    assert len(await history(saver, "a")) == 1
    assert (await saver.thread_size("a") < whole[0], await saver.thread_size("b")) == (
        True,
        whole[1],
    )
    resumed = await graph(saver).ainvoke(Command(resume="word"), on("a"))
    assert resumed == {"notes": ["wait", "first", "word"]}
    await saver.aprune(["a"], strategy="delete")
    assert [name for name, _ in await saver.last_steps()] == ["b"]
    with pytest.raises(ValueError, match="keep_some"):
        await saver.aprune(["b"], strategy="keep_some")


async def test_a_copy_has_the_whole_history_and_goes_its_own_way(saver: Any) -> None:
    await graph(saver).ainvoke({"notes": ["one"]}, on("a"))
    await saver.acopy_thread("a", "b")
    before = await history(saver, "a")
    assert len(before) == 4
    assert await history(saver, "b") == before
    await graph(saver).ainvoke({"notes": ["two"]}, on("b"))
    assert await history(saver, "a") == before
    await saver.adelete_thread("a")
    notes = (await graph(saver).aget_state(on("b"))).values["notes"]
    assert notes == ["one", "first", "second", "two", "first", "second"]


async def test_a_copy_of_an_unfinished_thread_can_be_resumed(saver: Any) -> None:
    await graph(saver).ainvoke({"notes": ["wait"]}, on("a"))
    await saver.acopy_thread("a", "b")
    state = await graph(saver).aget_state(on("b"))
    assert state.next == ("second",)
    result = await graph(saver).ainvoke(Command(resume="told"), on("b"))
    assert result["notes"] == ["wait", "first", "told"]
    assert (await graph(saver).aget_state(on("a"))).next == ("second",)


async def test_a_copy_is_whole_or_not_there(saver: Any) -> None:
    await graph(saver).ainvoke({"notes": ["one"]}, on("a"))
    await saver.acopy_thread("a", "b")
    await saver.conn.execute("DELETE FROM checkpoints WHERE thread_id = 'b'")
    if hasattr(saver.conn, "in_transaction"):
        await saver.conn.commit()
    # The second table still has rows of that name.
    with pytest.raises((sqlite3.IntegrityError, HopyardError)):
        await saver.acopy_thread("a", "b")
    await graph(saver).ainvoke({"notes": ["more"]}, on("a"))
    assert [name for name, _ in await saver.last_steps()] == ["a"]


async def test_a_thread_outlives_the_store(path: Path) -> None:
    for _ in range(2):
        async with open_saver(path) as saver:
            await graph(saver).ainvoke({"notes": ["x"]}, on("a"))
    async with open_saver(path) as saver:
        notes = (await graph(saver).aget_state(on("a"))).values["notes"]
    assert notes == ["x", "first", "second"] * 2


async def waiting(saver: Any) -> RunnableConfig:
    """The last checkpoint of a thread that waits for a word."""
    await graph(saver).ainvoke({"notes": ["wait"]}, on("a"))
    found = await saver.aget_tuple(on("a"))
    assert found
    config: RunnableConfig = found.config
    return config


def assert_written_once(path: Path) -> None:
    """By the task `task`; and nobody holds the file."""
    with closing(sqlite3.connect(path, timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")
        [[written]] = other.execute("SELECT COUNT(*) FROM writes WHERE task_id = 'task'")
    assert written == 1


async def test_a_cancelled_write_is_whole_and_leaves_no_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_saver(path) as saver:
        config = await waiting(saver)
        reached, go_on = asyncio.Event(), asyncio.Event()
        commit = saver.conn.commit

        async def late() -> None:
            reached.set()
            await go_on.wait()
            await commit()

        monkeypatch.setattr(saver.conn, "commit", late)
        writing = asyncio.create_task(saver.aput_writes(config, [("notes", "x")], "task"))
        await reached.wait()
        writing.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await writing
        assert_written_once(path)


async def test_a_store_that_is_closed_ends_its_writes_first(path: Path) -> None:
    async with open_saver(path) as saver:
        config = await waiting(saver)
        writing = asyncio.create_task(saver.aput_writes(config, [("notes", "x")], "task"))
        await asyncio.sleep(0)
        writing.cancel()
    assert_written_once(path)
    with pytest.raises(asyncio.CancelledError):
        await writing
    with pytest.raises(asyncio.CancelledError):
        await saver.aput_writes(config, [("notes", "y")], "later")


async def test_two_stores_write_side_by_side(path: Path) -> None:
    async with open_saver(path) as one, open_saver(path) as other:
        await asyncio.gather(
            *(
                graph(saver).ainvoke({"notes": []}, on(f"{name}{number}"))
                for name, saver in (("a", one), ("b", other))
                for number in range(10)
            )
        )
        assert len(await one.last_steps()) == 20


async def test_a_write_waits_for_its_turn_among_many(path: Path) -> None:
    async with open_saver(path) as saver:
        await saver.conn.execute("PRAGMA busy_timeout=1")  # SQLite itself has given up at once
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            written = asyncio.create_task(graph(saver).ainvoke({"notes": []}, on("a")))
            await asyncio.sleep(0.3)
            assert not written.done()
            other.execute("ROLLBACK")
            assert (await written)["notes"] == ["first", "second"]
            found = await saver.aget_tuple(on("a"))
            assert found
            other.execute("BEGIN IMMEDIATE")
            put = asyncio.create_task(saver.aput_writes(found.config, [("notes", "x")], "task"))
            await asyncio.sleep(0.1)
            assert not put.done()
            other.execute("ROLLBACK")
            await put
            [[kept]] = other.execute("SELECT COUNT(*) FROM writes WHERE task_id = 'task'")
            assert kept == 1


async def test_the_servers_store_is_the_users(home: Path) -> None:
    async with create() as saver:
        await graph(saver).ainvoke({"notes": []}, on("a"))
    assert (home / "threads.sqlite").exists()


async def test_the_servers_store_deletes_without_a_pause(
    home: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a pause LangGraph's development server removes the thread of another run."""
    async with create() as saver:
        await graph(saver).ainvoke({"notes": []}, on("a"))
        with pytest.raises(StopIteration):
            saver.adelete_thread("a").__await__().send(None)
    async with open_saver() as saver:
        assert await saver.last_steps() == []

    async def fail(*_: object) -> None:
        raise HopyardError("the disk is full")

    monkeypatch.setattr(SqliteThreadStore, "adelete_thread", fail)
    async with create() as saver:
        await saver.adelete_thread("a")
    assert "still in the thread store: the disk is full" in caplog.text


class _Parts(TypedDict, total=False):
    left: str
    right: str


async def test_a_task_whose_edge_fails_runs_again_with_its_edge(tmp_path: Path) -> None:
    """What LangGraph saves of such a task is its output, without the way to the next one."""
    ways = iter([RuntimeError("cut off"), "second"])

    def way(_: _Parts) -> str:
        found = next(ways)
        if isinstance(found, RuntimeError):
            raise found
        return found

    graph = StateGraph(_Parts)
    graph.add_node("first", lambda _: {"left": "a"})
    graph.add_node("second", lambda _: {"right": "b"})
    graph.add_edge(START, "first")
    graph.add_conditional_edges("first", way, ["second"])
    config = RunnableConfig(configurable={"thread_id": "t"})
    async with open_saver(tmp_path / "threads.sqlite") as saver:
        compiled = graph.compile(checkpointer=saver)
        with pytest.raises(RuntimeError, match="cut off"):
            await compiled.ainvoke({}, config, durability="sync")
        assert await compiled.ainvoke(None, config) == {"left": "a", "right": "b"}
