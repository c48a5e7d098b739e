"""The thread store: conformance, encryption, deletion for good, retention, and strict msgpack."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.serde import _msgpack
from model_server import ModelServer

from hopyard.agent.session import Session, open_session
from hopyard.state.errors import HopyardError, ThreadMissingError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.storage.addresses import THREADS_VARIABLE
from hopyard.state.storage.checkpoints import open_saver
from hopyard.state.storage.serializer import KEY_VARIABLE

from ..graphs.conftest import changed
from ..graphs.script import said
from .conftest import Everything

KEY = "00112233445566778899aabbccddeeff" * 2
CAPABILITIES = (
    "put",
    "put_writes",
    "get_tuple",
    "list",
    "delete_thread",
    "delete_for_runs",
    "copy_thread",
    "prune",
)
TOLD = "heliotropium"
"""A word of an answer that stands nowhere else."""


def test_the_whole_suite_runs_under_strict_msgpack() -> None:
    assert os.environ["LANGGRAPH_STRICT_MSGPACK"] == "true"
    assert _msgpack.STRICT_MSGPACK_ENABLED


@pytest.mark.parametrize(("kind", "key"), [("sqlite", ""), ("sqlite", KEY), ("postgres", KEY)])
async def test_the_saver_conforms(
    key: str,
    kind: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    server = request.getfixturevalue("postgres") if kind == "postgres" else None
    files = iter(range(100))

    @checkpointer_test(name="hopyard")
    async def saver() -> AsyncIterator[Any]:
        if server:
            monkeypatch.setenv(THREADS_VARIABLE, server.place())
        file = None if server else tmp_path / f"{next(files)}.sqlite"
        async with open_saver(file) as opened:
            yield opened

    report = await validate(saver, capabilities=set(CAPABILITIES))
    for name in CAPABILITIES:
        assert report.results[name].passed, report.results[name].failures


async def _ask(context: Context, thread: str = "t") -> None:
    async with open_session() as session:
        await _asked(session, context, thread)


async def _asked(session: Session, context: Context, thread: str = "t") -> None:
    async for _ in session.ask(f"What grows in {TOLD}?", context, thread):
        pass


@pytest.fixture
def single(context: Context, model_server: ModelServer) -> Context:
    model_server.answer = everything = Everything()
    everything.lines = {("read", f"What grows in {TOLD}?"): said(f"A {TOLD}.")}
    return changed(context, strategy="single")


def _bytes(home: Path) -> bytes:
    files = sorted(each for each in home.rglob("*") if each.is_file())
    return b"".join(each.read_bytes() for each in files)


class TestEncryption:
    async def test_nothing_that_was_asked_or_answered_is_readable(
        self, single: Context, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(KEY_VARIABLE, KEY)
        await _ask(single)
        with closing(sqlite3.connect(home / "threads.sqlite")) as db:
            kinds = {row[0] for row in db.execute("SELECT type FROM checkpoints")}
            kinds |= {row[0] for row in db.execute("SELECT type FROM writes")}
        assert kinds and all(kind.endswith("+aes") for kind in kinds)
        async with open_session() as session:
            assert (await session.result("t"))["answer"] == f"A {TOLD}."

    async def test_without_the_key_or_with_another_it_is_said(
        self, single: Context, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(KEY_VARIABLE, KEY)
        await _ask(single)
        for key, told in (("", "there is no key"), ("ab" * 32, "with another key")):
            monkeypatch.setenv(KEY_VARIABLE, key)
            with pytest.raises(HopyardError, match=told):
                async with open_session() as session:
                    await session.result("t")

    async def test_what_was_written_without_a_key_stays_readable(
        self, single: Context, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await _ask(single)
        monkeypatch.setenv(KEY_VARIABLE, KEY)
        async with open_session() as session:
            assert (await session.result("t"))["answer"] == f"A {TOLD}."

    @pytest.mark.parametrize("key", ["short", "g" * 64, "ab" * 16])
    async def test_a_key_that_is_none_is_refused(
        self, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(KEY_VARIABLE, key)
        with pytest.raises(UsageError, match="openssl rand -hex 32"):
            async with open_session():
                pass


class TestDeletion:
    async def test_no_byte_of_a_deleted_thread_is_left(
        self, single: Context, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Uncompressed, so that the text could be found at all."""
        monkeypatch.setattr("hopyard.state.storage.serializer._WORTH_IT", 10**9)
        async with open_session() as session:
            await _asked(session, single)
            assert TOLD.encode() in _bytes(home)
            await session.delete("t")
            assert TOLD.encode() not in _bytes(home)
        assert TOLD.encode() not in _bytes(home)
        with closing(sqlite3.connect(home / "threads.sqlite")) as db:
            assert db.execute("PRAGMA freelist_count").fetchone() == (0,)

    async def test_an_older_stores_text_goes_too(
        self, single: Context, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("hopyard.state.storage.serializer._WORTH_IT", 10**9)
        home.mkdir(parents=True)
        with closing(sqlite3.connect(home / "threads.sqlite")) as db:
            db.execute("CREATE TABLE old (text)")
            db.execute("INSERT INTO old VALUES (?)", (TOLD * 100,))
            db.commit()
            db.execute("DELETE FROM old")
            db.commit()
        await _ask(single)
        async with open_session() as session:
            await session.delete("t")
        assert TOLD.encode() not in _bytes(home)

    async def test_a_copy_keeps_its_answers(self, single: Context, home: Path) -> None:
        async with open_session() as session:
            await _asked(session, single)
            await session.fork("t", "copy")
            await session.delete("t")
            assert (await session.result("copy"))["answer"] == f"A {TOLD}."
        with closing(sqlite3.connect(home / "ledger.sqlite")) as ledger:
            assert ledger.execute("SELECT COUNT(*) FROM calls").fetchone() == (1,)


class TestRetention:
    async def test_a_question_deletes_the_threads_not_used_for_long(
        self, single: Context, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async with open_session() as session:
            await _asked(session, single, "old")
            now = time.time()
            monkeypatch.setattr("hopyard.state.storage.stores.time.time", lambda: now + 3 * 86_400)
            kept = change_context(single, {"retention_days": "4"})
            await _asked(session, kept, "new")
            assert (await session.result("old"))["finished"]
            await _asked(session, change_context(single, {"retention_days": "2"}), "new")
            with pytest.raises(ThreadMissingError):
                await session.result("old")
            assert (await session.result("new"))["finished"]


async def test_a_setting_that_stopped_a_thread_can_be_changed(
    single: Context, model_server: ModelServer
) -> None:
    broken = changed(single, model="ollama:absent")
    async with open_session() as session:
        with pytest.raises(HopyardError):
            await _asked(session, broken)
        with pytest.raises(UsageError, match=r"'retrieval\.k'"):
            async for _ in session.resume("t", changes={"retrieval": {"k": "0"}}):
                pass
        async for _ in session.resume("t", changes={"model": single.model, "seed": "9"}):
            pass
        assert (await session.result("t"))["answer"] == f"A {TOLD}."
        assert (await session.context("t")).seed == 9
