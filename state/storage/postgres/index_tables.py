"""The tables of indexes in Postgres: generations, their files, chunks of these, and vectors."""

from __future__ import annotations

from typing import Final

from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.state.storage.postgres.connection import lock_number
from hopyard.state.storage.postgres.vector_rows import vector_table
from hopyard.state.storage.stored_files import Files, StoredFile

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
STEPS: Final = (
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


def newest_of(connection: Connection[TupleRow], name: str) -> int:
    """The number of an index's last generation; 0 where nothing was published."""
    if not has_table(connection, "index_generations"):
        return 0
    query = "SELECT coalesce(max(number), 0) FROM index_generations WHERE name = %s"
    return int((connection.execute(query, (name,)).fetchone() or (0,))[0])


def files_of(connection: Connection[TupleRow], name: str, number: int) -> Files:
    """The files of a generation; none if it was removed."""
    query = "SELECT path, size, chunks FROM index_files WHERE name = %s AND number = %s"
    rows = connection.execute(query, (name, number), binary=True)
    return {path: StoredFile(size, tuple(chunks)) for path, size, chunks in rows}


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
