"""One runner for each thread in Postgres: an advisory lock, which the server frees on a kill."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from time import monotonic
from typing import Any, Final

from psycopg import AsyncConnection

from hopyard.state.storage.postgres.connection import AsyncDatabase, Place, lock_number
from hopyard.state.storage.stores import Holder, thread_busy

PATIENCE: Final = 0.5
"""Seconds that a run waits for a thread that another run is just giving up."""
_PAUSE: Final = 0.05

_NUMBER: Final = lock_number("thread", "%s")
KEEP_ALIVE: Final = (
    "SELECT set_config('tcp_keepalives_' || name, value, false) FROM "
    "(VALUES ('idle', '30'), ('interval', '10'), ('count', '3')) AS asked(name, value)"
)
"""Makes the server notice after a minute that the machine which holds a lock lost its power."""


def holder_query(kind: str) -> str:
    """The query for the program that holds an advisory lock, and since when.

    Args:
        kind: As for `lock_number`.
    """
    return f"""
SELECT application_name, extract(epoch FROM backend_start)::float8
FROM pg_locks LEFT JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted
AND pg_locks.database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND (classid::bigint << 32 | objid::bigint) = {lock_number(kind, "%s")}
"""


class PostgresLocks:
    """The locks of all threads of one store. Each is held by a connection of its own.

    Args:
        place: Where the store is.
        store: The connection of the store, which asks who holds a thread.
    """

    def __init__(self, place: Place, store: AsyncDatabase) -> None:
        self._place = place
        self._store = store
        self._held: dict[str, AsyncDatabase] = {}

    @asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[None]:
        """Hold a thread while working on it.

        Raises:
            ThreadBusyError: Another run holds it; the message says which process.
        """

        async def lock(connection: AsyncConnection[Any]) -> None:
            await self._lock(connection, thread_id)

        held = AsyncDatabase(self._place, lock)
        try:
            await held.run(_look)
            self._held[thread_id] = held
            yield
        finally:
            if self._held.get(thread_id) is held:
                del self._held[thread_id]
            await held.close()

    async def _lock(self, connection: AsyncConnection[Any], thread_id: str) -> None:
        end = monotonic() + PATIENCE
        await connection.execute(KEEP_ALIVE)
        while True:
            found = await connection.execute(
                f"SELECT pg_try_advisory_lock({_NUMBER})", (thread_id,)
            )
            if (await found.fetchone() or [False])[0]:
                return
            if monotonic() > end:
                raise thread_busy(thread_id, await self.holder(thread_id) or Holder())
            await asyncio.sleep(_PAUSE)

    async def confirm(self, thread_id: str) -> None:
        """Make sure that a thread which this process holds is still held: locks end with a server.

        Raises:
            ThreadBusyError: The lock was lost, and another run has taken the thread since.
        """
        if held := self._held.get(thread_id):
            await held.run(_look)

    async def holder(self, thread_id: str) -> Holder | None:
        """Who works on a thread now; None where nobody does."""
        for name, since in await self._store.rows(holder_query("thread"), thread_id):
            # Postgres hides the name from a role without rights, and an address may set another.
            program, pid, host, *_ = f"{name or ''} - - -".split()
            if program == "hopyard" and pid.isdigit():
                began = datetime.fromtimestamp(since).isoformat(timespec="seconds")
                return Holder(int(pid), host, began)
            return Holder()
        return None

    async def forget(self, thread_id: str) -> None:
        """Nothing is left of a lock that is free."""


async def _look(connection: AsyncConnection[Any]) -> None:
    await connection.execute("SELECT 1")
