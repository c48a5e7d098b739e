"""Threads and ledger in Postgres: several processes, kills, and a server that goes away."""

from __future__ import annotations

import asyncio
import itertools
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from commands import Command
from langgraph.checkpoint.base.id import uuid6
from model_server import ModelServer
from postgres_server import OWN, PostgresServer

from hopyard.agent.session import open_session
from hopyard.models.ledger import open_ledger
from hopyard.state.errors import HopyardError, ThreadBusyError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.storage.addresses import THREADS_VARIABLE
from hopyard.state.storage.checkpoints import open_saver
from hopyard.state.storage.serializer import KEY_VARIABLE

from ...graphs.script import said
from ..test_savers import KEY, TOLD, _ask, single
from .conftest import MODELS, TREE, TREE_QUESTION, Start

__all__ = ("single",)


@contextmanager
def halted(server: ModelServer, start: Start) -> Iterator[Command]:
    """A question on the machine `one` whose model has answered some calls and halts in others."""
    answer, go_on, calls = server.answer, threading.Event(), itertools.count()

    def halting(title: str, messages: list[dict[str, Any]]) -> Any:
        if next(calls) >= 4:
            go_on.wait(60)
        return answer(title, messages)

    server.answer = halting
    asked = start("one")
    while len(server.calls) < 5:
        time.sleep(0.01)
    yield asked
    go_on.set()


def test_two_machines_that_ask_the_same_pay_once(
    start: Start, index: Path, model_server: ModelServer
) -> None:
    model_server.delay = 0.1
    ask = ("ask", TREE_QUESTION, "-i", str(index), *TREE, *MODELS)
    asked = [start(machine, *ask, "-t", machine) for machine in ("one", "two")]
    ended = [command.end() for command in asked]
    assert [each.code for each in ended] == [0, 0], ended
    usage = [each.json["usage"] for each in ended]
    assert ended[0].json["answer"] == ended[1].json["answer"]
    assert sum(each["model_calls"] for each in usage) == len(model_server.calls)
    whole = usage[0]["model_calls"] + usage[0]["cached_calls"]
    assert len(model_server.calls) == whole == usage[1]["model_calls"] + usage[1]["cached_calls"]


def test_a_killed_machines_thread_goes_on_elsewhere(
    start: Start, model_server: ModelServer
) -> None:
    with halted(model_server, start) as killed:
        busy = start("two", "resume", "t", "--json").end()
        assert (busy.code, f"is running in process {killed.pid} on " in busy.err) == (1, True), busy
        killed.kill()
        before = [call.turn for call in model_server.calls]
    ended = start("two", "resume", "t", "--json").end()
    assert ended.code == 0, ended
    after = [call.turn for call in model_server.calls][len(before) :]
    assert set(before[:4]).isdisjoint(after), "a finished call was repeated"
    assert set(before[4:]) <= set(after)
    assert ended.json["usage"]["model_calls"] == len({*before, *after})


@pytest.mark.skipif(bool(OWN), reason="another's server is not stopped")
async def test_a_server_that_comes_back_in_the_middle_of_a_question(
    place: str, postgres: PostgresServer, single: Context, model_server: ModelServer
) -> None:
    answer = model_server.answer

    def restarting(title: str, messages: list[dict[str, Any]]) -> Any:
        postgres.stop()
        threading.Timer(0.5, postgres.start).start()
        return answer(title, messages)

    model_server.answer = restarting
    await _ask(single)
    async with open_session() as session:
        assert (await session.result("t"))["usage"]["model_calls"] == 1
    assert len(model_server.calls) == 1


