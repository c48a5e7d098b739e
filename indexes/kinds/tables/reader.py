"""The tables of an index: their schemas, and their cells when a query needs them."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any, Final, NamedTuple

from hopyard.indexes.corpus.corpus_file import is_cut, uri_of
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.indexes.kinds.sparse.readable import ReadableSparse
from hopyard.indexes.kinds.tables.columns import Cells, Column

FILE: Final = "tables.sqlite"
_SAYS_NOTHING: Final = re.compile(r"(?:(?:fy ?)?(?:19|20)?\d\d)?", re.IGNORECASE)
_SCALE: Final = re.compile(r"DECIMAL\(38,(\d+)\)")
_LEAST_NAMED: Final = 2
"""Columns whose headers say that tables with the same headers belong together."""

Place = tuple[str, int]
"""A passage's id, and where a row begins in its text."""


class Table(NamedTuple):
    """The schema of a table."""

    id: str
    """The document's id with the number of the table in it, from 1: `gates.xlsx#table-2`."""
    document_id: str
    title: str
    """The document's title, or its file."""
    section: str
    caption: str
    columns: tuple[Column, ...]
    rows: int
    samples: tuple[tuple[str | None, ...], ...]
    """The first rows."""

    @property
    def family(self) -> tuple[Any, ...] | None:
        """Equal for tables that hold parts of one: the same headers and units. None for others.

        Headers that are empty, or years, say too little.
        """
        own = [column for column in self.columns if not column.derived]
        if len(own) < _LEAST_NAMED or any(_SAYS_NOTHING.fullmatch(each.label) for each in own):
            return None
        return tuple((column.name, column.unit) for column in own)


def table_of(values: Sequence[Any]) -> Table:
    """A table from its JSON."""
    *about, columns, rows, samples = values
    made = tuple(Column._make([*each[:5], tuple(each[5]), each[6]]) for each in columns)
    return Table._make([*about, made, rows, tuple(map(tuple, samples))])


class Tables:
    """The tables of an index. Any thread may use it."""

    def __init__(self, directory: Path) -> None:
        """Read the schemas.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        self._file = directory / FILE
        try:
            if is_cut(self._file):
                raise sqlite3.DatabaseError("its end is missing")
            rows = self._read("SELECT schema FROM tables ORDER BY number")
            tables = [table_of(json.loads(row[0])) for row in rows]
        except (OSError, ValueError, TypeError, sqlite3.Error) as error:
            raise damage_error(self._file, f"cannot be read ({error})") from error
        self._take(dict(enumerate(tables)), SparseIndex.load(directory))

    def _take(self, by_number: Mapping[int, Table], words: SparseIndex) -> None:
        self._by_number, self._words = by_number, words
        self.tables = [*by_number.values()]
        self._numbers = {table.id: number for number, table in by_number.items()}
        self._families: dict[Any, list[Table]] = {}
        for table in self.tables:
            self._families.setdefault(table.family, []).append(table)

    def part(self, documents: Collection[str]) -> Tables:
        """The tables of some documents."""
        part = copy(self)
        kept = {
            number: table
            for number, table in self._by_number.items()
            if table.document_id in documents
        }
        part._take(kept, ReadableSparse(self._words, frozenset(each.id for each in kept.values())))
        return part

    def __len__(self) -> int:
        return len(self.tables)

    def search(self, text: str, k: int) -> list[Table]:
        """The tables whose headers, captions and cells share words with a text, the best first."""
        found = self._words.search(text, k)
        return self.by_id([name for name, _ in found])

    def by_id(self, ids: Sequence[str]) -> list[Table]:
        """Those of some tables that the index has, in that order."""
        return [self._by_number[self._numbers[name]] for name in ids if name in self._numbers]

    def holding(self, passage_ids: Sequence[str]) -> list[Table]:
        """The tables with rows in some passages, in the order of these."""
        rows = self._read(
            "SELECT passage, number FROM places JOIN tables USING (number) "
            "WHERE passage IN (SELECT value FROM json_each(?)) ORDER BY number",
            json.dumps(list(passage_ids)),
        )
        order = {name: place for place, name in enumerate(passage_ids)}
        numbers = [number for _, number in sorted(rows, key=lambda row: order[row[0]])]
        kept = [number for number in dict.fromkeys(numbers) if number in self._by_number]
        return [self._by_number[number] for number in kept]

    def family(self, table: Table) -> list[Table]:
        """A table with all that hold other parts of the same."""
        return [table] if table.family is None else self._families[table.family]

    def load(
        self, table: Table, keep: Callable[[str], bool] = lambda _: True
    ) -> tuple[list[Cells], list[Place]]:
        """The cells of each column, and the place of each row.

        Args:
            keep: Whether the rows in a passage are wanted.
        """
        number = self._numbers[table.id]
        [(cells, places)] = self._read("SELECT cells, places FROM tables WHERE number = ?", number)
        columns: list[Cells] = json.loads(cells)
        where: list[Place] = [(passage, start) for passage, start in json.loads(places)]
        kept = [row for row, (passage, _) in enumerate(where) if keep(passage)]
        if len(kept) < len(where):
            columns = [[column[row] for row in kept] for column in columns]
            where = [where[row] for row in kept]
        return columns, where

    def _read(self, sql: str, *values: str | int) -> list[Any]:
        connection = sqlite3.connect(uri_of(self._file), uri=True)
        try:
            return connection.execute(sql, values).fetchall()
        finally:
            connection.close()


def merged_type(types: Iterable[str]) -> str:
    """The type that holds the values of columns of several types."""
    several = set(types)
    if len(several) == 1:
        return several.pop()
    if several <= {"DATE", "TIMESTAMP"}:
        return "TIMESTAMP"
    scales = [_SCALE.fullmatch(kind) for kind in several - {"BIGINT", "DOUBLE"}]
    if not all(scales):
        return "VARCHAR"
    scale = max((int(found[1]) for found in scales if found), default=0)
    return "DOUBLE" if "DOUBLE" in several else f"DECIMAL(38,{scale})"
