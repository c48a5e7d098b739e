"""The corpus store: SQLite, written by one build at a time.

A build writes the rows of generation g+1 beside those that readers of generation g see. Until the
manifest names g+1 these rows count for nothing, and the next build takes them back. The table
`vectors` belongs to no generation (see `vectors`).
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

from hopyard.indexes.records import Document, Passage
from hopyard.indexes.seal import seal
from hopyard.indexes.snapshot import BUSY_SECONDS, CORPUS_FILE, columns_of, corpus_error
from hopyard.state.errors import CorpusError

__all__ = ("CorpusStore",)

logger = logging.getLogger(__name__)

_VERSIONED: Final = ("documents", "passages")

_ROW: Final = "id, document_id, position, title, text, content_hash, tokens, header, pages, section"

_SCHEMA: Final = """
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
    for table in _VERSIONED
)


_FROM_FORMAT_1: Final = """
BEGIN;
ALTER TABLE vectors RENAME TO vectors_of_passages;
CREATE TABLE vectors (
    namespace TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    embedding TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (namespace, content_hash, embedding)
);
INSERT INTO vectors SELECT 'passages', content_hash, embedding, vector FROM vectors_of_passages;
DROP TABLE vectors_of_passages;
COMMIT;
"""

_FROM_FORMAT_2: Final = """
BEGIN;
ALTER TABLE passages ADD COLUMN header TEXT NOT NULL DEFAULT '';
ALTER TABLE passages ADD COLUMN pages TEXT NOT NULL DEFAULT '';
COMMIT;
"""

_FROM_FORMAT_3: Final = "ALTER TABLE passages ADD COLUMN section TEXT NOT NULL DEFAULT ''"


class CorpusStore:
    """The writing side of the corpus. One build at a time holds it (see `lock`).

    Every method raises `IndexMissingError` when the file cannot be read or written.
    """

    def __init__(self, directory: Path) -> None:
        """Open the store of an index directory, and create it if need be."""
        self._directory = directory
        with self._errors():
            # Threads take turns: a build awaits each of them before it starts the next.
            self._connection = sqlite3.connect(
                directory / CORPUS_FILE,
                timeout=BUSY_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            # The manifest is forced to the disk, so what it speaks of must be there before it.
            self._connection.execute("PRAGMA synchronous = FULL")
            for table, column, change in (
                ("vectors", "namespace", _FROM_FORMAT_1),
                ("passages", "pages", _FROM_FORMAT_2),
                ("passages", "section", _FROM_FORMAT_3),
            ):
                columns = columns_of(self._connection, table)
                if columns and column not in columns:
                    self._connection.executescript(change)
            self._connection.executescript(_SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def seal(self) -> None:
        """Say that the file is written no more for now, and what its checksum is."""
        try:
            seal(self._connection, self._directory / CORPUS_FILE)
        except (sqlite3.Error, OSError) as error:  # a full disk: then readers look it through
            logger.warning("%s is left without a checksum: %s", CORPUS_FILE, error)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All the writes in the block, or none of them."""
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def roll_back(self, generation: int) -> None:
        """Take back what a build after `generation` wrote and did not finish; keep its vectors."""
        with self.transaction():
            for table in _VERSIONED:
                self.run(f"DELETE FROM {table} WHERE added > ?", generation)
                self.run(f"UPDATE {table} SET removed = NULL WHERE removed > ?", generation)
            self.run("DELETE FROM builds WHERE generation > ?", generation)
            self.run("UPDATE generations SET oldest = ?1 WHERE oldest > ?1", generation)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each live document, by its id."""
        return dict(self.run("SELECT id, fingerprint FROM documents WHERE removed IS NULL"))

    def sources(self) -> dict[str, str]:
        """The source of each live document, by its id."""
        return dict(self.run("SELECT id, source FROM documents WHERE removed IS NULL"))

    def put(
        self, document: Document, fingerprint: str, passages: Sequence[Passage], generation: int
    ) -> None:
        """Add a document or update it, inside a transaction. Passages that stay are not touched.

        Raises:
            CorpusError: Another document has a passage of the same id.
        """
        self._retire("documents", "id", [document.id], generation)
        began = datetime.now(UTC).isoformat(timespec="seconds")
        self.run("INSERT OR IGNORE INTO builds VALUES (?, ?)", generation, began)
        self.run(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
            document.id, document.title, document.text,
            json.dumps(dict(document.metadata), sort_keys=True), document.source,
            fingerprint, generation,
        )  # fmt: skip
        rows = {
            (
                *(p.id, p.document_id, p.position, p.title, p.text, p.content_hash, p.tokens),
                *(p.header, p.pages, p.section),
            )
            for p in passages
        }
        live = set(
            self.run(
                f"SELECT {_ROW} FROM passages WHERE document_id = ? AND removed IS NULL",
                document.id,
            )
        )
        self._retire("passages", "id", [row[0] for row in live - rows], generation)
        try:
            self._connection.executemany(
                f"INSERT INTO passages ({_ROW}, added) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(*row, generation) for row in sorted(rows - live)],
            )
        except sqlite3.IntegrityError as error:
            raise CorpusError(
                f"A passage of document {document.id!r} has the id of another document's passage: "
                "give one of the two documents another id."
            ) from error

    def remove(self, document_ids: Iterable[str], generation: int) -> None:
        """Remove documents and their passages, inside a transaction."""
        ids = list(document_ids)
        self._retire("documents", "id", ids, generation)
        self._retire("passages", "document_id", ids, generation)

    def purge(self, generation: int) -> None:
        """Drop what no reader of `generation`, or of the one before it, can see."""
        with self.transaction():
            for table in _VERSIONED:
                self.run(f"DELETE FROM {table} WHERE removed < ?", generation)
            self.run("UPDATE generations SET oldest = ?", generation - 1)
            self.run("DELETE FROM builds WHERE generation NOT IN (SELECT added FROM documents)")

    def _retire(self, table: str, column: str, keys: Sequence[str], generation: int) -> None:
        self.run(
            f"UPDATE {table} SET removed = ? WHERE removed IS NULL "
            f"AND {column} IN (SELECT value FROM json_each(?))",
            generation, json.dumps(list(keys)),
        )  # fmt: skip

    def run(self, sql: str, *parameters: str | int) -> list[tuple[Any, ...]]:
        """Execute a statement and fetch its rows."""
        with self._errors():
            return self._connection.execute(sql, parameters).fetchall()

    def write(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a statement for each of some rows, inside a transaction."""
        with self._errors():
            self._connection.executemany(sql, rows)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise corpus_error(self._directory, error) from error
