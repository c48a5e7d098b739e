"""Threads in Postgres: LangGraph's saver, with values that only the serializer writes.

LangGraph's own saver writes texts and numbers of the state into a JSON column, past the serializer:
they could be read there although threads are encrypted, and Postgres refuses some characters. Here
every value goes through the serializer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, ParamSpec, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple, get_serializable_checkpoint_metadata
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, AsyncCursor
from psycopg.types.json import Jsonb

from hopyard.state.storage.addresses import THREADS_VARIABLE
from hopyard.state.storage.postgres.connection import AsyncDatabase, Place, lock_number
from hopyard.state.storage.postgres.locks import PostgresLocks
from hopyard.state.storage.serializer import serializer
from hopyard.state.storage.stores import Step, ThreadStore
from hopyard.state.text.unicode import valid_unicode

P = ParamSpec("P")
T = TypeVar("T")
Cursor = AsyncCursor[Any]

_PAUSE: Final = 0.1
_TABLES: Final = ("checkpoint_writes", "checkpoint_blobs", "checkpoints")
_COPIES: Final = (
    "INSERT INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, "
    "checkpoint, metadata) SELECT %(target)s, checkpoint_ns, checkpoint_id, parent_checkpoint_id, "
    "type, checkpoint, metadata FROM checkpoints WHERE thread_id = %(source)s "
    "AND (%(end)s::text IS NULL OR checkpoint_id <= %(end)s)",
    "INSERT INTO checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, "
    "idx, channel, type, blob) SELECT %(target)s, checkpoint_ns, checkpoint_id, task_id, "
    "task_path, idx, channel, type, blob FROM checkpoint_writes WHERE thread_id = %(source)s "
    "AND (%(end)s::text IS NULL OR checkpoint_id < %(end)s)",
    "INSERT INTO checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob) "
    "SELECT %(target)s, checkpoint_ns, channel, version, type, blob FROM checkpoint_blobs "
    "WHERE thread_id = %(source)s",
)
_DELETE_UNUSED: Final = """
DELETE FROM checkpoint_blobs WHERE thread_id = ANY(%s)
AND (thread_id, checkpoint_ns, channel, version) NOT IN (
    SELECT thread_id, checkpoint_ns, key, value FROM checkpoints,
        jsonb_each_text(checkpoint -> 'channel_versions')
    WHERE thread_id = ANY(%s) AND value IS NOT NULL
)
"""
"""Deletes the values of some threads that no checkpoint has any more."""
_OF_RUNS: Final = "metadata ->> 'run_id' = ANY(%s)"


@asynccontextmanager
async def open_threads(address: str, key: bytes) -> AsyncIterator[PostgresThreadStore]:
    """Open the threads of a database, and make the tables that it lacks.

    Args:
        key: Encrypts checkpoints; b"" leaves them readable.

    Raises:
        HopyardError: The database cannot be used.
    """
    place = Place(address, "The thread store", THREADS_VARIABLE)
    database = AsyncDatabase(place)
    try:
        connection = await database.run(_same)
        store = PostgresThreadStore(connection, database, PostgresLocks(place, database), key)
        await store.setup()
        try:
            yield store
        finally:
            await store.end()
    finally:
        await database.close()


async def _same(connection: AsyncConnection[Any]) -> AsyncConnection[Any]:
    return connection


class PostgresThreadStore(ThreadStore, AsyncPostgresSaver):
    """LangGraph's saver over a connection that opens again after it was lost.

    Args:
        connection: An open one.
        database: Opens the others.
        locks: One runner for each thread.
        key: Encrypts checkpoints; b"" leaves them readable.
    """

    locks: PostgresLocks

    def __init__(
        self,
        connection: AsyncConnection[Any],
        database: AsyncDatabase,
        locks: PostgresLocks,
        key: bytes = b"",
    ) -> None:
        super().__init__(connection, serde=serializer(key))
        self.supports_pipeline = False  # so that each write is one transaction
        self.lock = database.lock
        self.locks = locks
        self._database = database

    async def _run(
        self, method: Callable[P, Awaitable[T]], *values: P.args, **named: P.kwargs
    ) -> T:
        """Call a method, again if the connection is lost."""

        async def work(connection: AsyncConnection[Any]) -> T:
            self.conn = connection
            return await method(*values, **named)

        return await self._database.run(work)

    async def _write(self, work: Callable[[Cursor], Awaitable[None]]) -> None:
        """Do all of some work or nothing."""

        async def transaction() -> None:
            async with self._cursor(pipeline=True) as cursor:
                await work(cursor)

        await self._whole(self._run(transaction))

    async def setup(self) -> None:
        """Make the tables that are missing. Several processes may begin at once."""
        await self._run(self._setup)

    async def _setup(self) -> None:
        lock = lock_number("versions", "'threads'")
        while not await self._is_whole():
            # Who waits inside a lock would keep LangGraph's CREATE INDEX CONCURRENTLY waiting.
            if await self._value(f"SELECT pg_try_advisory_lock({lock})"):
                try:
                    await super().setup()
                finally:
                    if not self.conn.closed:
                        await self._value(f"SELECT pg_advisory_unlock({lock})")
            else:
                await asyncio.sleep(_PAUSE)

    async def _is_whole(self) -> bool:
        """Whether no table is missing: a role without the right to create needs nothing more."""
        if await self._value("SELECT to_regclass('checkpoint_migrations')") is None:
            return False
        newest = await self._value("SELECT MAX(v) FROM checkpoint_migrations")
        return newest is not None and int(newest) >= len(self.MIGRATIONS) - 1

    async def _value(self, query: str) -> Any:
        async with self._cursor() as cursor:
            await cursor.execute(query)
            row = await cursor.fetchone()
        return next(iter(row.values())) if row else None

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        return await self._run(super().aget_tuple, config)

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints, the newest first."""
        found = super().alist

        async def listed() -> list[CheckpointTuple]:
            return [saved async for saved in found(config, **options)]

        for saved in await self._run(listed):
            yield saved

    async def _put(self, step: Step) -> None:
        """As LangGraph's saver does, with every value in the table of blobs."""
        thread_id, namespace, *_ = step.key
        values = step.checkpoint["channel_values"]
        versions = {name: new for name, new in step.new_versions.items() if name in values}
        blobs = await asyncio.to_thread(self._dump_blobs, thread_id, namespace, values, versions)
        kept = _valid(get_serializable_checkpoint_metadata(step.config, step.metadata))
        row = (*step.key, Jsonb({**step.checkpoint, "channel_values": {}}), Jsonb(kept))

        async def work() -> None:
            async with self._cursor(pipeline=True) as cursor:
                await cursor.executemany(self.UPSERT_CHECKPOINT_BLOBS_SQL, blobs)
                await cursor.execute(self.UPSERT_CHECKPOINTS_SQL, row)

        await self._put_writes(thread_id, work)

    async def _put_writes(self, thread_id: str, put: Callable[[], Awaitable[None]]) -> None:
        """Save a step or writes of a thread that this process still holds."""

        async def confirmed() -> None:
            await self.locks.confirm(thread_id)
            await put()

        await self._run(confirmed)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete a thread."""
        await self._forget_run(thread_id)
        await self._whole(self._run(super().adelete_thread, thread_id))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete the history of threads, as LangGraph's saver does."""
        await self._whole(self._run(super().aprune, thread_ids, strategy=strategy))

    async def acopy_thread(
        self, source_thread_id: str, target_thread_id: str, end: str | None = None
    ) -> None:
        """Copy a thread with its history, up to a checkpoint."""
        values = {"source": source_thread_id, "target": target_thread_id, "end": end}

        async def work(cursor: Cursor) -> None:
            for statement in _COPIES:
                await cursor.execute(statement, values)
            await cursor.execute(_DELETE_UNUSED, ([target_thread_id], [target_thread_id]))

        await self._write(work)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of runs that a server rolls back."""
        runs = list(map(str, run_ids))

        async def work(cursor: Cursor) -> None:
            query = f"SELECT DISTINCT thread_id FROM checkpoints WHERE {_OF_RUNS}"
            await cursor.execute(query, (runs,))
            threads = [row["thread_id"] for row in await cursor.fetchall()]
            await cursor.execute(
                "DELETE FROM checkpoint_writes USING checkpoints AS old WHERE "
                f"old.{_OF_RUNS} AND checkpoint_writes.thread_id = old.thread_id "
                "AND checkpoint_writes.checkpoint_ns = old.checkpoint_ns "
                "AND checkpoint_writes.checkpoint_id = old.checkpoint_id",
                (runs,),
            )
            await cursor.execute(f"DELETE FROM checkpoints WHERE {_OF_RUNS}", (runs,))
            await cursor.execute(_DELETE_UNUSED, (threads, threads))

        await self._write(work)

    async def last_steps(self) -> list[tuple[str, str]]:
        """All threads with their latest checkpoint's id, the one used last first."""
        return await self._database.rows(
            "SELECT thread_id, MAX(checkpoint_id) AS last FROM checkpoints "
            "GROUP BY thread_id ORDER BY last DESC"
        )

    async def thread_size(self, thread_id: str) -> int:
        """Bytes of a thread's checkpoints, values and pending writes."""
        sizes = " + ".join(
            f"(SELECT COALESCE(SUM(pg_column_size(row.*)), 0) FROM {table} AS row "
            "WHERE thread_id = %s)"
            for table in _TABLES
        )
        [[size]] = await self._database.rows(f"SELECT {sizes}", *[thread_id] * len(_TABLES))
        return int(size)

    async def scrub(self) -> None:
        """Nothing: the server's own VACUUM takes deleted rows off its disk."""


def _valid(value: Any) -> Any:
    """A JSON value without the characters that Postgres refuses."""
    if isinstance(value, str):
        return valid_unicode(value).replace("\0", "")
    if isinstance(value, dict):
        return {_valid(name): _valid(each) for name, each in value.items()}
    return [_valid(each) for each in value] if isinstance(value, list) else value
