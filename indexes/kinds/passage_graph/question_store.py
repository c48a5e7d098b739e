"""The questions that were written so far: what must never be paid for twice.

One SQLite file beside the corpus store. A row is written the moment a passage's questions are
there, so a killed build continues where it stopped, and a passage that comes back finds its
questions. Rows belong to a passage's content, not to a generation: readers never look in here,
they read the generation's own files (see `graph`).
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, NamedTuple, Self

from hopyard.indexes.corpus_file import BUSY_SECONDS
from hopyard.indexes.seal import break_seal, is_sealed, seal
from hopyard.state.errors import IndexMissingError

__all__ = ("QUESTIONS_FILE", "Author", "QuestionStore", "Written")

logger = logging.getLogger(__name__)

QUESTIONS_FILE: Final = "questions.sqlite"

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS written (
    content_hash TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    model TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('enough', 'too few', 'failed')),
    incoming TEXT NOT NULL,
    outcoming TEXT NOT NULL,
    generation INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY) WITHOUT ROWID;
DROP TABLE IF EXISTS vectors;  -- of format 1; now they are in the corpus store
"""

_COLUMNS: Final = "version, model, outcome, incoming, outcoming"


class Author(NamedTuple):
    """Who wrote questions: a version of the prompt and a model, as the ledger names it."""

    version: int
    model: str


@dataclass(frozen=True, slots=True)
class Written:
    """The questions of one passage."""

    author: Author
    outcome: Literal["enough", "too few", "failed"]
    """Whether the model gave as many as the paper asks for, fewer, or nothing usable."""
    incoming: tuple[str, ...]
    """Never empty: where the model gave too few, the passage's own text is among them."""
    outcoming: tuple[str, ...]


class QuestionStore:
    """The file, for the build that holds the index's lock. Any thread may use it.

    Every method raises `IndexMissingError` when the file cannot be read or written.
    """

    def __init__(self, directory: Path) -> None:
        """Open the store of an index directory, and create it if need be."""
        self._file = directory / QUESTIONS_FILE
        self._alone = threading.RLock()  # many passages are asked about at once
        with self._errors():
            there = self._file.exists()
            self._connection = sqlite3.connect(
                self._file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(there)
            except sqlite3.Error:
                self._connection.close()
                raise

    def _prepare(self, there: bool) -> None:
        if there and is_sealed(self._connection, self._file) is False:
            raise sqlite3.DatabaseError("its checksum is wrong")
        break_seal(self._file)
        self._connection.execute("PRAGMA journal_mode = WAL")
        # A kill loses nothing at NORMAL; after a power cut the ledger answers again.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.executescript(_SCHEMA)
        [verdict] = self._connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            seal(self._connection, self._file)
        except (sqlite3.Error, OSError) as error:  # a full disk: the next build looks it through
            logger.warning("%s is left without a checksum: %s", QUESTIONS_FILE, error)
        finally:
            self._connection.close()

    def put(self, rows: Iterable[tuple[str, Written]], generation: int) -> None:
        """Keep the questions of passages, by content hash."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        content_hash,
                        *written.author,
                        written.outcome,
                        json.dumps(written.incoming),
                        json.dumps(written.outcoming),
                        generation,
                    )
                    for content_hash, written in rows
                ),
            )

    def written(self, content_hashes: Iterable[str]) -> dict[str, Written]:
        """The questions there are for some passages, by content hash."""
        wanted = json.dumps(list(content_hashes))
        with self._errors():
            rows = self._connection.execute(
                f"SELECT content_hash, {_COLUMNS} FROM written "
                "WHERE content_hash IN (SELECT value FROM json_each(?))",
                (wanted,),
            )
            return {
                content_hash: Written(
                    Author(version, model),
                    outcome,
                    tuple(json.loads(incoming)),
                    tuple(json.loads(outcoming)),
                )
                for content_hash, version, model, outcome, incoming, outcoming in rows
            }

    def authors(self) -> dict[str, Author]:
        """Who wrote the questions there are, by content hash."""
        with self._errors():
            rows = self._connection.execute("SELECT content_hash, version, model FROM written")
            return {content_hash: Author(*author) for content_hash, *author in rows}

    def begin(self, generation: int, counted_runs: Iterable[str]) -> None:
        """Drop what neither the last generation nor the one before it has used.

        Args:
            generation: The generation that is being written.
            counted_runs: Runs whose calls the last generation has already counted.
        """
        with self._transaction() as connection:
            connection.executemany("DELETE FROM runs WHERE run = ?", ((r,) for r in counted_runs))
            connection.execute("DELETE FROM written WHERE generation < ?", (generation - 2,))

    def use(self, content_hashes: Iterable[str], generation: int) -> None:
        """Mark rows as used by a generation."""
        with self._transaction() as connection:
            connection.execute(
                "UPDATE written SET generation = ? "
                "WHERE content_hash IN (SELECT value FROM json_each(?))",
                (generation, json.dumps(list(content_hashes))),
            )

    def add_run(self, run: str) -> None:
        """Remember a run that is about to call the model, so that its calls can be counted."""
        with self._transaction() as connection:
            connection.execute("INSERT OR IGNORE INTO runs VALUES (?)", (run,))

    def runs(self) -> list[str]:
        """The runs whose calls no finished generation has counted yet."""
        with self._errors():
            return [row[0] for row in self._connection.execute("SELECT run FROM runs ORDER BY run")]

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            with self._alone:
                yield
        except sqlite3.Error as error:
            damaged = type(error) is sqlite3.DatabaseError  # its subclasses have other causes
            cure = "delete it; the ledger keeps the answers" if damaged else "fix the problem"
            raise IndexMissingError(
                f"The index file {str(self._file)!r} cannot be used ({error}): {cure}, then run "
                "the same command again."
            ) from error
