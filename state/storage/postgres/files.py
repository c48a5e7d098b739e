"""The files of an index in Postgres: chunks by their content, and the generations made of them.

A chunk is kept once, however many generations have it. A generation is published in one
transaction: until then, readers see the former generation.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.state.storage.postgres.connection import Database, Place, migrate
from hopyard.state.storage.postgres.index_tables import STEPS, files_of, has_table, newest_of
from hopyard.state.storage.postgres.publishing import Publisher
from hopyard.state.storage.stored_files import CHUNK, Files, is_chunk

T = TypeVar("T")


class IndexFiles:
    """The files of one index. Every method raises `HopyardError` if the database cannot be used.

    Args:
        shown: The address for people.
    """

    def __init__(self, address: str, name: str, shown: str) -> None:
        self._place = Place(address, f"The index {name!r}", "its address")
        self._name, self._shown = name, shown

    def newest(self) -> int:
        """The number of the last generation; 0 where nothing was published."""
        return self._read(lambda connection: newest_of(connection, self._name))

    def files(self, number: int) -> Files:
        """The files of a generation; none if it was removed."""
        return self._read(lambda connection: files_of(connection, self._name, number))

    def size(self) -> int:
        """The bytes of all chunks; 0 if the database has nothing of the index."""

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
            migrate(database, self._place, "indexes", STEPS)
            publisher.run(lambda _: None)
            yield publisher
        finally:
            publisher.release()
            database.close()

    def _read(self, work: Callable[[Connection[TupleRow]], T]) -> T:
        database = Database(self._place)
        try:
            return database.run(work)
        finally:
            database.close()


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, CHUNK)
    except zlib.error:  # its digest will not fit
        return b""
