"""The ledger as tables in Postgres, which several machines share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final, TypeVar

from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.models.ledger_tables import Execute
from hopyard.state.errors import HopyardError
from hopyard.state.storage.addresses import LEDGER_VARIABLE
from hopyard.state.storage.postgres.connection import Database, Place, lock_number, migrate
from hopyard.state.storage.serializer import checkpoint_key, serializer

T = TypeVar("T")

_STEPS: Final = (
    """
CREATE TABLE calls (
    key TEXT PRIMARY KEY,
    prompt TEXT NOT NULL,
    version INTEGER NOT NULL,
    model TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    output BYTEA NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('parsed', 'repaired', 'failed')),
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    estimated INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL DEFAULT
        to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
);
CREATE TABLE prompts (key TEXT PRIMARY KEY, messages BYTEA NOT NULL);
CREATE TABLE uses (
    rowid BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run TEXT NOT NULL,
    key TEXT NOT NULL,
    cached INTEGER NOT NULL,
    step TEXT NOT NULL DEFAULT ''
);
CREATE INDEX uses_of_run ON uses (run);
CREATE INDEX uses_of_key ON uses (key);
CREATE TABLE endings (
    run TEXT NOT NULL,
    step TEXT NOT NULL,
    prompt TEXT NOT NULL,
    ending TEXT NOT NULL,
    PRIMARY KEY (run, step, prompt)
);
CREATE TABLE runs (run TEXT PRIMARY KEY, seconds DOUBLE PRECISION NOT NULL);
""",
    "CREATE TABLE spent (day TEXT PRIMARY KEY, tokens BIGINT NOT NULL)",
    "CREATE TABLE turns (model TEXT PRIMARY KEY, free DOUBLE PRECISION NOT NULL)",
    "CREATE TABLE questions (asker TEXT, run TEXT, question TEXT, at TEXT)",
)
"""The statements of each version. A released text never changes."""
_NUMBER: Final = lock_number("call", "%s")


class PostgresTables:
    """The ledger's tables in a database.

    Args:
        address: Of the database.

    Raises:
        HopyardError: The database cannot be used.
    """

    listed = "SELECT json_array_elements_text(CAST(:listed AS JSON))"
    now = "CAST(extract(epoch FROM clock_timestamp()) AS DOUBLE PRECISION)"

    def __init__(self, address: str) -> None:
        place = Place(address, "The ledger", LEDGER_VARIABLE)
        self._serde = serializer(checkpoint_key())
        self._held: set[str] = set()
        self._database = Database(place)
        try:
            migrate(self._database, place, "ledger", _STEPS)
        except BaseException:
            self._database.close()
            raise

    def write(self, work: Callable[[Execute], T]) -> T:
        """Do all of some work or nothing."""

        def transaction(connection: Connection[TupleRow]) -> T:
            def execute(query: str, values: Mapping[str, Any]) -> Any:
                return connection.execute(_translated(query), values)

            with connection.transaction():
                return work(execute)

        return self._database.run(transaction)

    def hold(self, key: str) -> bool:
        """Hold the key of a call by an advisory lock, unless somebody holds it already."""

        def work(connection: Connection[TupleRow]) -> bool:
            if key in self._held:  # the server would give this connection the lock again
                return False
            row = connection.execute(f"SELECT pg_try_advisory_lock({_NUMBER})", (key,)).fetchone()
            if row and row[0]:
                self._held.add(key)
            return key in self._held

        return self._database.run(work)

    def release(self, key: str) -> None:
        """Release a key that is held."""

        def work(connection: Connection[TupleRow]) -> None:
            connection.execute(f"SELECT pg_advisory_unlock({_NUMBER})", (key,))

        self._held.discard(key)
        with suppress(HopyardError):  # a lost connection holds nothing
            self._database.run(work)

    def seal(self, text: str) -> bytes:
        """The text as bytes, encrypted with the key of threads. It may have a NUL."""
        kind, data = self._serde.dumps_typed(text)
        return kind.encode() + b"\n" + data

    def unseal(self, value: bytes) -> str:
        """The text that `seal` was given."""
        kind, _, data = value.partition(b"\n")
        return str(self._serde.loads_typed((kind.decode(), data)))

    def scrub(self) -> None:
        """Nothing: the server's own VACUUM takes deleted rows off its disk."""

    def close(self) -> None:
        """Close the connection."""
        self._database.close()


@lru_cache(maxsize=64)
def _translated(query: str) -> str:
    """A query whose values have the form that psycopg reads: `%(name)s`."""
    return re.sub(r":(\w+)", r"%(\1)s", query)