@pytest.mark.skipif(bool(OWN), reason="another's server is not stopped")
async def test_a_server_that_stays_away_ends_the_question_which_goes_on_later(
    place: str,
    postgres: PostgresServer,
    single: Context,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("hopyard.state.storage.postgres.connection.PATIENCE", 0.1)
    answer = model_server.answer

    def stopping(title: str, messages: list[dict[str, Any]]) -> Any:
        postgres.stop()
        return answer(title, messages)

    model_server.answer = stopping
    with pytest.raises(HopyardError, match=r"^The ledger at .* or `hopyard resume`; finished"):
        await _ask(single)
    postgres.start()
    model_server.answer = answer
    async with open_session() as session:
        async for _ in session.resume("t"):
            pass
        assert (await session.result("t"))["answer"] == f"A {TOLD}."
    assert len(model_server.calls) == 2  # its answer came while nobody could write it


async def test_a_server_that_is_away_is_named(
    monkeypatch: pytest.MonkeyPatch, closed_address: str
) -> None:
    port = closed_address.rpartition(":")[2]
    address = f"postgresql://me:sesame@127.0.0.1:{port}/hop"
    monkeypatch.setenv(THREADS_VARIABLE, address)
    told = rf"^The thread store at postgresql://me@127.0.0.1:{port}/hop cannot be used \(.*refused"
    with pytest.raises(HopyardError, match=told) as raised:
        async with open_session():
            pass
    assert "HOPYARD_THREADS, then run" in str(raised.value)
    with pytest.raises(HopyardError, match=r"^The ledger at postgresql://me@"):
        open_ledger(address)


@pytest.mark.parametrize(
    "address",
    ["threads.sqlite", "postgresql://me:se/same@host/db", "postgresql://me:se@same@host/db"],
)
async def test_what_is_no_address_is_refused_without_its_password(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, address)
    with pytest.raises(UsageError, match=r"^HOPYARD_THREADS is not the address") as raised:
        async with open_saver():
            pass
    assert "same" not in str(raised.value)


async def test_lost_connections_are_opened_again_and_a_lost_thread_is_left(
    place: str, postgres: PostgresServer, single: Context
) -> None:
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE {}"
    mine = f"'hopyard {os.getpid()} %'"
    await _ask(single)
    async with open_saver() as store, open_saver() as other:
        found = await store.aget_tuple({"configurable": {"thread_id": "t"}})
        assert found
        async with store.locks.hold("t"):
            postgres.execute(cut.format(mine))
            await store.aput_writes(found.config, [("question", "odd \0 \ud800")], "task")
            with pytest.raises(ThreadBusyError, match=f"in process {os.getpid()} on "):
                async with other.locks.hold("t"):
                    pass
            postgres.execute(cut.format(mine))
            async with other.locks.hold("t"):
                with pytest.raises(ThreadBusyError):
                    await store.aput_writes(found.config, [("question", "late")], "late")
        found = await other.aget_tuple({"configurable": {"thread_id": "t"}})
    assert found
    assert [write[1:] for write in found.pending_writes or ()] == [("question", "odd \0 ?")]


async def test_a_step_that_is_being_saved_is_saved_though_it_is_cancelled(
    place: str, single: Context
) -> None:
    await _ask(single)
    async with open_saver() as store, store.locks.hold("t"):
        found = await store.aget_tuple({"configurable": {"thread_id": "t"}})
        assert found
        step: Any = {**found.checkpoint, "id": str(uuid6())}
        saving = asyncio.create_task(store.aput(found.config, step, found.metadata, {}))
        await asyncio.sleep(0)
        saving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await saving
        latest = await store.aget_tuple({"configurable": {"thread_id": "t"}})
        assert latest and latest.checkpoint["id"] == step["id"]


async def test_with_a_key_nothing_that_was_asked_or_answered_is_readable(
    place: str, postgres: PostgresServer, single: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    import psycopg

    monkeypatch.setenv(KEY_VARIABLE, KEY)
    await _ask(single)
    dumped = b""
    with psycopg.connect(place) as connection:
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        for (table,) in connection.execute(tables).fetchall():
            with connection.cursor().copy(f"COPY {table} TO STDOUT (FORMAT binary)") as copy:
                dumped += b"".join(copy)
    assert b"hopyard_context" in dumped
    assert TOLD.encode() not in dumped and b"What grows" not in dumped
    async with open_session() as session:
        assert (await session.result("t"))["answer"] == f"A {TOLD}."
    monkeypatch.setenv(KEY_VARIABLE, "")
    with pytest.raises(HopyardError, match="there is no key"):
        async with open_session() as session:
            await session.result("t")


async def test_a_thread_is_copied_shown_and_deleted_with_its_answers(
    place: str, single: Context, model_server: ModelServer
) -> None:
    everything: Any = model_server.answer
    everything.lines[("read", "And elsewhere?")] = said("A rose.")
    await _ask(single)
    async with open_session() as session:
        async for _ in session.ask("And elsewhere?", single, "t"):
            pass
        assert [turn.values["answer"] for turn in await session.earlier("t")] == [f"A {TOLD}."]
        await session.fork("t", "before", before=2)
        assert (await session.result("before"))["answer"] == f"A {TOLD}."
        [newest, *_] = await session.threads()
        assert (newest.finished, newest.size > 1000) == (True, True)
        run = (await session.result("t"))["run"]
        ledger = session.resources.ledger
        assert ledger.uses(run)
        await session.delete("t")
        assert not ledger.uses(run)
        assert [thread.thread_id for thread in await session.threads()] == ["before"]
        assert await session.prune(0) == ["before"]


async def test_processes_that_begin_at_once_make_the_tables_once(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = postgres.place()
    monkeypatch.setenv(THREADS_VARIABLE, address)

    async def opened() -> int:
        async with open_saver() as store:
            await asyncio.to_thread(lambda: open_ledger(address).close())
            return len(await store.last_steps())

    assert await asyncio.gather(*(opened() for _ in range(6))) == [0] * 6
    schema = re.search(r"t[0-9a-f]{32}", address)
    assert schema
    postgres.execute(f"UPDATE {schema[0]}.hopyard_versions SET version = 99")
    with pytest.raises(HopyardError, match="written by a newer Hopyard; upgrade"):
        open_ledger(address)


@pytest.mark.skipif(bool(OWN), reason="roles are not made on another's server")
def test_a_role_needs_no_right_to_create_once_the_tables_are_there(
    postgres: PostgresServer,
) -> None:
    address = postgres.place()
    schema = re.search(r"t[0-9a-f]{32}", address)
    assert schema
    reader = address.replace("postgres@", f"{schema[0]}@", 1)
    postgres.execute(f"CREATE ROLE {schema[0]} LOGIN")
    postgres.execute(f"GRANT USAGE ON SCHEMA {schema[0]} TO {schema[0]}")
    with pytest.raises(HopyardError, match=r"permission denied .*docs/postgres\.md"):
        open_ledger(reader)
    open_ledger(address).close()
    rights = "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES"
    postgres.execute(f"GRANT {rights} IN SCHEMA {schema[0]} TO {schema[0]}")
    ledger = open_ledger(reader)
    assert ledger.find("k", "run") is None
    ledger.close()
