"""LangGraph's SQLite saver, with whole writes, short conversations, and deletion of every kind."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, get_checkpoint_metadata
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from hopyard.state.errors import HopyardError
from hopyard.state.storage.conversations import DELETE_UNUSED, HEADS, SCHEMA, Conversations, Known
from hopyard.state.storage.patience import in_turn
from hopyard.state.storage.serializer import serializer
from hopyard.state.storage.stores import Step, ThreadLocks, ThreadStore

_KEPT: Final = {
    "keep_latest": "(thread_id, checkpoint_ns, checkpoint_id) IN (SELECT thread_id, checkpoint_ns, "
    "MAX(checkpoint_id) FROM checkpoints GROUP BY thread_id, checkpoint_ns)",
    "delete": "FALSE",
}
"""Which rows of a table a way to prune keeps."""
_OF_THREADS: Final = "thread_id IN (SELECT value FROM json_each(?))"
_OF_RUNS: Final = (
    "json_extract(CAST(metadata AS TEXT), '$.run_id') IN (SELECT value FROM json_each(?))"
)


_COPIED: Final = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value",
    "messages": "id, previous, type, value",
}


_UNTIL: Final = {
    "checkpoints": "checkpoint_id <= ?",
    "writes": "checkpoint_id < ?",
    "messages": "? IS NOT NULL",
}
"""Rows up to a checkpoint: ids of checkpoints grow with time."""


class SqliteThreadStore(ThreadStore, AsyncSqliteSaver):
    """LangGraph's saver with the messages of a thread as rows of their own.

    Args:
        locks: One runner for each thread.
        key: Encrypts checkpoints and messages; b"" leaves them readable.
        turn: Held by one user of the connection at a time.
    """

    def __init__(
        self,
        conn: aiosqlite.Connection,
        locks: ThreadLocks,
        key: bytes = b"",
        turn: asyncio.Lock | None = None,
    ) -> None:
        super().__init__(conn, serde=serializer(key))
        if turn is not None:
            self.lock = turn
        self.locks = locks
        self._conversations = Conversations(conn, self.serde, key)
        self._has_messages = False

    async def _put(self, step: Step) -> None:
        """As LangGraph's saver does, with the messages as rows of their own."""
        await self.setup()
        kept: dict[str, Any] = {**get_checkpoint_metadata(step.config, step.metadata)}
        async with self._transaction():
            values = step.checkpoint["channel_values"]
            others, heads = await self._conversations.put(step.key[0], values)
            kept |= {HEADS: heads} if heads else {}
            await self.conn.execute(
                "INSERT OR REPLACE INTO checkpoints VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    *step.key,
                    *self.serde.dumps_typed({**step.checkpoint, "channel_values": others}),
                    json.dumps(kept, ensure_ascii=False).encode("utf-8", "ignore"),
                ),
            )

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        saved = await super().aget_tuple(config)
        return saved and await self._with_conversations(saved, {})

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, the newest first."""
        known: Known = {}
        async for saved in super().alist(config, **options):
            yield await self._with_conversations(saved, known)

    async def _with_conversations(self, saved: CheckpointTuple, known: Known) -> CheckpointTuple:
        metadata: Any = {**saved.metadata}
        if (heads := metadata.pop(HEADS, None)) is None:
            return saved
        thread_id = saved.config["configurable"]["thread_id"]
        values = saved.checkpoint["channel_values"]
        values = await self._conversations.get(thread_id, values, heads, known)
        checkpoint: Any = {**saved.checkpoint, "channel_values": values}
        return saved._replace(checkpoint=checkpoint, metadata=metadata)

    async def setup(self) -> None:
        """Make the tables that are missing."""
        await super().setup()
        if not self._has_messages:
            async with self.lock:
                await self.conn.executescript(SCHEMA)
                await self.conn.commit()
            self._has_messages = True

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await self._forget_run(thread_id)
        await self._whole(self._delete(_OF_THREADS, [thread_id], [thread_id]))

    async def acopy_thread(
        self, source_thread_id: str, target_thread_id: str, end: str | None = None
    ) -> None:
        """Copy a thread with its history, up to a checkpoint."""
        await self._whole(self._copy(source_thread_id, target_thread_id, end))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the history of threads.

        Args:
            strategy: `keep_latest` keeps the latest checkpoint of each namespace, with which a
                thread continues. `delete` keeps none. Hopyard's graphs have no `DeltaChannel`,
                which would need more of them.

        Raises:
            ValueError: The strategy is unknown.
        """
        if strategy not in _KEPT:
            raise ValueError(f"unknown strategy {strategy!r}: choose {' or '.join(_KEPT)}")
        gone = f"{_OF_THREADS} AND NOT ({_KEPT[strategy]})"
        await self._whole(self._delete(gone, thread_ids, thread_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs that a server rolls back."""
        await self._whole(self._delete_runs(run_ids))

    async def _delete_runs(self, run_ids: Sequence[str]) -> None:
        await self.setup()
        threads = await self.conn.execute_fetchall(
            f"SELECT DISTINCT thread_id FROM checkpoints WHERE {_OF_RUNS}", (_listed(run_ids),)
        )
        gone = (
            "(thread_id, checkpoint_ns, checkpoint_id) IN (SELECT thread_id, checkpoint_ns, "
            f"checkpoint_id FROM checkpoints WHERE {_OF_RUNS})"
        )
        await self._delete(gone, run_ids, [row[0] for row in threads])

    async def _delete(self, gone: str, listed: Sequence[str], threads: Sequence[str]) -> None:
        """Delete rows.

        Args:
            gone: The condition for the rows of both tables. It may look at the checkpoints, so the
                writes are deleted first.
            listed: The values for the condition.
            threads: The threads that lose rows.
        """
        await self.setup()
        async with self._transaction():
            for table in ("writes", "checkpoints"):
                await self.conn.execute(f"DELETE FROM {table} WHERE {gone}", (_listed(listed),))
            await self.conn.execute(DELETE_UNUSED, (_listed(threads),))

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[None]:
        """All the writes in the block, or none of them."""
        async with self.lock:
            await self._end_failed_write()
            await self._begin()
            try:
                yield
            except BaseException:
                await self.conn.rollback()
                raise
            await self.conn.commit()

    async def _end_failed_write(self) -> None:
        """Roll it back: its view of the file is too old for the next write."""
        if self.conn.in_transaction:
            await self.conn.rollback()

    @in_turn
    async def _put_writes(self, thread_id: str, put: Callable[[], Awaitable[None]]) -> None:
        """Save writes of a thread as soon as no other process writes."""
        async with self.lock:
            await self._end_failed_write()
        try:
            await super()._put_writes(thread_id, put)
        except BaseException:
            async with self.lock:  # others keep the connection open, and the file locked with it
                await self._end_failed_write()
            raise

    @in_turn
    async def _begin(self) -> None:
        await self.conn.execute("BEGIN IMMEDIATE")

    async def last_steps(self) -> list[tuple[str, str]]:
        """All threads with their latest checkpoint's id, the one used last first."""
        rows = await self.conn.execute_fetchall(
            "SELECT thread_id, MAX(checkpoint_id) AS last FROM checkpoints "
            "GROUP BY thread_id ORDER BY last DESC"
        )
        return [(thread_id, last) for thread_id, last in rows]

    async def thread_size(self, thread_id: str) -> int:
        """Bytes of a thread's checkpoints, messages and pending writes."""
        rows = await self.conn.execute_fetchall(
            "SELECT (SELECT COALESCE(SUM(LENGTH(checkpoint) + LENGTH(metadata)), 0) "
            "FROM checkpoints WHERE thread_id = :id) "
            "+ (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM writes WHERE thread_id = :id) "
            "+ (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM messages WHERE thread_id = :id)",
            {"id": thread_id},
        )
        return int(next(iter(rows))[0])

    async def _copy(self, source: str, target: str, end: str | None) -> None:
        await self.setup()
        async with self._transaction():
            for table, columns in _COPIED.items():
                await self.conn.execute(
                    f"INSERT INTO {table} (thread_id, {columns}) SELECT ?, {columns} FROM {table} "
                    f"WHERE thread_id = ? AND (? IS NULL OR {_UNTIL[table]})",
                    (target, source, end, end),
                )
            await self.conn.execute(DELETE_UNUSED, (_listed([target]),))

    async def scrub(self) -> None:
        """Take what was deleted off the disk: out of the log, and out of free pages.

        Raises:
            HopyardError: Another process holds on to the log.
        """
        async with self.lock:
            # As a script: `execute` would end after the first page.
            await self.conn.executescript("PRAGMA incremental_vacuum")
            [[busy, *_]] = await self.conn.execute_fetchall("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise HopyardError(
                "The thread is deleted, but its text stays in the store's log while another "
                "process reads it; end that process, then run `hopyard threads prune --days 9999`."
            )


def _listed(names: Sequence[str]) -> str:
    return json.dumps(list(map(str, names)))  # LangGraph's server gives UUIDs
