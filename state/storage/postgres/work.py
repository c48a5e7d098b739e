"""Work of builds in Postgres: items that the processes of several machines take and finish.

A process takes an item with a lease and renews it. If the process is killed, the lease ends and
another process takes the item. A result stays until the builder has stored it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import uuid4

from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.state.settings.index_address import IndexAddress
from hopyard.state.storage import work_items
from hopyard.state.storage.postgres.connection import Database, Place, migrate
from hopyard.state.storage.work_items import Item, packed

_STEPS: Final = (
    """
CREATE TABLE work_items (
    name TEXT NOT NULL,
    key BYTEA NOT NULL,
    number BIGINT GENERATED ALWAYS AS IDENTITY,
    kind TEXT NOT NULL,
    payload BYTEA NOT NULL,
    worker TEXT NOT NULL DEFAULT '',
    lease TIMESTAMPTZ NOT NULL DEFAULT '-infinity',
    failed BOOLEAN NOT NULL DEFAULT false,
    result BYTEA,
    PRIMARY KEY (name, key)
);
CREATE INDEX work_items_left ON work_items (name, kind, number) WHERE result IS NULL;
CREATE TABLE work_batches (
    name TEXT NOT NULL,
    batch TEXT NOT NULL,
    digests TEXT[] NOT NULL,
    PRIMARY KEY (name, batch)
);
""",
    "ALTER TABLE work_items ADD takes INTEGER NOT NULL DEFAULT 0",
)
"""The statements of each version. A released text never changes."""
_TAKES: Final = 5
"""Processes that may end without a result while they have an item."""
_GIVEN_UP: Final = packed(
    {
        "message": f"{_TAKES} processes have ended while they worked on a call: see their output.",
        "reason": "unfinished",
        "cause": "",
    }
)
_PUT: Final = f"""
INSERT INTO work_items (name, key, kind, payload) VALUES (%s, %s, %s, %s)
ON CONFLICT (name, key) DO UPDATE
SET failed = false, result = NULL, kind = excluded.kind, payload = excluded.payload, takes = 0
WHERE (work_items.failed OR work_items.takes >= {_TAKES}) AND %s
OR work_items.result IS NULL AND work_items.kind <> excluded.kind
"""
_TAKE: Final = f"""
WITH chosen AS (
    SELECT key FROM work_items
    WHERE name = %s AND kind = %s AND result IS NULL AND lease < now() AND takes < {_TAKES}
    ORDER BY number LIMIT %s FOR UPDATE SKIP LOCKED
)
UPDATE work_items SET lease = now() + %s, worker = %s, takes = takes + 1
FROM chosen WHERE name = %s AND work_items.key = chosen.key
RETURNING work_items.key, payload
"""

_RENEW: Final = """
WITH own AS (
    SELECT key FROM work_items WHERE name = %s AND key = ANY(%s) AND worker = %s
    ORDER BY key FOR UPDATE
)
UPDATE work_items SET lease = now() + %s, takes = takes - %s
FROM own WHERE name = %s AND work_items.key = own.key
"""


class WorkQueue:
    """The work of one index. Safe to use from several threads.

    Raises:
        HopyardError: The database cannot be used.
    """

    def __init__(self, address: IndexAddress) -> None:
        place = Place(address.database, f"The work of the index {address.name!r}", "its address")
        self._name, self._database = address.name, Database(place)
        # Processes of two containers may have the same number and host name.
        self._worker = f"{place.options['application_name']} {uuid4().hex[:8]}"
        try:
            migrate(self._database, place, "work", _STEPS)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._database.close()

    def put(self, items: Sequence[Item], *, again: bool = False) -> None:
        """Add items. One that is there already keeps its result; an error only if put `again`."""
        # All write in one order: two that put the same items never wait for each other.
        ordered = sorted(items, key=lambda item: item.key)
        rows = [(self._name, item.key, item.kind, item.data, not again) for item in ordered]

        def work(connection: Connection[TupleRow]) -> None:
            with connection.transaction(), connection.cursor() as cursor:
                cursor.executemany(_PUT, rows)

        if rows:
            self._database.run(work)

    def take(self, kind: str, most: int) -> list[Item]:
        """Take items that nobody works on: the oldest first, of one `put` the smallest key."""
        lease = timedelta(seconds=work_items.LEASE)
        rows = self._run(_TAKE, self._name, kind, most, lease, self._worker, self._name)
        return [Item(key, kind, data) for key, data in rows]

    def renew(self, keys: Sequence[bytes], seconds: float | None = None) -> None:
        """Keep items that this process has taken for another lease; 0 gives them back."""
        lease = timedelta(seconds=work_items.LEASE if seconds is None else seconds)
        self._run(
            _RENEW, self._name, list(keys), self._worker, lease, int(seconds == 0), self._name
        )

    def finish(self, item: Item) -> None:
        """Store a result. The first one counts."""
        where = "name = %s AND key = %s AND result IS NULL"
        done = "result = %s, failed = %s, payload = '', lease = '-infinity'"
        query = f"UPDATE work_items SET {done} WHERE {where}"
        self._run(query, item.data, item.failed, self._name, item.key)

    def results(self, keys: Sequence[bytes]) -> list[Item]:
        """The results that are there, and errors for items that end their processes."""
        ended = f"(result IS NOT NULL OR takes >= {_TAKES} AND lease < now())"
        query = f"""SELECT key, kind, coalesce(result, %s), failed OR result IS NULL
            FROM work_items WHERE name = %s AND key = ANY(%s) AND {ended}"""
        return [Item(*row) for row in self._run(query, _GIVEN_UP, self._name, list(keys))]

    def delete(self, keys: Sequence[bytes]) -> None:
        """Delete items whose results the builder has stored."""
        query = "DELETE FROM work_items WHERE name = %s AND key = ANY(%s)"
        self._run(query, self._name, list(keys))

    def clear(self) -> None:
        """Delete all items: the index is built."""
        self._run("DELETE FROM work_items WHERE name = %s", self._name)

    def batches(self) -> dict[str, list[str]]:
        """The digests of the requests in each batch that was sent to a provider."""
        query = "SELECT batch, digests FROM work_batches WHERE name = %s"
        return dict(self._run(query, self._name))

    def add_batch(self, batch: str, digests: Sequence[str]) -> None:
        """Remember a batch that is about to be sent."""
        query = "INSERT INTO work_batches VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
        self._run(query, self._name, batch, list(digests))

    def delete_batch(self, batch: str) -> None:
        """Forget a batch whose results are stored."""
        query = "DELETE FROM work_batches WHERE name = %s AND batch = %s"
        self._run(query, self._name, batch)

    def _run(self, query: str, *values: Any) -> list[TupleRow]:
        def work(connection: Connection[TupleRow]) -> list[TupleRow]:
            cursor = connection.execute(query, values, binary=True)
            return cursor.fetchall() if cursor.description else []

        return self._database.run(work)
