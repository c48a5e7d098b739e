"""Files that others hold while they are opened."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest
from langchain_core.runnables import RunnableConfig
from tenacity import stop_after_delay

from hopyard.models import ledger
from hopyard.state.storage import connections
from hopyard.state.storage.checkpoints import open_saver
from hopyard.state.storage.patience import is_busy, patiently
from hopyard.state.storage.thread_store import SqliteThreadStore


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "new.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE one (x)")
    return path


@patiently
def into_wal(db: sqlite3.Connection) -> str:
    [mode] = db.execute("PRAGMA journal_mode=WAL").fetchone()
    return str(mode)


def test_it_waits_where_sqlite_does_not(file: Path) -> None:
    with (
        closing(sqlite3.connect(file, check_same_thread=False, isolation_level=None)) as other,
        closing(sqlite3.connect(file, timeout=0)) as db,
    ):
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked") as raised:
            db.execute("PRAGMA journal_mode=WAL")
        assert is_busy(raised.value)
        threading.Timer(0.1, other.execute, ("COMMIT",)).start()
        assert into_wal(db) == "wal"


def test_it_does_not_wait_for_ever(file: Path) -> None:
    with (
        closing(sqlite3.connect(file, isolation_level=None)) as other,
        closing(sqlite3.connect(file, timeout=0)) as db,
    ):
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            into_wal.retry_with(stop=stop_after_delay(0.05))(db)


def test_what_is_no_lock_is_raised_at_once(tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_text("no database" * 100)
    tries = []

    @patiently
    def once() -> None:
        tries.append(1)
        with closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA journal_mode=WAL")

    with pytest.raises(sqlite3.DatabaseError, match="not a"):
        once()
    assert tries == [1]


def test_many_threads_open_and_close_one_ledger(tmp_path: Path) -> None:
    def used(_: int) -> None:
        ledger.open_ledger(tmp_path / "ledger.sqlite").close()

    with ThreadPoolExecutor(16) as pool:
        assert len(list(pool.map(used, range(160)))) == 160


async def test_a_store_is_opened_while_its_last_user_closes_it(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    with ThreadPoolExecutor(8) as pool:

        def used(_: int) -> None:
            with closing(sqlite3.connect(path, timeout=30)) as db:
                db.execute("SELECT * FROM sqlite_master").fetchall()

        busy = [pool.submit(used, number) for number in range(200)]
        for _ in range(20):
            async with open_saver(path) as saver:
                assert [each async for each in saver.alist(None)] == []
        for each in busy:
            each.result()


async def test_all_users_of_a_store_at_once_share_one_connection(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    async with AsyncExitStack() as opened:
        first, *_ = [await opened.enter_async_context(open_saver(path)) for _ in range(3)]
        assert isinstance(first, SqliteThreadStore)
        async with open_saver(path) as left:
            assert left.conn is first.conn
            assert left.lock is first.lock
        assert [each async for each in first.alist(None)] == []
    async with open_saver(path) as later:
        assert later.conn is not first.conn


async def test_a_write_that_failed_keeps_no_other_process_from_writing(tmp_path: Path) -> None:
    path = tmp_path / "threads.sqlite"
    place = RunnableConfig(
        configurable={"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}
    )
    async with open_saver(path), open_saver(path) as saver:
        with pytest.raises(UnicodeEncodeError):
            await saver.aput_writes(place, [("good", 1), ("\ud800", 2)], "task")
        with closing(sqlite3.connect(path, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")


async def test_all_users_wait_at_once_for_a_store_that_another_process_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_here = threading.Barrier(3, timeout=10)

    def locked(path: Path) -> None:
        all_here.wait()
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(connections, "_prepare", locked)

    async def refused() -> None:
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            async with connections.shared_connection(tmp_path / "threads.sqlite"):
                pass

    await asyncio.gather(*(refused() for _ in range(3)))


async def test_a_user_that_gives_up_while_the_store_is_opened(tmp_path: Path) -> None:
    async def used() -> list[object]:
        async with open_saver(tmp_path / "threads.sqlite") as saver:
            return [each async for each in saver.alist(None)]

    hurried, patient = asyncio.create_task(used()), asyncio.create_task(used())
    await asyncio.sleep(0)
    hurried.cancel()
    assert await patient == []
    assert hurried.cancelled()
