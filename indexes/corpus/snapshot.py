"""The corpus as it stands at one generation, for readers.

Rows of the store carry the generations that added and removed them, so a reader sees
the same corpus while a build writes the next one. It may lag one build behind; the rows of older
generations are gone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple

from hopyard.indexes.corpus.boxes import PageText
from hopyard.indexes.corpus.generation import (
    COLUMNS,
    CONTINUATIONS,
    DOCUMENTS,
    LISTED,
    PASSAGES,
    VISIBLE,
    PassageVectors,
)
from hopyard.indexes.corpus.records import PAGE_END, Document, Passage
from hopyard.state.errors import IndexMissingError
from hopyard.state.metadata import MetadataValue

_About = tuple[str, dict[str, MetadataValue]]

_PAGE: Final = 1000
"""Passages fetched at once while going through all of them."""

_KEPT: Final = 10_000
"""Documents whose source and metadata are kept in memory."""
_NOTHING: Final[_About] = ("", {})

_BYTES: Final = (
    f"SELECT added, CAST(text AS BLOB) FROM documents WHERE {VISIBLE} AND id = :document"
)
_MORE: Final = (
    "SELECT CAST(text AS BLOB) FROM continuations WHERE document_id = :document AND added = :added "
    "ORDER BY number"
)
_BOXES: Final = (
    "SELECT page, boxes FROM boxes WHERE document_id = :document AND added = :added "
    "AND page BETWEEN :first AND :last"
)


class Changes(NamedTuple):
    """The changes of a generation; all ids are sorted.

    A document that it changed is removed and added, and so are all of its passages.
    """

    removed: list[str]
    """Passages."""
    added: dict[str, str]
    """Passages, and the document of each."""
    removed_documents: list[str]
    added_documents: list[str]


class Snapshot(PassageVectors):
    """Documents and passages at one generation. Any thread may use it.

    Every method raises `IndexMissingError` when the corpus file is missing or damaged, or when
    two later builds have dropped this generation.
    """

    def get(self, passage_ids: Sequence[str]) -> list[Passage]:
        """Fetch passages, in the order of their ids.

        Raises:
            IndexMissingError: A passage is not in this generation.
        """
        found = self.existing(passage_ids)
        if unknown := [name for name in passage_ids if name not in found]:
            raise IndexMissingError(
                f"Passage {unknown[0]!r} is not in the index {str(self.directory)!r} (generation "
                f"{self.generation}): it was updated or removed, so ask the question again."
            )
        return [found[name] for name in passage_ids]

    def existing(self, passage_ids: Sequence[str]) -> dict[str, Passage]:
        """Those of some passages that this generation has, by their ids."""
        rows = self.rows(f"{PASSAGES} AND {LISTED}", ids=json.dumps(list(passage_ids)))
        return {passage.id: passage for passage in self._filled(rows)}

    def neighbours(self, passage_id: str, before: int, after: int) -> list[Passage]:
        """A passage between those that come before and after it in its document, in order.

        Raises:
            IndexMissingError: The passage is not in this generation.
        """
        [passage] = self.get([passage_id])
        rows = self.rows(
            f"{PASSAGES} AND document_id = :document "
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
        listed = "" if document_ids is None else f" AND {LISTED}"
        ids = json.dumps(list(document_ids or ()))
        rows = self.rows(f"{DOCUMENTS}{listed} ORDER BY id", ids=ids)
        more: dict[str, list[str]] = {}
        for name, text in self.rows(f"{CONTINUATIONS}{listed} ORDER BY id, number", ids=ids):
            more.setdefault(name, []).append(text)
        return [
            Document(name, title, "".join([text, *more.get(name, ())]), json.loads(about), source)
            for name, title, text, about, source in rows
        ]

    def reading(self, document_id: str) -> str:
        """The words that a document lacks of its file, as JSON; "" if it lacks none."""
        rows = self.rows(
            "SELECT reading FROM readings JOIN documents "
            "ON document_id = id AND readings.added = documents.added "
            f"WHERE id = :document AND documents.{VISIBLE}",
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
        return {name: self.rows(sql.format(name))[0][0] for name in ("documents", "passages")}

    def passage_ids(self) -> list[str]:
        """All passage ids, sorted."""
        return [row[0] for row in self.rows(f"SELECT id FROM passages WHERE {VISIBLE} ORDER BY id")]

    def changed(self) -> Changes:
        """The changes of this generation."""
        of_documents = "document_id IN (SELECT value FROM json_each(:ids))"
        gone = self.rows("SELECT id FROM documents WHERE removed = :generation ORDER BY id")
        new = self.rows("SELECT id FROM documents WHERE added = :generation ORDER BY id")
        removed, added = ([row[0] for row in rows] for rows in (gone, new))
        before = self.rows(
            f"SELECT id FROM passages WHERE {of_documents} AND added < :generation "
            "AND (removed IS NULL OR removed = :generation) ORDER BY id",
            ids=json.dumps(removed),
        )
        now = self.rows(
            f"SELECT id, document_id FROM passages WHERE {VISIBLE} AND {of_documents} ORDER BY id",
            ids=json.dumps(added),
        )
        return Changes([row[0] for row in before], dict(now), removed, added)

    def passages(self, only: Sequence[str] | None = None) -> Iterator[Passage]:
        """Go through all passages, sorted by id, a thousand in memory at a time.

        Args:
            only: Ids of passages, to go through these alone, in their order.
        """
        if only is not None:
            for start in range(0, len(only), _PAGE):
                yield from self.get(only[start : start + _PAGE])
            return
        sql = f"{PASSAGES} AND id > :last ORDER BY id"
        last = ""
        while rows := self.rows(f"{sql} LIMIT {_PAGE}", last=last):
            yield from self._filled(rows)
            last = rows[-1][0]

    def passages_of(self, document_id: str) -> list[Passage]:
        """The passages of a document, in its order."""
        rows = self.rows(
            f"{PASSAGES} AND document_id = :document ORDER BY position", document=document_id
        )
        return self._filled(rows)

    def lengths(self, document_ids: Sequence[str]) -> dict[str, int]:
        """The number of passages of each of some documents."""
        return dict(
            self.rows(
                f"SELECT document_id, count(*) FROM passages WHERE {VISIBLE} AND document_id IN "
                "(SELECT value FROM json_each(:ids)) GROUP BY document_id",
                ids=json.dumps(list(document_ids)),
            )
        )

    def names(self) -> list[tuple[str, str, str]]:
        """Id, title and source of every document, sorted by id."""
        return self.rows(f"SELECT id, title, source FROM documents WHERE {VISIBLE} ORDER BY id")

    def source_of(self, document_id: str) -> str:
        """The source of a document; "" if there is no such document."""
        sql = f"SELECT source FROM documents WHERE id = :document AND {VISIBLE}"
        return str(next(iter(self.rows(sql, document=document_id)), ("",))[0])

    def hidden_sources(self) -> list[str]:
        """The sources of the documents that the caller may not read."""
        sql = f"SELECT source FROM main.documents WHERE {VISIBLE} AND id NOT IN readable"
        return [row[0] for row in self.rows(sql)] if self.groups is not None else []

    def pages(self, document_id: str, first: int, last: int) -> list[PageText]:
        """Pages of a document with the places of their words; none if the index has no places.

        Args:
            first: The first page, from 1.
        """
        chosen: dict[str, Any] = {"document": document_id, "first": first, "last": last}
        with self.connected() as connection:
            row = connection.execute(_BYTES, {"generation": self.generation, **chosen}).fetchone()
            if row is None:
                return []
            chosen["added"], text = row
            boxes = dict(connection.execute(_BOXES, chosen))
            more = [part for (part,) in connection.execute(_MORE, chosen)]
        # A document may have a million characters: only those of the pages are decoded.
        texts = b"".join([text, *more]).split(PAGE_END.encode(), last)[first - 1 : last]
        return [
            PageText(page, text.decode(), boxes.get(page, b""))
            for page, text in enumerate(texts, start=first)
            if boxes
        ]

    def outlines(self, only: Sequence[str] | None = None) -> Iterator[Document]:
        """All documents without their texts, or some by their ids; sorted by id."""
        listed = "" if only is None else f" AND {LISTED}"
        for name, title, metadata, source in self.rows(
            f"SELECT id, title, metadata, source FROM documents WHERE {VISIBLE}{listed} "
            "ORDER BY id",
            ids=json.dumps(only),
        ):
            yield Document(name, title, "", json.loads(metadata), source)

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of each document, by its id."""
        return dict(self.rows(f"SELECT id, fingerprint FROM documents WHERE {VISIBLE}"))

    def indexed(self) -> dict[str, str]:
        """When each document's text was put into the index, by its id; an ISO time."""
        return dict(
            self.rows(
                "SELECT documents.id, builds.began FROM documents "
                f"JOIN builds ON builds.generation = documents.added WHERE {VISIBLE}"
            )
        )

    def places(self) -> Iterator[tuple[str, str, str, str]]:
        """Every passage's id, the id of its document, its pages and its section, sorted by id."""
        sql = f"SELECT id, document_id, pages, section FROM passages WHERE {VISIBLE} AND id > :last"
        last = ""
        while rows := self.rows(f"{sql} ORDER BY id LIMIT {_PAGE}", last=last):
            yield from rows
            last = rows[-1][0]

    @cached_property
    def _about(self) -> dict[str, _About]:
        """Source and metadata of the documents that were looked up, by their ids."""
        return {}

    def _filled(self, rows: Sequence[tuple[Any, ...]]) -> list[Passage]:
        """Passages of rows, with source and metadata of their documents.

        These columns lie behind a document's text, and SQLite goes through all its pages to reach
        them: so a document is looked up once, not once a passage.
        """
        about = self._about
        wanted = {row[1] for row in rows}
        if new := wanted - about.keys():
            found = self.rows(
                f"SELECT id, source, metadata FROM documents WHERE {VISIBLE} AND {LISTED}",
                ids=json.dumps(sorted(new)),
            )
            kept = {} if len(about) > _KEPT else about
            about = kept | {name: about[name] for name in wanted & about.keys()}
            about |= {name: (source, json.loads(metadata)) for name, source, metadata in found}
            self._about = about  # at once: other threads may read it
        return [
            Passage(
                **dict(zip(COLUMNS, row, strict=True)),
                source=about.get(row[1], _NOTHING)[0],
                metadata=about.get(row[1], _NOTHING)[1],
            )
            for row in rows
        ]
