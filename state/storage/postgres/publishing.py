"""Publishes generations of an index in Postgres: chunks first, the rest in one transaction."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeVar

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.state.errors import IndexBusyError
from hopyard.state.storage.postgres.connection import Database
from hopyard.state.storage.postgres.index_tables import (
    INDEX_NUMBER,
    delete,
    drop_unused,
    files_of,
    newest_of,
)
from hopyard.state.storage.postgres.locks import KEEP_ALIVE, holder_query
from hopyard.state.storage.stored_files import Files, chunk_size, parts

T = TypeVar("T")

_WORTH: Final = 0.9
"""A chunk is kept compressed where this saves a tenth; vectors hardly get smaller."""


class Publisher:
    """Publishes generations while it holds the lock of the index; `IndexFiles.hold` makes one."""

    def __init__(self, database: Database, name: str, shown: str) -> None:
        self._database, self._name, self._shown = database, name, shown
        self._locked: Connection[TupleRow] | None = None
        self._written: dict[int, str] = {}

    def run(self, work: Callable[[Connection[TupleRow]], T]) -> T:
        """Do some work under the lock, which is taken again after a lost connection.

        Raises:
            IndexBusyError: Another process has taken the lock meanwhile.
        """

        def locked(connection: Connection[TupleRow]) -> T:
            if connection is not self._locked:
                connection.execute(KEEP_ALIVE)
                taken = connection.execute(
                    f"SELECT pg_try_advisory_lock({INDEX_NUMBER})", (self._name,)
                )
                if not (taken.fetchone() or [False])[0]:
                    raise self._busy(connection)
                self._locked = connection
            return work(connection)

        return self._database.run(locked)

    def release(self) -> None:
        """Release the lock: a server under load may notice a closed connection later."""
        if self._locked is not None:
            with suppress(psycopg.Error):
                self._locked.execute("SELECT pg_advisory_unlock_all()")

    def write(self, base: int, work: Callable[[Connection[TupleRow]], T]) -> T:
        """Do some work in one transaction, unless another process has published meanwhile.

        Args:
            base: As for `publish`.

        Raises:
            IndexBusyError: Another process builds the index, or has published.
        """

        def whole(connection: Connection[TupleRow]) -> T:
            with connection.transaction():
                if newest_of(connection, self._name) != base:
                    raise self.overtaken()
                return work(connection)

        return self.run(whole)

    def holds(self, dimension: int, written: str) -> bool:
        """Whether the vectors are those of one build; if others have come, nothing is published.

        Args:
            dimension: Of the vectors.
            written: The mark of the build that wrote them.
        """
        self._written[dimension] = written
        return self.run(self._has_written)

    def _has_written(self, connection: Connection[TupleRow]) -> bool:
        query = "SELECT dimension, written FROM index_vectors WHERE name = %s"
        found: dict[int, str] = dict(connection.execute(query, (self._name,)).fetchall())
        return self._written.items() <= found.items()

    def publish(
        self,
        base: int,
        files: Files,
        read: Callable[[str, int], bytes],
        tell: Callable[[int, int], None],
        *,
        clean: int,
    ) -> int:
        """Publish a generation, and remove what only generations before the last one have.

        Args:
            base: The number of the generation that the build began from.
            read: Reads a chunk, by the path of its file and its place there.
            tell: Called with the bytes that are sent, and with their sum.
            clean: If not 0, remove the last generation too, vectors that were last written before
                this generation of the index, and what is left of deleted indexes.

        Returns:
            The number of the generation.

        Raises:
            IndexBusyError: Another process has published meanwhile.
            HopyardError: The database fails, or the disk of the server is full.
        """
        places = {
            digest: (path, place)
            for path, file in files.items()
            for place, digest in enumerate(file.chunks)
        }
        held = self.run(self._digests)
        lacking = [digest for digest in places if digest not in held]
        sizes = [chunk_size(files[places[digest][0]].size) for digest in lacking]
        done, total = 0, sum(sizes)
        tell(done, total)
        for part in parts(sizes):
            some = lacking[part]
            rows = [(self._name, digest, *_deflated(read(*places[digest]))) for digest in some]
            self.run(partial(_insert, rows=rows))
            done += sum(sizes[part])
            tell(done, total)
        # An index that was deleted and built again takes no number twice.
        number = max(base + 1, time.time_ns() // 1000)
        return self.run(lambda connection: self._commit(connection, base, number, files, clean))

    def delete(self) -> None:
        """Delete the index: its generations, chunks, vectors and work.

        Raises:
            IndexBusyError: Another process builds the index.
            HopyardError: The database fails, or the tables of the vectors are another role's.
        """

        def work(connection: Connection[TupleRow]) -> None:
            with connection.transaction():
                delete(connection, [self._name])

        self.run(work)

    def _digests(self, connection: Connection[TupleRow]) -> set[bytes]:
        query = "SELECT digest FROM index_chunks WHERE name = %s"
        return {digest for (digest,) in connection.execute(query, (self._name,), binary=True)}

    def _commit(
        self, connection: Connection[TupleRow], base: int, number: int, files: Files, clean: int
    ) -> int:
        name = self._name
        with connection.transaction():
            newest = newest_of(connection, name)
            if newest == number and files_of(connection, name, number) == files:
                return number  # the connection was lost while the server confirmed it
            if newest != base:
                raise self.overtaken()
            if not self._has_written(connection):
                raise IndexBusyError(
                    f"Another build of the index {self._shown!r} has written its vectors since: "
                    "run the same command again, which writes those of this build again."
                )
            connection.execute(
                "INSERT INTO index_generations (name, number) VALUES (%s, %s)", (name, number)
            )
            rows = [(name, number, path, file.size, [*file.chunks]) for path, file in files.items()]
            with connection.cursor() as cursor:
                cursor.executemany("INSERT INTO index_files VALUES (%s, %s, %s, %s, %s)", rows)
            oldest = number if clean else base
            for table in ("index_files", "index_generations"):
                connection.execute(
                    f"DELETE FROM {table} WHERE name = %s AND number < %s", (name, oldest)
                )
            connection.execute(
                "DELETE FROM index_chunks WHERE name = %s AND digest NOT IN "
                "(SELECT unnest(chunks) FROM index_files WHERE name = %s)",
                (name, name),
            )
            if clean:  # what another role owns stays
                with suppress(psycopg.errors.InsufficientPrivilege), connection.transaction():
                    drop_unused(connection, name, clean)
        return number

    def overtaken(self) -> IndexBusyError:
        """The error where another process has published since this build began."""
        return IndexBusyError(
            f"Another process has published a newer generation of the index {self._shown!r} since "
            "this build began: run the same command again, which continues from that generation."
        )

    def _busy(self, connection: Connection[TupleRow]) -> IndexBusyError:
        row = connection.execute(holder_query("index"), (self._name,)).fetchone()
        program, pid, host, *_ = f"{row[0] if row else ''} - - -".split()
        who = f"process {pid} on {host}" if program == "hopyard" else "another process"
        return IndexBusyError(
            f"The index {self._shown!r} is being built by {who}: wait for it to end, then run the "
            "same command again."
        )


def _insert(connection: Connection[TupleRow], rows: Sequence[tuple[Any, ...]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO index_chunks VALUES (%s, %b, %s, %b) ON CONFLICT DO NOTHING", rows
        )


def _deflated(data: bytes) -> tuple[bool, bytes]:
    """Whether a chunk is kept compressed, and what is kept."""
    packed = zlib.compress(data, 1)
    return (True, packed) if len(packed) < _WORTH * len(data) else (False, data)
