"""The corpus store: SQLite, written by one build at a time.

A build writes the rows of generation g+1 beside those that readers of generation g see. Until the
manifest names g+1 these rows count for nothing, and the next build takes them back. The table
`vectors` belongs to no generation (see `vectors`).

A document's row holds the first stretch of its text, and `continuations` hold the others, so that
no text need be in memory as a whole. `boxes` hold the places of the words of its pages.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Self

from hopyard.indexes.corpus.corpus_file import (
    BUSY_SECONDS,
    CORPUS_FILE,
    OF_DOCUMENTS,
    SCHEMA,
    VERSIONED,
    corpus_error,
    rewrite,
    transaction,
)
from hopyard.indexes.corpus.generation import COLUMNS
from hopyard.indexes.corpus.long_text import stretches_of
from hopyard.indexes.corpus.records import Document, Passage
from hopyard.state.errors import CorpusError

_AT_ONCE: Final = 1000
"""Passages of a document that are written at once."""

_ROW: Final = ", ".join(COLUMNS)


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
            # Deleted text is overwritten, and leaves the log when the build has ended.
            self._connection.execute("PRAGMA secure_delete = ON")
            # The manifest is forced to the disk, so what it speaks of must be there before it.
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(SCHEMA)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Empty the log, which may have removed text, and close the connection."""
        with suppress(sqlite3.Error):  # a full disk: the next build empties it
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All the writes in the block, or none of them."""
        with self._errors(), transaction(self._connection):
            yield

    def roll_back(self, generation: int) -> None:
        """Take back what a build after `generation` wrote and did not finish; keep its vectors."""
        with self.transaction():
            for table in VERSIONED:
                self.run(f"DELETE FROM {table} WHERE added > ?", generation)
                self.run(f"UPDATE {table} SET removed = NULL WHERE removed > ?", generation)
            for table in OF_DOCUMENTS:
                self.run(f"DELETE FROM {table} WHERE added > ?", generation)
            self.run("DELETE FROM builds WHERE generation > ?", generation)
            self.run("UPDATE generations SET oldest = ?1 WHERE oldest > ?1", generation)

    def fingerprint(self, document_id: str) -> str | None:
        """The fingerprint of a live document; None if no live document has the id."""
        sql = "SELECT fingerprint FROM documents WHERE id = ? AND removed IS NULL"
        return next((row[0] for row in self.run(sql, document_id)), None)

    def count(self) -> int:
        """The number of live documents."""
        [[count]] = self.run("SELECT count(id) FROM documents WHERE removed IS NULL")
        return int(count)

    def sources(self) -> dict[str, str]:
        """The source of each live document, by its id."""
        return dict(self.run("SELECT id, source FROM documents WHERE removed IS NULL"))

    def put(
        self, document: Document, fingerprint: str, passages: Iterable[Passage], generation: int
    ) -> None:
        """Add a document or update it, inside a transaction. Passages that stay are not touched.

        If the passages raise an error, nothing of the document is changed.

        Raises:
            CorpusError: Another document has a passage of the same id.
        """
        with self._errors(), transaction(self._connection, savepoint="document"):
            self._put_document(document, fingerprint, generation)
            try:
                self._put_passages(document.id, passages, generation)
            except sqlite3.IntegrityError as error:
                raise CorpusError(
                    f"A passage of document {document.id!r} has the id of another document's "
                    "passage: give one of the two documents another id."
                ) from error

    def _put_document(self, document: Document, fingerprint: str, generation: int) -> None:
        self._retire("documents", "id", [document.id], generation)
        began = datetime.now(UTC).isoformat(timespec="seconds")
        self.run("INSERT OR IGNORE INTO builds VALUES (?, ?)", generation, began)
        stretches = stretches_of(document.text)
        self.run(
            "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
            document.id, document.title, next(stretches),
            json.dumps(dict(document.metadata), sort_keys=True), document.source,
            fingerprint, generation,
        )  # fmt: skip
        self.write(
            "INSERT INTO continuations VALUES (?, ?, ?, ?)",
            ((document.id, generation, number, text) for number, text in enumerate(stretches)),
        )
        pages = ((page, boxes) for page, boxes in enumerate(document.boxes, start=1) if boxes)
        self.write(
            "INSERT INTO boxes VALUES (?, ?, ?, ?)",
            ((document.id, generation, page, boxes) for page, boxes in pages),
        )
        if document.reading:
            self.run(
                "INSERT INTO readings VALUES (?, ?, ?)", document.id, generation, document.reading
            )

    def _put_passages(self, document_id: str, passages: Iterable[Passage], generation: int) -> None:
        """Write the passages of a document, some in memory at a time."""
        rows = map(attrgetter(*COLUMNS), passages)
        # Those before and now are compared position by position. They are sorted, which SQLite
        # does before it gives the first, so what is written meanwhile is not among them.
        before = self._connection.execute(
            f"SELECT {_ROW} FROM passages WHERE document_id = ? AND removed IS NULL "
            "ORDER BY position",
            (document_id,),
        )
        while True:
            now, last = set(islice(rows, _AT_ONCE)), set(islice(before, _AT_ONCE))
            if not now and not last:
                return
            # A new passage may have the id of one that stood at another position.
            self._retire("passages", "id", [row[0] for row in now ^ last], generation, document_id)
            self._connection.executemany(
                f"INSERT INTO passages ({_ROW}, added) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(*row, generation) for row in sorted(now - last)],
            )

    def remove(self, document_ids: Iterable[str], generation: int) -> None:
        """Remove documents and their passages, inside a transaction."""
        ids = list(document_ids)
        self._retire("documents", "id", ids, generation)
        self._retire("passages", "document_id", ids, generation)

    def purge(self, oldest: int) -> list[str]:
        """Drop what no reader of generation `oldest`, or of a later one, can see.

        Returns:
            The hashes of the passages that are dropped.
        """
        with self.transaction():
            for table in OF_DOCUMENTS:
                self.run(
                    f"DELETE FROM {table} WHERE (document_id, added) IN "
                    "(SELECT id, added FROM documents WHERE removed <= ?)",
                    oldest,
                )
            gone = self.run("SELECT content_hash FROM passages WHERE removed <= ?", oldest)
            for table in VERSIONED:
                self.run(f"DELETE FROM {table} WHERE removed <= ?", oldest)
            self.run("UPDATE generations SET oldest = ?", oldest)
            self.run(
                "DELETE FROM builds WHERE NOT EXISTS "
                "(SELECT 1 FROM documents WHERE added = generation)"
            )
        return [row[0] for row in gone]

    def vacuum(self) -> None:
        """Write the file again without its free pages, and empty the log.

        Raises:
            HopyardError: Another process reads the log.
        """
        with self._errors():
            rewrite(self._connection, self._directory / CORPUS_FILE)

    def _retire(
        self, table: str, column: str, keys: Sequence[str], generation: int, document_id: str = ""
    ) -> None:
        """Mark rows of older generations as removed; of one document where it is named."""
        own = "AND document_id = ? " if document_id else ""
        self.run(
            f"UPDATE {table} SET removed = ? WHERE removed IS NULL AND added < ? {own}"
            f"AND {column} IN (SELECT value FROM json_each(?))",
            generation, generation, *filter(None, [document_id]), json.dumps(list(keys)),
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
