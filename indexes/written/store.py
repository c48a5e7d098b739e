"""A store for texts that the chat model wrote for an index: what must never be paid for twice.

One SQLite file beside the corpus store. A row is written the moment an answer is complete, so a
killed build continues where it stopped, and a passage that comes back finds its row. Rows belong to
a content, not to a generation: readers of an index never look in here, they read the files of a
generation.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, NamedTuple, Self, TypeVar

from pydantic import BaseModel, ValidationError

from hopyard.indexes.corpus.corpus_file import (
    BUSY_SECONDS,
    check_structure,
    columns_of,
    rewrite,
    transaction,
)
from hopyard.state.errors import IndexMissingError

ContentT = TypeVar("ContentT", bound=BaseModel)

FAILED: Final = "failed"
"""The outcome of a content for which the model wrote nothing usable."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS written (
    content_hash TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    model TEXT NOT NULL,
    outcome TEXT NOT NULL,
    content TEXT NOT NULL,
    generation INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY) WITHOUT ROWID;
"""


def keep_only_used(directory: Path, generation: int) -> None:
    """Drop from every such store of an index directory what a generation does not use."""
    for file in sorted(directory.glob("*.sqlite")):
        with closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as connection:
            if not columns_of(connection, "written"):
                continue
        kind = type(file.stem, (WrittenStore,), {"file_name": file.name, "content": BaseModel})
        with kind(directory) as store:
            store.keep_only(generation)


class Author(NamedTuple):
    """The author of a row: a version of the prompt and a model, as the ledger names it."""

    version: int
    model: str


@dataclass(frozen=True, slots=True)
class Written(Generic[ContentT]):
    """One row: what was written for one content."""

    author: Author
    outcome: str
    """`FAILED`, or a word of the kind's own."""
    content: ContentT


class WrittenStore(Generic[ContentT]):
    """The file, for the build that holds the index's lock. Any thread may use it.

    A kind derives its store and names the file and the model of the contents. Every method raises
    `IndexMissingError` when the file cannot be read or written.
    """

    file_name: ClassVar[str]
    """The name of the file in the index directory."""
    content: ClassVar[type[BaseModel]]
    """The class of the contents, `ContentT`."""

    def __init__(self, directory: Path) -> None:
        """Open the store of an index directory, and create it if need be."""
        self._file = directory / self.file_name
        self._alone = threading.RLock()  # many passages are asked about at once
        with self._errors():
            self._connection = sqlite3.connect(
                self._file, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except sqlite3.Error:
                self._connection.close()
                raise

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        # A kill loses nothing at NORMAL; after a power cut the ledger answers again.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute("PRAGMA secure_delete = ON")
        self._connection.executescript(_SCHEMA)
        if "content" not in columns_of(self._connection, "written"):
            raise sqlite3.DatabaseError("an older Hopyard wrote it")
        check_structure(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def put(self, rows: Iterable[tuple[str, Written[ContentT]]], generation: int) -> None:
        """Keep rows, by content hash. A row of the same content is replaced."""
        with self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (
                        content_hash,
                        *written.author,
                        written.outcome,
                        written.content.model_dump_json(exclude_defaults=True),
                        generation,
                    )
                    for content_hash, written in rows
                ),
            )

    def written(self, content_hashes: Iterable[str]) -> dict[str, Written[ContentT]]:
        """The rows of some contents, by content hash; contents without a row are left out."""
        wanted = json.dumps(list(content_hashes))
        with self._errors():
            rows = self._connection.execute(
                "SELECT content_hash, version, model, outcome, content FROM written "
                "WHERE content_hash IN (SELECT value FROM json_each(?))",
                (wanted,),
            )
            return {
                content_hash: Written(Author(version, model), outcome, self._parsed(content))
                for content_hash, version, model, outcome, content in rows
            }

    def _parsed(self, content: str) -> Any:
        try:
            return self.content.model_validate_json(content)
        except ValidationError as error:
            raise sqlite3.DatabaseError("a row has another form") from error

    def authors(self) -> dict[str, Author]:
        """The author of each row, by content hash."""
        with self._errors():
            rows = self._connection.execute("SELECT content_hash, version, model FROM written")
            return {content_hash: Author(*author) for content_hash, *author in rows}

    def begin(self, generation: int, counted_runs: Iterable[str]) -> None:
        """Drop what neither the last generation nor the one before it has used.

        Args:
            counted_runs: Runs whose calls the last generation has already counted.
        """
        with self._transaction() as connection:
            connection.executemany("DELETE FROM runs WHERE run = ?", ((r,) for r in counted_runs))
            # Rows of a killed build: this one marks again those that it uses.
            connection.execute(
                "UPDATE written SET generation = ?1 - 1 WHERE generation >= ?1", (generation,)
            )
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

    def keep_only(self, generation: int) -> None:
        """Drop what a generation does not use, and write the file again without it."""
        with self._transaction() as connection:
            connection.execute("DELETE FROM written WHERE generation < ?", (generation,))
        with self._errors():
            rewrite(self._connection, self._file)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._errors(), transaction(self._connection):
            yield self._connection

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
