"""The tables of an index in Postgres: its generations, their files, and the chunks of these."""

from __future__ import annotations

from typing import Final

from psycopg import Connection
from psycopg.rows import TupleRow

from hopyard.state.storage.stored_files import Files, StoredFile

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
    query = "SELECT coalesce(max(number), 0) FROM index_generations WHERE name = %s"
    return int((connection.execute(query, (name,)).fetchone() or (0,))[0])


def files_of(connection: Connection[TupleRow], name: str, number: int) -> Files:
    """The files of a generation; none if it was removed."""
    query = "SELECT path, size, chunks FROM index_files WHERE name = %s AND number = %s"
    rows = connection.execute(query, (name, number), binary=True)
    return {path: StoredFile(size, tuple(chunks)) for path, size, chunks in rows}
