"""The tables as queries see them: one for each table, or one for tables with the same columns."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from os.path import commonprefix
from typing import Any, Final, NamedTuple

from hopyard.indexes.corpus.records import place_in
from hopyard.indexes.kinds.tables.columns import (
    LONGEST_VALUE,
    Cells,
    Column,
    sql_name,
    unique_names,
)
from hopyard.indexes.kinds.tables.reader import Place, Table, Tables, merged_type
from hopyard.prompts.passages import one_line, snippet
from hopyard.state.references import SECTION_MARK
from hopyard.state.text.counting import counted

_MOST_COLUMNS: Final = 60
_MOST_TABLES: Final = 500
"""Tables with the same columns that are one, at most."""
_LONGEST_CELL: Final = 60
_NAMED_PLACES: Final = 12
_NEAR: Final = 8
"""Texts of a column that share words with the question."""
_STEM: Final = 5
_MOST_ROWS: Final = 50_000
"""Rows that are read for that."""
_LEAST_NAME: Final = 3
"""Characters that the titles of several documents share."""
_LAST_WORD: Final = re.compile(r"(?:\d+|[^\W\d_]+)$")
_LONGEST_NAME: Final = 40
"""Characters of a table's name. A longer line above a table is a sentence."""


class Entry(NamedTuple):
    """A table of the query."""

    name: str
    """Its name in SQL."""
    tables: list[Table]
    """The tables of the documents that it consists of."""
    columns: list[Column]
    """Those that say which table a row is from come first, if there are several."""
    places: list[str]
    """The columns among them that name the document and the section."""

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(table.rows for table in self.tables)


class Loaded(NamedTuple):
    """A table with its cells."""

    request: dict[str, Any]
    """Name, columns and cells for `worker`."""
    places: list[Place]
    """The place of each row."""
    cells: list[Cells]


def entries_of(tables: Tables, ids: Sequence[str]) -> list[Entry]:
    """The tables of a query, from the tables of the index that were chosen."""
    seen, families = set[str](), list[list[Table]]()
    for table in tables.by_id(ids):
        if table.id not in seen:
            family = tables.family(table)[:_MOST_TABLES]
            family = family if table in family else [table]
            seen.update(each.id for each in family)
            families.append(family)
    names = unique_names([_name(family) for family in families])
    return [_entry(name, family) for name, family in zip(names, families, strict=True)]


def _name(family: Sequence[Table]) -> str:
    first = family[0]
    caption = first.caption if len(first.caption) <= _LONGEST_NAME else ""
    known = _common_name(family) if len(family) > 1 else caption or first.section or first.title
    return sql_name(known.rpartition(SECTION_MARK)[2][:_LONGEST_NAME], "table")


def _common_name(family: Sequence[Table]) -> str:
    """The common beginning or end of several titles, and the section if all have the same.

    If the table had the name of its first document, `prices_2024`, a query for all years would read
    as a query for 2024.
    """
    title, sections = family[0].title, {table.section for table in family}
    for step in (1, -1):
        shared = commonprefix([table.title[::step] for table in family])  # noqa: RUF071  (characters)
        if shared == title[::step]:
            return title
        shared = _LAST_WORD.sub("", shared)[::step].strip("_-. ")
        if len(shared) >= _LEAST_NAME:
            return f"{shared} {sections.pop()}" if len(sections) == 1 else shared
    return title


def _entry(name: str, family: list[Table]) -> Entry:
    columns: dict[str, list[Column]] = {}
    for table in family:
        for column in table.columns:
            columns.setdefault(column.name, []).append(column)
    places = [
        place
        for place in ("document", "section")
        if len({_place(table, place) for table in family}) > 1
    ]
    if len(family) > 1 and not places:
        places = ["caption"]
    own = [_merged(same) for same in columns.values()]
    named = unique_names([*(column.name for column in own), *places])[len(own) :]
    where = [
        Column(column, f"the table's {place}", "VARCHAR", True, "", *_values(family, place))
        for column, place in zip(named, places, strict=True)
    ]
    return Entry(name, family, [*where, *own], places)


def _place(table: Table, place: str) -> str:
    return {"document": table.title, "section": table.section, "caption": table.caption}[place]


def _values(family: Sequence[Table], place: str) -> tuple[tuple[str, ...], int]:
    texts = list(dict.fromkeys(_place(table, place) for table in family))
    return tuple(texts[:_NAMED_PLACES]), len(texts)


