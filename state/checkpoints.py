"""Where threads are kept: one SQLite file, through LangGraph's own saver."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import UUID

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.serde.types import ERROR
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from hopyard.state.encryption import serializer
from hopyard.state.errors import HopyardError
from hopyard.state.patience import BUSY_SECONDS, patiently
from hopyard.state.sources import home

__all__ = (
    "ThreadStore",
    "copy_thread",
    "create",
    "open_saver",
    "scrub",
    "store_error",
    "thread_ids",
    "thread_size",
    "unused_threads",
    "whole_writes",
)

T = TypeVar("T")

_KEPT: Final = {
    "keep_latest": "(thread_id, checkpoint_ns, checkpoint_id) IN (SELECT thread_id, checkpoint_ns, "
    "MAX(checkpoint_id) FROM checkpoints GROUP BY thread_id, checkpoint_ns)",
    "delete": "FALSE",
}
"""Which rows of a table a way to prune keeps."""
_INCREMENTAL: Final = 2
_GREGORIAN_EPOCH: Final = 12_219_292_800
"""Seconds from the Gregorian calendar's first day, where a UUID's time begins, to 1970."""


def whole_writes(writes: Sequence[tuple[str, Any]]) -> Sequence[tuple[str, Any]]:
    """The writes of a task, without the output of one that was cut off.

    LangGraph saves what a cancelled task has written so far, and takes any output for all of it: a
    resumed run would end where the task's edges are missing. So only its error and interrupts are
    kept, and it runs again; the ledger has its finished model calls.
    """
    if any(channel == ERROR for channel, _ in writes):
        return [write for write in writes if write[0] in WRITES_IDX_MAP]
    return writes


class ThreadStore(AsyncSqliteSaver):
    """LangGraph's saver, whose writes end once they have begun.

    A run that is cancelled, by Ctrl-C for one, would otherwise leave its last write half done: the
    step is lost, and the file locked for everyone else until this connection writes again.
    """

    def __init__(self, conn: aiosqlite.Connection, *, serde: SerializerProtocol) -> None:
        super().__init__(conn, serde=serde)
        self._writes: set[asyncio.Future[Any]] = set()
        self._ended = False

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        return await self._whole(super().aput(config, checkpoint, metadata, new_versions))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save what a task of an unfinished step has written."""
        kept = whole_writes(writes)
        await self._whole(super().aput_writes(config, kept, task_id, task_path))

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await self._whole(super().adelete_thread(thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy a thread with its whole history."""
        await self._whole(copy_thread(self, source_thread_id, target_thread_id))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the history of threads.

        Args:
            thread_ids: The threads.
            strategy: `keep_latest` keeps the latest checkpoint of each namespace, with which a
                thread continues. `delete` keeps none. Hopyard's graphs have no `DeltaChannel`,
                which would need more of them.

        Raises:
            ValueError: The strategy is unknown.
        """
        if strategy not in _KEPT:
            raise ValueError(f"unknown strategy {strategy!r}: choose {' or '.join(_KEPT)}")
        chosen = "thread_id IN (SELECT value FROM json_each(?))"
        await self._whole(self._delete(f"{chosen} AND NOT ({_KEPT[strategy]})", thread_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs that a server rolls back."""
        of_runs = (
            "(thread_id, checkpoint_ns, checkpoint_id) IN (SELECT thread_id, checkpoint_ns, "
            "checkpoint_id FROM checkpoints WHERE json_extract(CAST(metadata AS TEXT), "
            "'$.run_id') IN (SELECT value FROM json_each(?)))"
        )
        await self._whole(self._delete(of_runs, run_ids))

    async def _delete(self, condition: str, listed: Sequence[str]) -> None:
        """Delete rows; the writes first, because a condition may look at the checkpoints."""
        async with self.lock:
            try:
                for table in ("writes", "checkpoints"):
                    await self.conn.execute(
                        f"DELETE FROM {table} WHERE {condition}", (json.dumps(list(listed)),)
                    )
            except BaseException:
                await self.conn.rollback()
                raise
            await self.conn.commit()

    async def end(self) -> None:
        """Wait for the writes that have begun; no other begins from here on."""
        self._ended = True
        if self._writes:
            await asyncio.wait(self._writes)

    async def _whole(self, write: Coroutine[Any, Any, T]) -> T:
        """Wait for a write. If cancelled, finish waiting, then raise the cancellation."""
        if self._ended:  # by a run that is being cancelled, whose store is closed already
            write.close()
            raise asyncio.CancelledError
        task = asyncio.ensure_future(write)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise


@asynccontextmanager
async def open_saver(path: Path | None = None) -> AsyncIterator[ThreadStore]:
    """The saver of the user's threads. Always used under `async with`: open, it blocks the exit.

    Raises:
        HopyardError: The file cannot be opened.
        UsageError: The key that checkpoints are to be encrypted with is none.
    """
    path = path or await asyncio.to_thread(home) / "threads.sqlite"
    serde = serializer()
    async with AsyncExitStack() as opened:
        try:
            saver = await _open(path, serde, opened)
        except sqlite3.Error as error:
            raise HopyardError(
                f"The thread store {str(path)!r} cannot be opened ({error}); move the file away, "
                "or set HOPYARD_HOME to another folder."
            ) from error
        yield saver


@patiently
async def _open(path: Path, serde: SerializerProtocol, opened: AsyncExitStack) -> ThreadStore:
    async with AsyncExitStack() as tried:
        await asyncio.to_thread(_prepare, path)
        db = await tried.enter_async_context(aiosqlite.connect(path, timeout=BUSY_SECONDS))
        # Deleted is deleted: zeroes on the disk, and later the pages given back, see `scrub`.
        await db.execute("PRAGMA secure_delete=ON")
        saver = ThreadStore(db, serde=serde)
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
    """Bytes of a thread's checkpoints and pending writes."""
    rows = await saver.conn.execute_fetchall(
        "SELECT (SELECT COALESCE(SUM(LENGTH(checkpoint) + LENGTH(metadata)), 0) FROM checkpoints "
        "WHERE thread_id = :id) + (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM writes "
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
