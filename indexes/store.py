"""The corpus store: SQLite, written by one build at a time.

A build writes the rows of generation g+1 beside those that readers of generation g see. Until the
manifest names g+1 these rows count for nothing, and the next build takes them back. Vectors are
kept by what was embedded, batch by batch, so a build that was killed embeds nothing twice.
"""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from hopyard.indexes.records import Document, Passage, embedded_text
from hopyard.indexes.seal import seal
from hopyard.indexes.snapshot import BUSY_SECONDS, CORPUS_FILE, corpus_error
from hopyard.models.embedder import Vectors
from hopyard.state.errors import CorpusError

__all__ = ("CorpusStore", "Pending")

logger = logging.getLogger(__name__)

_VERSIONED: Final = ("documents", "passages")

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
    removed INTEGER
);
CREATE TABLE IF NOT EXISTS vectors (
    content_hash TEXT NOT NULL,
    embedding TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (content_hash, embedding)
);
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


class Pending(NamedTuple):
    """A text that still has no vector."""

    content_hash: str
    row: int
    """A passage that has this text."""


class CorpusStore:
    """The writing side of the corpus. One build at a time holds it (see `lock`).

    Every method raises `IndexMissingError` when the file cannot be read or written.
    """

    def __init__(self, directory: Path) -> None:
        """Open the store of an index directory, and create it if need be."""
        self._directory = directory
        with self._errors():
            self._connection = sqlite3.connect(
                directory / CORPUS_FILE, timeout=BUSY_SECONDS, isolation_level=None
            )
            self._connection.execute("PRAGMA journal_mode = WAL")
            # The manifest is forced to the disk, so what it speaks of must be there before it.
            self._connection.execute("PRAGMA synchronous = FULL")
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
                self._run(f"DELETE FROM {table} WHERE added > ?", generation)
                self._run(f"UPDATE {table} SET removed = NULL WHERE removed > ?", generation)
            self._run("UPDATE generations SET oldest = ?1 WHERE oldest > ?1", generation)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each live document, by its id."""
        return dict(self._run("SELECT id, fingerprint FROM documents WHERE removed IS NULL"))

    def put(
        self, document: Document, fingerprint: str, passages: Sequence[Passage], generation: int
    ) -> None:
        """Add a document or update it, inside a transaction. Passages that stay are not touched.

        Raises:
            CorpusError: Another document has a passage of the same id.
        """
        self._retire("documents", "id", [document.id], generation)
        self._run(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
            document.id, document.title, document.text,
            json.dumps(dict(document.metadata), sort_keys=True), document.source,
            fingerprint, generation,
        )  # fmt: skip
        rows = {
            (p.id, p.document_id, p.position, p.title, p.text, p.content_hash, p.tokens)
            for p in passages
        }
        live = set(
            self._run(
                "SELECT id, document_id, position, title, text, content_hash, tokens "
                "FROM passages WHERE document_id = ? AND removed IS NULL",
                document.id,
            )
        )
        self._retire("passages", "id", [row[0] for row in live - rows], generation)
        try:
            self._connection.executemany(
                "INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
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

    def pending(self, embedding: str, dimension: int) -> list[Pending]:
        """The texts of live passages that `embedding` has not embedded yet.

        Returns:
            The longest first, equally long ones by hash: the order never depends on what is
            already done, so a resumed build cuts the rest into the same batches.
        """
        rows = self._run(
            "SELECT content_hash, min(rowid) FROM passages WHERE removed IS NULL AND NOT EXISTS ("
            "SELECT 1 FROM vectors WHERE vectors.content_hash = passages.content_hash "
            "AND embedding = ? AND length(vector) = ?) "
            "GROUP BY content_hash ORDER BY length(title) + length(text) DESC, content_hash",
            embedding, 4 * dimension,
        )  # fmt: skip
        return [Pending(*row) for row in rows]

    def texts(self, pending: Sequence[Pending]) -> list[str]:
        """What is to be embedded, in order."""
        rows = self._run(
            "SELECT rowid, title, text FROM passages "
            "WHERE rowid IN (SELECT value FROM json_each(?))",
            json.dumps([item.row for item in pending]),
        )
        found = {row: embedded_text(title, text) for row, title, text in rows}
        return [found[item.row] for item in pending]

    def add_vectors(self, embedding: str, pending: Sequence[Pending], vectors: Vectors) -> None:
        """Store the vectors [n, d] of n texts; from here on they are never embedded again."""
        with self.transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [
                    (item.content_hash, embedding, vector.astype("<f4").tobytes())
                    for item, vector in zip(pending, vectors, strict=True)
                ],
            )

    def purge(self, generation: int, embedding: str) -> None:
        """Drop what no reader of `generation`, or of the one before it, can see."""
        with self.transaction():
            for table in _VERSIONED:
                self._run(f"DELETE FROM {table} WHERE removed < ?", generation)
            self._run(
                "DELETE FROM vectors WHERE embedding != ? OR NOT EXISTS (SELECT 1 FROM passages "
                "WHERE passages.content_hash = vectors.content_hash)",
                embedding,
            )
            self._run("UPDATE generations SET oldest = ?", generation - 1)

    def _retire(self, table: str, column: str, keys: Sequence[str], generation: int) -> None:
        self._run(
            f"UPDATE {table} SET removed = ? WHERE removed IS NULL "
            f"AND {column} IN (SELECT value FROM json_each(?))",
            generation, json.dumps(list(keys)),
        )  # fmt: skip

    def _run(self, sql: str, *parameters: str | int) -> list[tuple[Any, ...]]:
        with self._errors():
            return self._connection.execute(sql, parameters).fetchall()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise corpus_error(self._directory, error) from error
