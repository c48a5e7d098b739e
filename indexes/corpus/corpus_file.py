"""The corpus's SQLite file: its name, how it is opened, and what its errors mean."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

from hopyard.state.errors import IndexMissingError

__all__ = ("BUSY_SECONDS", "CORPUS_FILE", "columns_of", "corpus_error", "corpus_uri")

CORPUS_FILE: Final = "corpus.sqlite"
BUSY_SECONDS: Final = 30.0
"""How long a connection waits for another one's write."""


def corpus_error(directory: Path, error: sqlite3.Error) -> IndexMissingError:
    """The error for a corpus file that SQLite cannot use."""
    if type(error) is sqlite3.DatabaseError:  # its subclasses: missing, locked, the disk full, …
        cure = "it is damaged, so delete that file"
    else:
        cure = "fix the problem"
    return IndexMissingError(
        f"The index file {str(directory / CORPUS_FILE)!r} cannot be used ({error}): {cure} and run "
        f"`hopyard index build PATH… --out {directory}`; the ledger keeps the answers of the model."
    )


def corpus_uri(directory: Path) -> str:
    """The corpus file as SQLite opens it for reading."""
    file = directory / CORPUS_FILE
    # SQLite needs to write beside a database in WAL mode, even to read it, unless it is told that
    # nobody else does: so an index in a read-only place (an image, a mounted disk) is immutable.
    written = file.with_name(f"{file.name}-wal").exists() or os.access(file.parent, os.W_OK)
    return f"{file.absolute().as_uri()}?mode={'rw' if written else 'ro&immutable=1'}"


def columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """The names of a table's columns; none where there is no such table."""
    return {column[1] for column in connection.execute(f"PRAGMA table_info({table})")}
