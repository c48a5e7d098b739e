"""The files of an index in Postgres: chunks by their content, and the generations made of them.

A chunk is kept once, however many generations have it. A generation is published in one
transaction: until then, readers see the former generation.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final, TypeVar

import psycopg
from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.state.errors import IndexBusyError
from hopyard.state.storage.postgres.connection import Database, Place, migrate
from hopyard.state.storage.postgres.deleting import INDEX_NUMBER, delete, drop_unused, has_table
from hopyard.state.storage.postgres.locks import KEEP_ALIVE, holder_query
from hopyard.state.storage.stored_files import CHUNK, Files, StoredFile, chunk_size, is_chunk, parts

T = TypeVar("T")

_WORTH: Final = 0.9
"""A chunk is kept compressed where this saves a tenth; vectors hardly get smaller."""

_STEPS: Final = (
    """
CREATE TABLE index_generations (
    name TEXT NOT NULL,
    number BIGINT NOT NULL,
    published TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (name, number)
);
CREATE TABLE index_files (
    name TEXT NOT NULL,
    number BIGINT NOT NULL,
    path TEXT NOT NULL,
    size BIGINT NOT NULL,
    chunks BYTEA[] NOT NULL,
    PRIMARY KEY (name, number, path)
);
CREATE TABLE index_chunks (
    name TEXT NOT NULL,
    digest BYTEA NOT NULL,
    compressed BOOLEAN NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (name, digest)
);
ALTER TABLE index_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
""",
    """
CREATE TABLE index_vectors (
    name TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    oldest BIGINT NOT NULL,
    PRIMARY KEY (name, dimension)
);
CREATE TABLE index_readers (
    name TEXT NOT NULL,
    id INTEGER NOT NULL,
    groups JSONB NOT NULL,
    PRIMARY KEY (name, id)
);
""",
    "ALTER TABLE index_vectors ADD written TEXT NOT NULL DEFAULT ''",
)
"""The statements of each version. A released text never changes."""


class IndexFiles:
    """The files of one index.

    Args:
        shown: The address for people.
    """

    def __init__(self, address: str, name: str, shown: str) -> None:
        self._place = Place(address, f"The index {name!r}", "its address")
        self._name, self._shown = name, shown

    def newest(self) -> int:
        """The number of the last generation; 0 where nothing was published.

        Raises:
            HopyardError: The database cannot be used.
        """
        return self._read(self._newest)

    def files(self, number: int) -> Files:
        """The files of a generation; none if it was removed.

        Raises:
            HopyardError: The database cannot be used.
        """
        return self._read(lambda connection: _files(connection, self._name, number))

    def size(self) -> int:
        """The bytes of all chunks; 0 if the database has nothing of the index.

        Raises:
            HopyardError: The database cannot be used.
        """

        def work(connection: Connection[TupleRow]) -> int:
            if not has_table(connection, "index_chunks"):
                return 0
            query = (
                "SELECT (SELECT coalesce(sum(length(data)), 0) FROM index_chunks WHERE name = %s) "
                "+ (SELECT count(*) FROM index_generations WHERE name = %s)"
            )
            [size] = connection.execute(query, (self._name, self._name)).fetchone() or (0,)
            return int(size)

        return self._read(work)

    @contextmanager
    def reading(self) -> Iterator[Callable[[Sequence[bytes]], dict[bytes, bytes]]]:
        """A function that reads a few chunks by their digests, over one connection.

        It leaves out those that were removed or are damaged.
        """
        query = (
            "SELECT digest, compressed, data FROM index_chunks WHERE name = %s AND digest = ANY(%s)"
        )
        database = Database(self._place)

        def read(digests: Sequence[bytes]) -> dict[bytes, bytes]:
            def work(connection: Connection[TupleRow]) -> list[TupleRow]:
                return connection.execute(query, (self._name, digests), binary=True).fetchall()

            rows = database.run(work)
            found = {digest: _inflated(data) if packed else data for digest, packed, data in rows}
            return {digest: data for digest, data in found.items() if is_chunk(data, digest)}

        try:
            yield read
        finally:
            database.close()

    @contextmanager
    def hold(self) -> Iterator[Publisher]:
        """Be the only builder of the index, on whatever machine. The tables are made if need be.

        Raises:
            IndexBusyError: Another process builds it.
            HopyardError: The database cannot be used, or the role lacks a right.
        """
        database = Database(self._place)
        publisher = Publisher(database, self._name, self._shown)
        try:
            migrate(database, self._place, "indexes", _STEPS)
            publisher.run(self._newest)
            yield publisher
        finally:
            publisher.release()
            database.close()

    def _newest(self, connection: Connection[TupleRow]) -> int:
        there = has_table(connection, "index_generations")
        return _newest(connection, self._name) if there else 0

    def _read(self, work: Callable[[Connection[TupleRow]], T]) -> T:
        database = Database(self._place)
        try:
            return database.run(work)
        finally:
            database.close()


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
                if _newest(connection, self._name) != base:
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
            newest = _newest(connection, name)
            if newest == number and _files(connection, name, number) == files:
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


def _newest(connection: Connection[TupleRow], name: str) -> int:
    query = "SELECT coalesce(max(number), 0) FROM index_generations WHERE name = %s"
    return int((connection.execute(query, (name,)).fetchone() or (0,))[0])


def _files(connection: Connection[TupleRow], name: str, number: int) -> Files:
    query = "SELECT path, size, chunks FROM index_files WHERE name = %s AND number = %s"
    rows = connection.execute(query, (name, number), binary=True)
    return {path: StoredFile(size, tuple(chunks)) for path, size, chunks in rows}


def _insert(connection: Connection[TupleRow], rows: Sequence[tuple[Any, ...]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO index_chunks VALUES (%s, %b, %s, %b) ON CONFLICT DO NOTHING", rows
        )


def _deflated(data: bytes) -> tuple[bool, bytes]:
    """Whether a chunk is kept compressed, and what is kept."""
    packed = zlib.compress(data, 1)
    return (True, packed) if len(packed) < _WORTH * len(data) else (False, data)


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, CHUNK)
    except zlib.error:  # its digest will not fit
        return b""
