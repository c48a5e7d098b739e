"""Connections to Postgres that open again after they were lost, as when the server restarts."""

from __future__ import annotations

import asyncio
import os
import platform
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import psycopg
from psycopg import AsyncConnection, Connection
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow

from hopyard.state.errors import HopyardError
from hopyard.state.storage.addresses import without_password

T = TypeVar("T")
Async = AsyncConnection[Any]

PATIENCE: Final = 20.0
"""Seconds that work which has begun waits for a server that is away. A first connection does not
wait."""
_PAUSE: Final = 0.25
_DEFAULTS: Final[Mapping[str, Any]] = {
    "connect_timeout": 10,
    # A machine that lost its power is noticed after a minute: while nothing is sent, not after two
    # hours; while it has not confirmed what was sent, not after a quarter of an hour.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_AGAIN: Final = (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure)
_CURES: Final[Mapping[type[psycopg.Error], str]] = {
    psycopg.errors.DiskFull: "make room on the disk of the server",
    psycopg.errors.InsufficientPrivilege: "give the role its rights (docs/postgres.md)",
    psycopg.errors.InvalidSchemaName: (
        "create the schema, or give the role its rights (docs/postgres.md)"
    ),
    psycopg.errors.ProgramLimitExceeded: "choose a shorter thread name",
    psycopg.errors.UntranslatableCharacter: "use a database with the encoding UTF8",
}
"""Advice about some errors: an index takes texts of about 2,700 bytes."""


def lock_number(kind: str, name: str) -> str:
    """SQL of the number of an advisory lock. Another schema of the database has other numbers.

    Args:
        name: The SQL expression of its name.
    """
    # Without a schema the number must not be NULL: nobody would ever get that lock.
    schema = "COALESCE(current_schema(), '')"
    return f"hashtextextended({schema} || '/hopyard/{kind}/' || {name}, 0)"


@dataclass(frozen=True)
class Place:
    """A database, and how errors name what is in it.

    Attributes:
        what: Its content, at the beginning of a sentence.
        variable: The variable with the address.
    """

    address: str
    what: str
    variable: str

    def __str__(self) -> str:
        return f"{self.what} at {without_password(self.address)}"

    @property
    def options(self) -> dict[str, Any]:
        """The options of a connection."""
        name = f"hopyard {os.getpid()} {platform.node()}"
        given = {"application_name": name, **_DEFAULTS, **conninfo_to_dict(self.address)}
        # In another encoding, such as SQL_ASCII, psycopg would return bytes in place of texts.
        return {**given, "autocommit": True, "client_encoding": "utf8"}

    def error(self, error: psycopg.Error) -> HopyardError:
        """The error for people."""
        lines = str(error).strip().splitlines() or [type(error).__name__]
        reason = " ".join(lines if lines[0].endswith(":") else lines[:1])
        cure = _CURES.get(type(error), f"check the server and {self.variable}")
        return HopyardError(
            f"{self} cannot be used ({reason}): {cure}, then run the same command again or "
            "`hopyard resume`; finished work is kept."
        )


class _Patience:
    """How long to wait for a server that is away."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lost = -PATIENCE  # a first connection does not wait

    def well(self) -> None:
        """The server has answered."""
        self._lost = 0.0

    def check(self, error: psycopg.Error, connection: Any) -> None:
        """Return where trying again can help.

        Raises:
            HopyardError: It cannot, or was tried long enough.
        """
        if isinstance(error, _AGAIN):
            return
        now = time.monotonic()
        if connection is not None:  # it was open
            self._lost = max(self._lost, 0.0)
        self._lost = self._lost or now
        away = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        lost = connection is None or connection.closed
        if not (away and lost) or self._lost < 0 or now - self._lost > PATIENCE:
            raise self._place.error(error) from error


class Database:
    """One connection, for one thread at a time."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lock = threading.Lock()
        self._patience = _Patience(place)
        self._connection: Connection[TupleRow] | None = None

    def run(self, work: Callable[[Connection[TupleRow]], T]) -> T:
        """Do some work, again if the connection is lost.

        Raises:
            HopyardError: The database fails, or stays away.
        """
        with self._lock:
            while True:
                used = None
                try:
                    used = self._opened()
                    done = work(used)
                except psycopg.Error as error:
                    self._patience.check(error, used)
                    time.sleep(_PAUSE)
                else:
                    self._patience.well()
                    return done

    def _opened(self) -> Connection[TupleRow]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(**self._place.options)
        return self._connection

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()


class AsyncDatabase:
    """One connection, for coroutines of one event loop.

    Args:
        begin: Called with each connection that is opened.

    Attributes:
        lock: Held by each query and by each transaction. Otherwise a query that is cancelled would
            end the transaction of another coroutine.
    """

    def __init__(
        self, place: Place, begin: Callable[[Async], Awaitable[None]] | None = None
    ) -> None:
        self._place = place
        self._begin = begin
        self.lock = asyncio.Lock()
        self._opening = asyncio.Lock()
        self._patience = _Patience(place)
        self._connection: Async | None = None

    async def run(self, work: Callable[[Async], Awaitable[T]]) -> T:
        """Do some work, again if the connection is lost.

        Raises:
            HopyardError: The database fails, or stays away.
        """
        while True:
            used = None
            try:
                used = await self._opened()
                done = await work(used)
            except psycopg.Error as error:
                self._patience.check(error, used)
                await asyncio.sleep(_PAUSE)
            else:
                self._patience.well()
                return done

    async def rows(self, query: str, *values: Any) -> list[Any]:
        """The rows of a query."""

        async def work(connection: Async) -> list[Any]:
            async with self.lock:
                return await (await connection.execute(query, values)).fetchall()

        return await self.run(work)

    async def _opened(self) -> Async:
        async with self._opening:
            if self._connection is None or self._connection.closed:
                connection = await AsyncConnection.connect(**self._place.options)
                try:
                    if self._begin is not None:
                        await self._begin(connection)
                except BaseException:
                    await connection.close()
                    raise
                self._connection = connection
            return self._connection

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()


def migrate(database: Database, place: Place, part: str, steps: Sequence[str]) -> None:
    """Bring tables to the newest version: each step that this database lacks, or none.

    Args:
        part: The name of the tables in `hopyard_versions`.
        steps: Statements for each version. Once released, a step never changes.

    Raises:
        HopyardError: A newer Hopyard made the tables, or the database fails.
    """
    lock = lock_number("versions", "'tables'")

    def work(connection: Connection[TupleRow]) -> None:
        with connection.transaction():
            [known] = connection.execute("SELECT to_regclass('hopyard_versions')").fetchone() or ()
            if known and _version(connection, part) == len(steps):
                return  # a role without the right to create needs nothing more
            connection.execute(f"SELECT pg_advisory_xact_lock({lock})")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS hopyard_versions "
                "(part TEXT PRIMARY KEY, version INTEGER NOT NULL)"
            )
            version = _version(connection, part)
            if version > len(steps):
                raise HopyardError(
                    f"{place} was written by a newer Hopyard; upgrade Hopyard, or set "
                    f"{place.variable} to another database."
                )
            for step in steps[version:]:
                connection.execute(step)
            connection.execute(
                "INSERT INTO hopyard_versions VALUES (%s, %s) "
                "ON CONFLICT (part) DO UPDATE SET version = excluded.version",
                (part, len(steps)),
            )

    database.run(work)


def _version(connection: Connection[TupleRow], part: str) -> int:
    query = "SELECT version FROM hopyard_versions WHERE part = %s"
    row = connection.execute(query, (part,)).fetchone()
    return int(row[0]) if row else 0
