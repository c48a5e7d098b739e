"""SQLite files of an index: the corpus's name, opening, transactions, and what errors mean."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hopyard.state.errors import HopyardError, IndexMissingError

VERSIONED: Final = ("documents", "passages")
"""The tables whose rows say which generation added and which removed them."""

OF_DOCUMENTS: Final = ("continuations", "boxes", "readings")
"""The tables whose rows belong to a row of `documents`: to its id, and the generation of it."""

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS documents (
    id TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL,
    source TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER
);
CREATE TABLE IF NOT EXISTS passages (
    id TEXT NOT NULL,
    document_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER,
    header TEXT NOT NULL DEFAULT '',
    pages TEXT NOT NULL DEFAULT '',
    section TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS continuations (
    document_id TEXT NOT NULL,
    added INTEGER NOT NULL,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (document_id, added, number)
);
CREATE TABLE IF NOT EXISTS boxes (
    document_id TEXT NOT NULL,
    added INTEGER NOT NULL,
    page INTEGER NOT NULL,
    boxes BLOB NOT NULL,
    PRIMARY KEY (document_id, added, page)
);
CREATE TABLE IF NOT EXISTS readings (
    document_id TEXT NOT NULL,
    added INTEGER NOT NULL,
    reading TEXT NOT NULL,
    PRIMARY KEY (document_id, added)
);
CREATE TABLE IF NOT EXISTS vectors (
    namespace TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    embedding TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (namespace, content_hash, embedding)
);
CREATE TEMPORARY TABLE used (
    namespace TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (namespace, content_hash)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS builds (generation INTEGER PRIMARY KEY, began TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS generations (oldest INTEGER NOT NULL);
INSERT INTO generations SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM generations);

CREATE INDEX IF NOT EXISTS passages_document ON passages (document_id);
CREATE INDEX IF NOT EXISTS passages_content ON passages (content_hash);
""" + "".join(
    f"""
CREATE INDEX IF NOT EXISTS {table}_id ON {table} (id);
CREATE INDEX IF NOT EXISTS {table}_added ON {table} (added);
CREATE INDEX IF NOT EXISTS {table}_removed ON {table} (removed) WHERE removed IS NOT NULL;
CREATE UNIQUE INDEX IF NOT EXISTS {table}_live ON {table} (id) WHERE removed IS NULL;
"""
    for table in VERSIONED
)


CORPUS_FILE: Final = "corpus.sqlite"
_HEADER: Final = 100
"""Bytes of SQLite's header: the size of a page from byte 16, the number of pages from byte 28."""
BUSY_SECONDS: Final = 30.0
"""How long a connection waits for another one's write."""


def corpus_error(directory: Path, error: sqlite3.Error) -> IndexMissingError:
    """The error for a corpus file that SQLite cannot use."""
    # The subclasses of DatabaseError say: missing, locked, the disk full. An empty file is damaged.
    if type(error) is sqlite3.DatabaseError or "no such table" in str(error):
        cure = "it is damaged, so delete that file"
    else:
        cure = "fix the problem"
    return IndexMissingError(
        f"The index file {str(directory / CORPUS_FILE)!r} cannot be used ({error}): {cure} and run "
        f"`hopyard index build PATH… --out {directory}`; the ledger keeps the answers of the model."
    )


def uri_of(file: Path) -> str:
    """The address of a file of an index, as SQLite opens it for reading."""
    # SQLite needs to write beside a database in WAL mode, even to read it, unless nobody writes
    # it (`immutable`), as in a read-only place: an image or a mounted disk.
    written = file.with_name(f"{file.name}-wal").exists() or os.access(file.parent, os.W_OK)
    return f"{file.absolute().as_uri()}?mode={'rw' if written else 'ro&immutable=1'}"


@contextmanager
def transaction(connection: sqlite3.Connection, savepoint: str = "") -> Iterator[None]:
    """All the writes in the block, or none of them.

    Args:
        connection: Writes the file.
        savepoint: A name, inside a transaction that continues after the block; "" begins one.
    """
    begin, end, undo = "BEGIN IMMEDIATE", "COMMIT", ["ROLLBACK"]
    if savepoint:
        begin, end = f"SAVEPOINT {savepoint}", f"RELEASE {savepoint}"
        undo = [f"ROLLBACK TO {savepoint}", end]
    connection.execute(begin)
    try:
        yield
        connection.execute(end)
    except BaseException:
        if connection.in_transaction:  # SQLite may have ended it by itself
            for statement in undo:
                connection.execute(statement)
        raise


def check_structure(connection: sqlite3.Connection) -> None:
    """Have SQLite check the pages of its file.

    Raises:
        sqlite3.DatabaseError: A page is damaged.
    """
    [verdict] = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def is_cut(file: Path) -> bool:
    """Whether a SQLite file is shorter than its header says, which SQLite itself may not notice.

    Of a file with a log nothing is said: the log may hold what the file lacks.
    """
    if file.with_name(f"{file.name}-wal").exists():
        return False
    with file.open("rb") as opened:
        header = opened.read(_HEADER)
    page = int.from_bytes(header[16:18]) or 1
    pages = int.from_bytes(header[28:32])
    size = 65536 if page == 1 else page
    return file.stat().st_size < max(_HEADER, pages * size)


def rewrite(connection: sqlite3.Connection, file: Path) -> None:
    """Write a SQLite file again without its free pages, and empty its log.

    Raises:
        sqlite3.Error: It cannot be written.
        HopyardError: Another process reads the log, which still has what was deleted.
    """
    connection.execute("VACUUM")
    [busy, *_] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise HopyardError(
            f"The log of {str(file)!r} still has removed text, because another process reads it: "
            "end that process, then run `hopyard index vacuum` again."
        )


def columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns; none where there is no such table."""
    return {column[1] for column in connection.execute(f"PRAGMA table_info({table})")}