def _merged(same: Sequence[Column]) -> Column:
    values = dict.fromkeys(chain.from_iterable(column.values for column in same))
    distinct = max(len(values), *(column.distinct for column in same), 0)
    filled = [column for column in same if column.distinct or column.type != "VARCHAR"]
    kind = merged_type(column.type for column in filled or same)
    return same[0]._replace(type=kind, values=tuple(values)[:20], distinct=distinct)


def load(tables: Tables, entry: Entry, keep: Callable[[str], bool]) -> Loaded:
    """The cells of an entry.

    Args:
        keep: Whether the rows in a passage are wanted.
    """
    cells: list[Cells] = [[] for _ in entry.columns]
    places: list[Place] = []
    for table in entry.tables:
        own, where = tables.load(table, keep)
        by_name = {column.name: values for column, values in zip(table.columns, own, strict=True)}
        for number, column in enumerate(entry.columns):
            if number < len(entry.places):
                cells[number] += [_place(table, entry.places[number])] * len(where)
            else:
                missing = "false" if column.type == "BOOLEAN" else None  # no row is a total
                cells[number] += by_name.get(column.name, [missing] * len(where))
        places += where
    request = {
        "name": entry.name,
        "columns": [[column.name, column.type] for column in entry.columns],
        "cells": [json.dumps(values) for values in cells],
    }
    return Loaded(request, places, cells)


def with_near_values(
    tables: Tables, entry: Entry, question: str, keep: Callable[[str], bool]
) -> Entry:
    """An entry whose columns with many texts show those that share words with a question first."""
    long = [each.type == "VARCHAR" and each.distinct > len(each.values) for each in entry.columns]
    words = _words(question)
    if not any(long) or entry.rows > _MOST_ROWS:
        return entry
    cells = load(tables, entry, keep).cells
    columns = [
        column._replace(values=_nearest(cells[place], words, column.values)) if wanted else column
        for place, (column, wanted) in enumerate(zip(entry.columns, long, strict=True))
    ]
    return entry._replace(columns=columns)


def _words(text: str) -> set[str]:
    """The beginnings of a text's words: `Purchases` and `purchase` are the same."""
    return {word[:_STEM] for word in re.findall(r"\w{3,}", text.casefold())}


def _nearest(cells: Cells, words: set[str], others: Sequence[str]) -> tuple[str, ...]:
    """The different texts with the rarest words of a question, and then others."""
    texts = {text: words & _words(text) for text in dict.fromkeys(filter(None, cells))}
    rare = Counter(chain.from_iterable(texts.values()))
    score = {text: sum(1 / rare[word] for word in own) for text, own in texts.items() if own}
    best = sorted(score, key=lambda text: (-score[text], len(text)))[:_NEAR]
    return tuple(dict.fromkeys([*(text[:LONGEST_VALUE] for text in best), *others]))


def schema_text(entries: Sequence[Entry]) -> str:
    """The tables as the model sees them: a line for each table, column and sample row.

    A line is the delimiter: no cell can end its own line.
    """
    return "\n\n".join("\n".join(_lines(entry)) for entry in entries)


def _lines(entry: Entry) -> list[str]:
    first = entry.tables[0]
    where = first.title if len(entry.tables) > 1 else place_in(first.title, first.section)
    parts = [f'Table "{entry.name}": {where}']
    if len(entry.tables) > 1:
        parts.append(f"and {counted(len(entry.tables) - 1, 'more table')} with the same columns")
    elif first.caption:
        parts.append(f"under the line: {first.caption}")
    parts.append(f"{entry.rows} rows")
    lines = [one_line("; ".join(parts))]
    lines += [one_line(f"- {_column(column)}") for column in entry.columns[:_MOST_COLUMNS]]
    if left := entry.columns[_MOST_COLUMNS:]:
        lines.append(one_line("- and: " + ", ".join(f'"{column.name}"' for column in left)))
    shown = [column.name for column in first.columns][:_MOST_COLUMNS]
    lines.append(one_line(f"  columns of the rows: {', '.join(shown)}"))
    for sample in first.samples:
        cells = (snippet(cell or "", _LONGEST_CELL) for cell in sample[:_MOST_COLUMNS])
        lines.append(one_line(f"  row: {' | '.join(cells)}"))
    return lines


def _column(column: Column) -> str:
    text = f'"{column.name}" {column.type}'
    if column.unit:
        text += f" in {column.unit}"
    if column.label and column.label != column.name:
        text += f", headed {column.label!r}"
    if column.values:
        values = ", ".join(repr(value) for value in column.values)
        all_ = column.distinct <= len(column.values)
        text += f": {values}" if all_ else f": {column.distinct} different, such as {values}"
    return text
