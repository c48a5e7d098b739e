"""The corpus as it stands at one generation, for readers.

Rows of the store carry the generations that added and removed them, so a reader sees
the same corpus while a build writes the next one. It may lag one build behind; the rows of older
generations are gone.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, Self

from hopyard.indexes.corpus.boxes import PageText
from hopyard.indexes.corpus.corpus_file import (
    BUSY_SECONDS,
    CORPUS_FILE,
    check_structure,
    corpus_error,
    is_cut,
    uri_of,
)
from hopyard.indexes.corpus.manifest import Manifest, damage_error, generation_directory
from hopyard.indexes.corpus.records import PAGE_END, Document, Passage
from hopyard.state.errors import IndexMissingError
from hopyard.state.metadata import MetadataValue
from hopyard.state.settings.rights import NO_RULES, Rules, may_read

if TYPE_CHECKING:
    from hopyard.models.embedder import Vectors

__all__ = ("Snapshot",)

_PAGE: Final = 1000
"""Passages fetched at once while going through all of them."""

_KEPT: Final = 10_000
"""Documents whose source and metadata are kept in memory."""
_NPY_HEADER: Final = 128
"""Bytes of the header of a `.npy` file."""
_NOTHING: Final[tuple[str, dict[str, MetadataValue]]] = ("", {})

_VISIBLE: Final = "added <= :generation AND (removed IS NULL OR removed > :generation)"
_LISTED: Final = "id IN (SELECT value FROM json_each(:ids))"
_COLUMNS: Final = (
    *("id", "document_id", "position", "title", "text", "content_hash", "tokens"),
    *("header", "pages", "section"),
)
_PASSAGES: Final = f"SELECT {', '.join(_COLUMNS)} FROM passages WHERE {_VISIBLE}"
_DOCUMENTS: Final = f"SELECT id, title, text, metadata, source FROM documents WHERE {_VISIBLE}"
_CONTINUATIONS: Final = (
    "SELECT id, continuations.text FROM documents JOIN continuations "
    "ON document_id = id AND continuations.added = documents.added "
    f"WHERE {_VISIBLE.replace('added', 'documents.added')}"
)
_BOXES: Final = (
    "SELECT page, boxes FROM documents JOIN boxes ON document_id = id "
    f"AND boxes.added = documents.added WHERE {_VISIBLE.replace('added', 'documents.added')}"
)


class Snapshot:
    """Documents and passages at one generation. Any thread may use it.

    Every method raises `IndexMissingError` when the corpus file is missing or damaged, or when
    two later builds have dropped this generation.
    """

    def __init__(
        self,
        directory: Path,
        generation: int,
        rights: Rules = NO_RULES,
        groups: Sequence[str] | None = None,
    ) -> None:
        """Open the corpus store of an index.

        Args:
            directory: The index directory.
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
        self._restricted = groups is not None
        self._directory = directory
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
            self._about: dict[str, tuple[str, dict[str, MetadataValue]]] = {}
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
        return generation_directory(self._directory, self.generation)

    def _keep_to(self, rights: Rules, groups: Sequence[str]) -> None:
        """Put views of the readable rows before the tables: every statement then reads these."""
        readable = [
            (document.id,)
            for document in self.outlines()
            if may_read(document.metadata, document.source, rights, groups)
        ]
        self._connection.execute("PRAGMA temp_store = MEMORY")
        self._connection.execute("CREATE TEMP TABLE readable (id TEXT PRIMARY KEY) WITHOUT ROWID")
        self._connection.executemany("INSERT INTO readable VALUES (?)", readable)
        for table, column in (("documents", "id"), ("passages", "document_id")):
            self._connection.execute(
                f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} "
                f"WHERE {column} IN (SELECT id FROM readable)"
            )

    def get(self, passage_ids: Sequence[str]) -> list[Passage]:
        """Fetch passages, in the order of their ids.

        Raises:
            IndexMissingError: A passage is not in this generation.
        """
        found = self.existing(passage_ids)
        if unknown := [name for name in passage_ids if name not in found]:
            raise IndexMissingError(
                f"Passage {unknown[0]!r} is not in the index {str(self._directory)!r} (generation "
                f"{self.generation}): it was updated or removed, so ask the question again."
            )
        return [found[name] for name in passage_ids]

    def existing(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """Those of some passages that this generation has, by their ids."""
        rows = self._rows(f"{_PASSAGES} AND {_LISTED}", ids=json.dumps(list(passage_ids)))
        return {passage.id: passage for passage in self._filled(rows)}

    def neighbours(self, passage_id: str, before: int, after: int) -> list[Passage]:
        """A passage between those that come before and after it in its document, in order.

        Raises:
            IndexMissingError: The passage is not in this generation.
        """
        [passage] = self.get([passage_id])
        rows = self._rows(
            f"{_PASSAGES} AND document_id = :document "
            "AND position BETWEEN :first AND :last ORDER BY position",
            document=passage.document_id,
            first=passage.position - before,
            last=passage.position + after,
        )
        return self._filled(rows)

    def documents(self, document_ids: Sequence[str] | None = None) -> list[Document]:
        """Fetch documents, sorted by id.

        Args:
            document_ids: The ids; unknown ids are left out. None fetches all.
        """
        listed = "" if document_ids is None else f" AND {_LISTED}"
        ids = json.dumps(list(document_ids or ()))
        rows = self._rows(f"{_DOCUMENTS}{listed} ORDER BY id", ids=ids)
        more: dict[str, list[str]] = {}
        for name, text in self._rows(f"{_CONTINUATIONS}{listed} ORDER BY id, number", ids=ids):
            more.setdefault(name, []).append(text)
        return [
            Document(name, title, "".join([text, *more.get(name, ())]), json.loads(about), source)
            for name, title, text, about, source in rows
        ]

    def reading(self, document_id: str) -> str:
        """The words that a document lacks of its file, as JSON; "" if it lacks none.

        An index of an older Hopyard has no such table.
        """
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'readings'"):
            return ""
        rows = self._rows(
            "SELECT reading FROM readings JOIN documents "
            "ON document_id = id AND readings.added = documents.added "
            f"WHERE id = :document AND {_VISIBLE.replace('added', 'documents.added')}",
            document=document_id,
        )
        return str(rows[0][0]) if rows else ""

    def counts(self) -> dict[str, int]:
        """Number of `documents` and `passages`."""
        # Two counts over indexes, which have no texts.
        sql = (
            "SELECT (SELECT count(*) FROM {0} WHERE added <= :generation) "
            "- (SELECT count(*) FROM {0} WHERE removed <= :generation)"
        )
        return {name: self._rows(sql.format(name))[0][0] for name in ("documents", "passages")}

    def passage_ids(self) -> list[str]:
        """All passage ids, sorted."""
        return [
            row[0] for row in self._rows(f"SELECT id FROM passages WHERE {_VISIBLE} ORDER BY id")
        ]

    def passages(self) -> Iterator[Passage]:
        """Go through all passages, sorted by id, a thousand in memory at a time."""
        sql = f"{_PASSAGES} AND id > :last ORDER BY id"
        last = ""
        while rows := self._rows(f"{sql} LIMIT {_PAGE}", last=last):
            yield from self._filled(rows)
            last = rows[-1][0]

    def passages_of(self, document_id: str) -> list[Passage]:
        """The passages of a document, in its order."""
        rows = self._rows(
            f"{_PASSAGES} AND document_id = :document ORDER BY position", document=document_id
        )
        return self._filled(rows)

    def lengths(self, document_ids: Sequence[str]) -> dict[str, int]:
        """The number of passages of each of some documents."""
        return dict(
            self._rows(
                f"SELECT document_id, count(*) FROM passages WHERE {_VISIBLE} AND document_id IN "
                "(SELECT value FROM json_each(:ids)) GROUP BY document_id",
                ids=json.dumps(list(document_ids)),
            )
        )

    def names(self) -> list[tuple[str, str, str]]:
        """Id, title and source of every document, sorted by id."""
        return self._rows(f"SELECT id, title, source FROM documents WHERE {_VISIBLE} ORDER BY id")

    def source_of(self, document_id: str) -> str:
        """The source of a document; "" if there is no such document."""
        sql = f"SELECT source FROM documents WHERE id = :document AND {_VISIBLE}"
        return str(next(iter(self._rows(sql, document=document_id)), ("",))[0])

    def hidden_sources(self) -> list[str]:
        """The sources of the documents that the caller may not read."""
        sql = f"SELECT source FROM main.documents WHERE {_VISIBLE} AND id NOT IN readable"
        return [row[0] for row in self._rows(sql)] if self._restricted else []

    def pages(self, document_id: str, first: int, last: int) -> list[PageText]:
        """Pages of a document with the places of their words; none if the index has no places.

        Args:
            document_id: The document.
            first: The first page, from 1.
            last: The last page.
        """
        rows = self._rows(
            f"{_BOXES} AND document_id = :document AND page BETWEEN :first AND :last",
            document=document_id,
            first=first,
            last=last,
        )
        if not rows:
            return []
        [document] = self.documents([document_id])
        texts = str(document.text).split(PAGE_END, last)
        boxes = dict(rows)
        shown = range(first, min(last, len(texts)) + 1)
        return [PageText(page, texts[page - 1], boxes.get(page, b"")) for page in shown]

    def outlines(self) -> Iterator[Document]:
        """All documents without their texts."""
        for name, title, metadata, source in self._rows(
            f"SELECT id, title, metadata, source FROM documents WHERE {_VISIBLE}"
        ):
            yield Document(name, title, "", json.loads(metadata), source)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each document, by its id."""
        return dict(self._rows(f"SELECT id, fingerprint FROM documents WHERE {_VISIBLE}"))

    def indexed(self) -> dict[str, str]:
        """When each document's text was put into the index, by its id; an ISO time."""
        return dict(
            self._rows(
                "SELECT documents.id, builds.began FROM documents "
                f"JOIN builds ON builds.generation = documents.added WHERE {_VISIBLE}"
            )
        )

    def places(self) -> Iterator[tuple[str, str, str, str]]:
        """Every passage's id, the id of its document, its pages and its section, sorted by id."""
        sql = (
            f"SELECT id, document_id, pages, section FROM passages WHERE {_VISIBLE} AND id > :last"
        )
        last = ""
        while rows := self._rows(f"{sql} ORDER BY id LIMIT {_PAGE}", last=last):
            yield from rows
            last = rows[-1][0]

    def vectors(self, embedding: str) -> tuple[list[str], Vectors]:
        """The vectors of all passages that have one.

        Args:
            embedding: The embedding model that made them.

        Returns:
            The passage ids, sorted, and their vectors [n, d] in the same order.
        """
        import numpy as np

        numbers = BytesIO()
        ids = self._write_vectors(embedding, numbers)
        found = np.frombuffer(numbers.getbuffer(), dtype="<f4")
        return ids, found.reshape(len(ids), -1 if ids else 0)

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
        import numpy as np

        removed = self._rows("SELECT id FROM passages WHERE removed = :generation ORDER BY id")
        numbers = BytesIO()
        added = self._write_vectors(embedding, numbers, "added = :generation AND removed IS NULL")
        found = np.frombuffer(numbers.getbuffer(), dtype="<f4")
        return [row[0] for row in removed], added, found.reshape(len(added), -1 if added else 0)

    def _write_vectors(self, embedding: str, file: IO[bytes], which: str = _VISIBLE) -> list[str]:
        """Write the vectors of passages one after the other; the ids of these passages."""
        ids: list[str] = []
        with self._reading() as connection:
            for name, vector in connection.execute(
                "SELECT passages.id, vector FROM passages JOIN vectors USING (content_hash) "
                f"WHERE namespace = 'passages' AND embedding = :embedding AND {which} "
                "ORDER BY passages.id",
                {"generation": self.generation, "embedding": embedding},
            ):
                ids.append(name)
                file.write(vector)
        return ids

    def check(self, manifest: Manifest, *, full: bool = False) -> None:
        """Compare the numbers of documents and passages with those of the manifest.

        Args:
            manifest: The manifest of the generation.
            full: Also check the structure of the file, and the checksum of its rows.
        """
        counts = self.counts()
        expected = {name: manifest.counts.get(name) for name in counts}
        known = manifest.checksums.get(CORPUS_FILE)
        with self._reading() as connection:
            if counts != expected:
                raise sqlite3.DatabaseError(f"it holds {counts} instead of {expected}")
            if full:
                check_structure(connection)
        if full and known not in {None, self.checksum()}:
            raise corpus_error(self._directory, sqlite3.DatabaseError("its checksum is wrong"))

    def checksum(self, last: str = "") -> str:
        """CRC-32 of the rows of documents and passages, added up.

        Args:
            last: That of the generation before. Then only the rows that this one added and removed
                are read.
        """
        total = int(last or "0", 16)
        parts = {"added = :generation": 1, "removed = :generation": -1} if last else {_VISIBLE: 1}
        with self._reading() as connection:
            for sql in (_PASSAGES, _DOCUMENTS, _CONTINUATIONS):
                visible, added = _VISIBLE, "added"
                if sql is _CONTINUATIONS:
                    added = "documents.added"
                    visible = _VISIBLE.replace("added", added)
                for which, sign in parts.items():
                    chosen = sql.replace(visible, which.replace("added", added))
                    for row in connection.execute(chosen, {"generation": self.generation}):
                        total += sign * zlib.crc32("\0".join(map(str, row)).encode())
        return f"{total & 0xFFFFFFFF:08x}"

    def _filled(self, rows: Sequence[tuple[Any, ...]]) -> list[Passage]:
        """Passages of rows, with source and metadata of their documents.

        These columns lie behind a document's text, and SQLite goes through all its pages to reach
        them: so a document is looked up once, not once a passage.
        """
        about = self._about
        wanted = {row[1] for row in rows}
        if new := wanted - about.keys():
            found = self._rows(
                f"SELECT id, source, metadata FROM documents WHERE {_VISIBLE} AND {_LISTED}",
                ids=json.dumps(sorted(new)),
            )
            kept = {} if len(about) > _KEPT else about
            about = kept | {name: about[name] for name in wanted & about.keys()}
            about |= {name: (source, json.loads(metadata)) for name, source, metadata in found}
            self._about = about  # at once: other threads may read it
        return [
            Passage(
                **dict(zip(_COLUMNS, row, strict=True)),
                source=about.get(row[1], _NOTHING)[0],
                metadata=about.get(row[1], _NOTHING)[1],
            )
            for row in rows
        ]

    def _rows(self, sql: str, **parameters: str | int) -> list[tuple[Any, ...]]:
        with self._reading() as connection:
            return connection.execute(sql, {"generation": self.generation, **parameters}).fetchall()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                # One transaction, so that the rows are there if the check finds them there.
                self._connection.execute("BEGIN")
                oldest = self._connection.execute("SELECT oldest FROM generations").fetchone()[0]
                if self.generation < oldest:
                    raise IndexMissingError(
                        f"Generation {self.generation} of the index {str(self._directory)!r} was "
                        f"removed by a later build: open the index again."
                    )
                yield self._connection
            except sqlite3.Error as error:
                raise corpus_error(self._directory, error) from error
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
