"""Writing the tables of all documents into one SQLite file, and the words that find them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from hopyard.indexes.build_context import BuildContext
from hopyard.indexes.corpus.corpus_file import uri_of
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.kinds.sparse.words import Words
from hopyard.indexes.kinds.tables.columns import typed_columns
from hopyard.indexes.kinds.tables.find import Found, has_table, locate, tables_in
from hopyard.indexes.kinds.tables.reader import FILE, Table

_VERSION: Final = 5
"""Higher with every change of how cells are read, or of the files."""
_SAMPLES: Final = 3
_MOST_WORDS: Final = 20_000
"""Characters of a table's cells that a search reads."""
_SCHEMA: Final = (
    f"PRAGMA user_version = {_VERSION}",
    "CREATE TABLE tables (number INTEGER PRIMARY KEY, document TEXT, fingerprint TEXT, "
    "schema TEXT, words TEXT, cells TEXT, places TEXT)",
    "CREATE TABLE places (passage TEXT, number INTEGER, PRIMARY KEY (passage, number)) "
    "WITHOUT ROWID",
)
_Record = tuple[str, str, str, str]
"""Schema, words, cells and places, as the file has them."""


def is_of_this_version(directory: Path) -> bool:
    """Whether the file was written by this version of the program."""
    try:
        with closing(sqlite3.connect(uri_of(directory / FILE), uri=True)) as connection:
            version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error:
        return False
    return version == _VERSION


def write(context: BuildContext) -> Mapping[str, int]:
    """Write the tables of the corpus; return how many tables and rows there are."""
    corpus, ids, words, rows = context.corpus, list[str](), list[tuple[str, str, str]](), 0
    fingerprints = corpus.fingerprints()
    with closing(sqlite3.connect(context.directory / FILE)) as connection, connection:
        for statement in _SCHEMA:
            connection.execute(statement)
        with closing(_former(context.previous)) as former:
            for done, name in enumerate(sorted(fingerprints)):
                context.progress("tables", done, len(fingerprints))
                for record in _kept(former, name, fingerprints[name]) or _read(corpus, name):
                    connection.execute(
                        "INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?)",
                        (len(ids), name, fingerprints[name], *record),
                    )
                    passages = {passage for passage, _ in json.loads(record[3])}
                    connection.executemany(
                        "INSERT INTO places VALUES (?, ?)",
                        [(passage, len(ids)) for passage in sorted(passages)],
                    )
                    schema = json.loads(record[0])
                    ids.append(schema[0])
                    words.append((record[1], " ".join(schema[2:4]), schema[4]))
                    rows += schema[6]
    SparseIndex.build(ids, words, Words(context.options.language)).save(context.directory)
    context.progress("tables", len(fingerprints), len(fingerprints))
    return {"tables": len(ids), "table_rows": rows}


def _former(directory: Path | None) -> sqlite3.Connection:
    """The file of the last generation; an empty one if that cannot be used."""
    if directory is None or not is_of_this_version(directory):
        return sqlite3.connect(":memory:")
    return sqlite3.connect(directory / FILE)


def _kept(former: sqlite3.Connection, document: str, fingerprint: str) -> list[_Record]:
    """The tables of a document that has not changed; none if they have to be read."""
    try:
        return former.execute(
            "SELECT schema, words, cells, places FROM tables "
            "WHERE document = ? AND fingerprint = ? ORDER BY number",
            (document, fingerprint),
        ).fetchall()
    except sqlite3.Error:
        return []


def _read(corpus: Snapshot, name: str) -> Iterator[_Record]:
    [document] = corpus.documents([name])
    text = str(document.text)
    if not has_table(text):
        return
    tables, passages = list(tables_in(text)), corpus.passages_of(name)
    for number, (found, places) in enumerate(zip(tables, locate(tables, passages), strict=True), 1):
        section = passages[places[0][0]].section
        where = [(passages[passage].id, start) for passage, start in places]
        yield _record(document, number, section, found, where)


def _record(
    document: Document, number: int, section: str, found: Found, places: list[tuple[str, int]]
) -> _Record:
    cells = [row.cells for row in found.rows]
    columns = typed_columns(found.labels, cells)
    table = Table(
        id=f"{document.id}#table-{number}",
        document_id=document.id,
        title=document.title or document.source or document.id,
        section=section,
        caption=found.caption,
        columns=tuple(column for column, _ in columns),
        rows=len(cells),
        samples=tuple(zip(*(values[:_SAMPLES] for _, values in columns), strict=True)),
    )
    texts = dict.fromkeys(
        cell
        for column, values in columns
        if column.type == "VARCHAR"
        for cell in values
        if cell is not None
    )
    words = " ".join([*found.labels, *texts])[:_MOST_WORDS]
    return _json(table), words, _json([values for _, values in columns]), _json(places)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
