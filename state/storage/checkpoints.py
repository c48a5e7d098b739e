"""Where threads are kept: one SQLite file."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Final
from uuid import UUID

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from hopyard.state.errors import HopyardError
from hopyard.state.settings.sources import home
from hopyard.state.storage.patience import BUSY_SECONDS, patiently
from hopyard.state.storage.serializer import checkpoint_key
from hopyard.state.storage.thread_store import ThreadStore

__all__ = (
    "create",
    "open_saver",
    "scrub",
    "store_error",
    "thread_ids",
    "thread_size",
    "unused_threads",
)

_INCREMENTAL: Final = 2
_GREGORIAN_EPOCH: Final = 12_219_292_800
"""Seconds from the Gregorian calendar's first day, where a UUID's time begins, to 1970."""


@asynccontextmanager
async def open_saver(path: Path | None = None) -> AsyncIterator[ThreadStore]:
    """The saver of the user's threads. Always used under `async with`: open, it blocks the exit.

    Raises:
        HopyardError: The file cannot be opened.
        UsageError: The key that checkpoints are encrypted with is invalid.
    """
    path = path or await asyncio.to_thread(home) / "threads.sqlite"
    key = checkpoint_key()
    async with AsyncExitStack() as opened:
        try:
            saver = await _open(path, key, opened)
        except sqlite3.Error as error:
            raise HopyardError(
                f"The thread store {str(path)!r} cannot be opened ({error}); move the file away, "
                "or set HOPYARD_HOME to another folder."
            ) from error
        yield saver


@patiently
async def _open(path: Path, key: bytes, opened: AsyncExitStack) -> ThreadStore:
    async with AsyncExitStack() as tried:
        await asyncio.to_thread(_prepare, path)
        db = await tried.enter_async_context(aiosqlite.connect(path, timeout=BUSY_SECONDS))
        # Deleted is deleted: zeroes on the disk, and later the pages given back, see `scrub`.
        await db.execute("PRAGMA secure_delete=ON")
        saver = ThreadStore(db, key)
        tried.push_async_callback(saver.end)
        await saver.setup()
        # A killed process loses nothing at NORMAL; only a power cut may lose the last step.
        await db.execute("PRAGMA synchronous=NORMAL")
        await opened.enter_async_context(tried.pop_all())
    return saver


def _prepare(path: Path) -> None:
    """Make the file; and fail here where it fails: aiosqlite's thread would outlive its failure."""
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as db:
        db.execute("PRAGMA auto_vacuum=INCREMENTAL")  # heard by a new file only
        db.execute("PRAGMA journal_mode=WAL")


@asynccontextmanager
async def create() -> AsyncIterator[AsyncSqliteSaver]:
    """The saver for LangGraph's server (`langgraph.json` names this function)."""
    async with open_saver() as saver:
        yield saver


async def thread_ids(saver: AsyncSqliteSaver) -> list[str]:
    """All threads, the one used last first."""
    rows = await saver.conn.execute_fetchall(
        "SELECT thread_id FROM checkpoints WHERE checkpoint_ns = '' "
        "GROUP BY thread_id ORDER BY MAX(checkpoint_id) DESC"
    )
    return [str(row[0]) for row in rows]


async def thread_size(saver: AsyncSqliteSaver, thread_id: str) -> int:
    """Bytes of a thread's checkpoints, messages and pending writes."""
    rows = await saver.conn.execute_fetchall(
        "SELECT (SELECT COALESCE(SUM(LENGTH(checkpoint) + LENGTH(metadata)), 0) FROM checkpoints "
        "WHERE thread_id = :id) + (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM writes "
        "WHERE thread_id = :id) + (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM messages "
        "WHERE thread_id = :id)",
        {"id": thread_id},
    )
    return int(next(iter(rows))[0])


async def unused_threads(saver: AsyncSqliteSaver, days: float) -> list[str]:
    """The threads whose last step is more days ago than that."""
    rows = await saver.conn.execute_fetchall(
        "SELECT thread_id, MAX(checkpoint_id) FROM checkpoints GROUP BY thread_id"
    )
    limit = time.time() - days * 86_400
    return [str(thread_id) for thread_id, last in rows if _made_at(last) < limit]


def _made_at(checkpoint_id: str) -> float:
    """Seconds since 1970: a checkpoint's id is a UUID of version 6, which begins with the time."""
    value = UUID(checkpoint_id).int
    ticks = value >> 80 << 12 | value >> 64 & 0xFFF
    return ticks / 1e7 - _GREGORIAN_EPOCH


async def scrub(saver: AsyncSqliteSaver) -> None:
    """Take what was deleted off the disk: out of the log, and out of free pages.

    Raises:
        HopyardError: Another process holds on to the log.
    """
    async with saver.lock:
        [[mode]] = await saver.conn.execute_fetchall("PRAGMA auto_vacuum")
        if mode == _INCREMENTAL:
            # As a script: `execute` would end after the first page.
            await saver.conn.executescript("PRAGMA incremental_vacuum")
        else:  # a file of an older Hopyard, upgraded to the current format
            await saver.conn.execute("VACUUM")
        [[busy, *_]] = await saver.conn.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
    if busy:
        raise HopyardError(
            "The thread is deleted, but its text stays in the store's log while another process "
            "reads it; end that process, then run `hopyard threads prune --days 9999`."
        )


def store_error(error: sqlite3.Error) -> HopyardError:
    """The error for a thread store that cannot be read or written any more."""
    return HopyardError(
        f"The thread store cannot be used ({error}): fix the problem, then run `hopyard resume`; "
        f"finished steps are kept."
    )
