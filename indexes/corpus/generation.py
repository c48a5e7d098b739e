"""The corpus file, opened for reading at one generation, and what the caller may read of it."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Self

from hopyard.indexes.corpus.corpus_file import (
    BUSY_SECONDS,
    CORPUS_FILE,
    corpus_error,
    is_cut,
    uri_of,
)
from hopyard.indexes.corpus.manifest import damage_error, generation_directory
from hopyard.state.errors import IndexMissingError
from hopyard.state.settings.rights import NO_RULES, Rules, may_read

if TYPE_CHECKING:
    from hopyard.models.embedder import Vectors

VISIBLE: Final = "added <= :generation AND (removed IS NULL OR removed > :generation)"
"""It begins with `added`, so that a table may be named before it."""
LISTED: Final = "id IN (SELECT value FROM json_each(:ids))"
COLUMNS: Final = (
    *("id", "document_id", "position", "title", "text", "content_hash", "tokens"),
    *("header", "pages", "section"),
)
PASSAGES: Final = f"SELECT {', '.join(COLUMNS)} FROM passages WHERE {VISIBLE}"
DOCUMENTS: Final = f"SELECT id, title, text, metadata, source FROM documents WHERE {VISIBLE}"
CONTINUATIONS: Final = (
    "SELECT id, continuations.text FROM documents JOIN continuations "
    "ON document_id = id AND continuations.added = documents.added "
    f"WHERE documents.{VISIBLE}"
)
_NPY_HEADER: Final = 128
"""Bytes of the header of a `.npy` file."""


class Generation:
    """The rows of one generation. Any thread may read them."""

    def __init__(
        self,
        directory: Path,
        generation: int,
        rights: Rules = NO_RULES,
        groups: Sequence[str] | None = None,
    ) -> None:
        """Open the corpus store of an index.

        Args:
            generation: The generation to look at, as the manifest says.
            rights: The rules of the index, as the manifest says.
            groups: The caller's groups: the corpus then consists of the documents that these may
                read, whatever is asked of it. None for all documents.
        """
        if not (directory / CORPUS_FILE).exists():
            raise damage_error(directory / CORPUS_FILE, "is missing")
        if is_cut(directory / CORPUS_FILE):
            raise corpus_error(directory, sqlite3.DatabaseError("its end is missing"))
        self.generation = generation
        self.directory = directory
        self.groups = groups
        # One connection under a lock: a read takes less time than the opening of a connection.
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(
                uri_of(directory / CORPUS_FILE),
                uri=True,
                timeout=BUSY_SECONDS,
                check_same_thread=False,
                isolation_level=None,
            )
            if groups is not None:
                self._keep_to(rights, groups)
            self._connection.execute("PRAGMA query_only = ON")
        except sqlite3.Error as error:
            raise corpus_error(directory, error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @property
    def folder(self) -> Path:
        """The folder of what was derived for this generation."""
        return generation_directory(self.directory, self.generation)

    def _keep_to(self, rights: Rules, groups: Sequence[str]) -> None:
        """Put views of the readable rows before the tables: every statement then reads these."""
        sql = f"SELECT id, metadata, source FROM documents WHERE {VISIBLE}"
        readable = [
            (name,)
            for name, metadata, source in self.rows(sql)
            if may_read(json.loads(metadata), source, rights, groups)
        ]
        self._connection.execute("PRAGMA temp_store = MEMORY")
        self._connection.execute("CREATE TEMP TABLE readable (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self._connection.executemany("INSERT INTO readable VALUES (?)", readable)
        for table, column in (("documents", "id"), ("passages", "document_id")):
            self._connection.execute(
                f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} "
                f"WHERE {column} IN (SELECT id FROM readable)"
            )

    def rows(self, sql: str, **parameters: str | int) -> list[tuple[Any, ...]]:
        """The rows of a statement, which may name `:generation` and the parameters."""
        with self.connected() as connection:
            return connection.execute(sql, {"generation": self.generation, **parameters}).fetchall()

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        """The connection for several statements; no other thread uses it meanwhile.

        Raises:
            IndexMissingError: The file is damaged, or later builds have dropped the generation.
        """
        with self._lock:
            try:
                # One transaction, so that the rows are there if the check finds them there.
                self._connection.execute("BEGIN")
                oldest = self._connection.execute("SELECT oldest FROM generations").fetchone()[0]
                if self.generation < oldest:
                    raise IndexMissingError(
                        f"Generation {self.generation} of the index {str(self.directory)!r} was "
                        f"removed by a later build: open the index again."
                    )
                yield self._connection
            except sqlite3.Error as error:
                raise corpus_error(self.directory, error) from error
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")


class PassageVectors(Generation):
    """The vectors of the passages that are in a generation, and of those that it changed."""

    def vectors(self, embedding: str) -> tuple[list[str], Vectors]:
        """The vectors of all passages that have one.

        Returns:
            The passage ids, sorted, and their vectors [n, d] in the same order.
        """
        return self._vectors(embedding, VISIBLE)

    def map_vectors(self, embedding: str, file: Path) -> tuple[list[str], Vectors]:
        """The same as `vectors`, in a new `.npy` file that is mapped into memory."""
        import numpy as np

        with file.open("wb") as opened:
            opened.write(bytes(_NPY_HEADER))
            ids = self._write_vectors(embedding, opened)
            width = (opened.tell() - _NPY_HEADER) // 4 // max(len(ids), 1)
            opened.seek(0)
            about = {"descr": "<f4", "fortran_order": False, "shape": (len(ids), width)}
            np.lib.format.write_array_header_1_0(opened, about)
        return ids, np.load(file, mmap_mode="r")

    def changes(self, embedding: str) -> tuple[list[str], list[str], Vectors]:
        """The passages that this generation changed.

        Returns:
            The ids of the passages that it removed, and those of the passages that it added with
            their vectors [n, d]; sorted. A passage with a new text is in both.
        """
        removed = self.rows("SELECT id FROM passages WHERE removed = :generation ORDER BY id")
        added = self._vectors(embedding, "added = :generation AND removed IS NULL")
        return [row[0] for row in removed], *added

    def _vectors(self, embedding: str, which: str) -> tuple[list[str], Vectors]:
        import numpy as np

        numbers = BytesIO()
        ids = self._write_vectors(embedding, numbers, which)
        found = np.frombuffer(numbers.getbuffer(), dtype="<f4")
        return ids, found.reshape(len(ids), -1 if ids else 0)

    def _write_vectors(self, embedding: str, file: IO[bytes], which: str = VISIBLE) -> list[str]:
        """Write the vectors of passages one after the other; the ids of these passages."""
        ids: list[str] = []
        with self.connected() as connection:
            for name, vector in connection.execute(
                "SELECT passages.id, vector FROM passages JOIN vectors USING (content_hash) "
                f"WHERE namespace = 'passages' AND embedding = :embedding AND {which} "
                "ORDER BY passages.id",
                {"generation": self.generation, "embedding": embedding},
            ):
                ids.append(name)
                file.write(vector)
        return ids
