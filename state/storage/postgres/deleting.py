"""Deleting indexes, and vectors that no index uses, from Postgres."""

from __future__ import annotations

from typing import Final

from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.state.storage.postgres.connection import lock_number
from hopyard.state.storage.postgres.vector_rows import vector_table

INDEX_NUMBER: Final = lock_number("index", "%s")
"""The number of the lock of an index, by its name."""
_FILES: Final = ("index_generations", "index_files", "index_chunks", "index_readers")
"""The tables with rows of an index, beside those of its vectors."""
_WORK: Final = ("work_items", "work_batches")
"""The tables with the work of its builds: a killed build continues it, and has paid for some."""
_LEFT: Final = """
SELECT name FROM index_chunks UNION SELECT name FROM index_vectors
EXCEPT SELECT name FROM index_generations
"""


def delete(connection: Connection[TupleRow], names: list[str]) -> None:
    """Delete all that the database has of some indexes, inside a transaction."""
    _delete(connection, names, (*_FILES, *_WORK))


def _delete(connection: Connection[TupleRow], names: list[str], tables: tuple[str, ...]) -> None:
    _drop_vectors(connection, "name = ANY(%s)", names)
    for table in tables:
        if has_table(connection, table):
            connection.execute(f"DELETE FROM {table} WHERE name = ANY(%s)", (names,))


def drop_unused(connection: Connection[TupleRow], name: str, generation: int) -> None:
    """Drop former vectors of an index, and what is left of indexes that nobody builds now.

    Their work stays.

    Args:
        generation: Vectors that were last written before this generation of the index go.
    """
    lock = f"SELECT pg_try_advisory_xact_lock({INDEX_NUMBER})"
    left = [other for (other,) in connection.execute(_LEFT).fetchall()]
    free = [each for each in left if connection.execute(lock, (each,)).fetchone() == (True,)]
    _delete(connection, free, _FILES)
    old = "name = %s AND nullif(split_part(written, '-', 1), '')::bigint < %s"
    _drop_vectors(connection, old, name, generation)


def has_table(connection: Connection[TupleRow], table: str) -> bool:
    """Whether the database has a table."""
    return connection.execute("SELECT to_regclass(%s)", (table,)).fetchone() != (None,)


def _drop_vectors(connection: Connection[TupleRow], where: str, *values: object) -> None:
    query = f"DELETE FROM index_vectors WHERE {where} RETURNING name, dimension"
    for table in (vector_table(*each) for each in connection.execute(query, values).fetchall()):
        connection.execute(f"DROP TABLE IF EXISTS {table}, {table}_rows")
