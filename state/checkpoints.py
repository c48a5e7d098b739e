"""Where threads are kept: one SQLite file, through LangGraph's own saver."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final

import aiosqlite
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from hopyard.state.errors import HopyardError
from hopyard.state.serializer import CompressedSerializer
from hopyard.state.settings import home

__all__ = ("copy_thread", "create", "open_saver", "thread_ids", "thread_size")

_BUSY_SECONDS: Final = 30.0


@asynccontextmanager
async def open_saver(path: Path | None = None) -> AsyncIterator[AsyncSqliteSaver]:
    """The saver of the user's threads. Always used under `async with`: open, it blocks the exit.

    Raises:
        HopyardError: The file cannot be opened.
    """
    path = path or await asyncio.to_thread(home) / "threads.sqlite"
    async with AsyncExitStack() as opened:
        try:
            await asyncio.to_thread(_try, path)
            db = await opened.enter_async_context(aiosqlite.connect(path, timeout=_BUSY_SECONDS))
            # State holds plain values and LangChain messages; nothing else is loaded from disk.
            serde = CompressedSerializer(allowed_msgpack_modules=None)
            saver = AsyncSqliteSaver(db, serde=serde)
            await saver.setup()
            # A killed process loses nothing at NORMAL; only a power cut may lose the last step.
            await db.execute("PRAGMA synchronous=NORMAL")
        except sqlite3.Error as error:
            raise HopyardError(
                f"The thread store {str(path)!r} cannot be opened ({error}); move the file away, "
                "or set HOPYARD_HOME to another folder."
            ) from error
        yield saver


def _try(path: Path) -> None:
    """Fail here where it fails: the thread of aiosqlite would outlive its failure."""
    sqlite3.connect(path).close()


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
    """Bytes of a thread's checkpoints and pending writes."""
    rows = await saver.conn.execute_fetchall(
        "SELECT (SELECT COALESCE(SUM(LENGTH(checkpoint) + LENGTH(metadata)), 0) FROM checkpoints "
        "WHERE thread_id = :id) + (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM writes "
        "WHERE thread_id = :id)",
        {"id": thread_id},
    )
    return int(next(iter(rows))[0])


_COPIED: Final = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value",
}


async def copy_thread(saver: AsyncSqliteSaver, source: str, target: str) -> None:
    """Copy a thread with its whole history under another name, in one transaction."""
    async with saver.lock:
        try:
            for table, columns in _COPIED.items():
                await saver.conn.execute(
                    f"INSERT INTO {table} (thread_id, {columns}) "
                    f"SELECT ?, {columns} FROM {table} WHERE thread_id = ?",
                    (target, source),
                )
        except BaseException:
            await saver.conn.rollback()
            raise
        await saver.conn.commit()
