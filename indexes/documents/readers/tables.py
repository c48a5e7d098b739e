"""Spreadsheets and tables of values, a row at a time."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from typing import IO, Any, Final

from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.number_format import elapsed, shown
from hopyard.indexes.documents.readers.office import office_properties
from hopyard.indexes.documents.readers.text import text_blocks
from hopyard.indexes.passages.markdown import escape_cell, table_lines
from hopyard.state.errors import CorpusError

__all__ = ("lines_of", "read_csv", "read_tsv", "read_xlsx", "sheet_text")

_DELIMITERS: Final = ",;\t|"
_SAMPLE_LINES: Final = 20
_LONGEST_FIELD: Final = 1 << 24


def read_csv(source: Source) -> Iterator[Content]:
    """Values between commas, semicolons, tabs or bars: one table, its first row the header."""
    yield Content("", _delimited(source, ""))


def read_tsv(source: Source) -> Iterator[Content]:
    """Values between tabs."""
    yield Content("", _delimited(source, "\t"))


def read_xlsx(source: Source) -> Iterator[Content]:
    """A workbook: each sheet is a section with its tables. Formulas give their last value.

    Numbers are as Excel shows them.
    """
    from openpyxl import load_workbook

    with source.open() as stream:
        metadata = office_properties(stream)
        title = str(metadata.pop("title", ""))
        stream.seek(0)
        merged = _merged(stream)
        stream.seek(0)
        book = load_workbook(stream, read_only=True, data_only=True)

        def text() -> Iterator[str]:
            for sheet in book.worksheets:
                sheet.reset_dimensions()  # many programs write wrong dimensions
                rows = ([_cell(cell) for cell in row] for row in sheet.iter_rows())
                yield from sheet_text(sheet.title, _filled(rows, merged.get(sheet.title, [])))

        try:
            yield Content(title, text(), "markdown", metadata)
        finally:
            book.close()


Area = tuple[int, int, int, int]
"""First and last row, first and last column, from 0."""


def _merged(stream: IO[bytes]) -> dict[str, list[Area]]:
    """The merged cells of each sheet; openpyxl does not tell them of a book that it streams."""
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(stream)
    except CalamineError:  # openpyxl says what is wrong
        return {}
    return {
        name: [
            (top, bottom, left, right)
            for (top, left), (bottom, right) in book.get_sheet_by_name(name).merged_cell_ranges
            or ()
        ]
        for name in book.sheet_names
    }


def _filled(rows: Iterable[list[str]], merged: Sequence[Area]) -> Iterator[list[str]]:
    """The rows with the text of a merged cell in each of its rows, in its first column."""
    starts = {(top, left): (bottom, right) for top, bottom, left, right in merged if bottom > top}
    waiting: dict[int, tuple[int, str]] = {}
    for number, row in enumerate(rows):
        for column, (bottom, text) in list(waiting.items()):
            if number <= bottom and column < len(row) and not row[column]:
                row[column] = text
        for column in range(len(row)):
            if end := starts.get((number, column)):
                waiting[column] = (end[0], row[column])
        yield row


def sheet_text(name: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A sheet as Markdown, under its name as a heading.

    Empty rows end a table. A single cell above a table is a line of text.
    """
    if name:
        yield f"# {name}\n\n"
    width = 0  # columns of the open table
    for row in rows:
        cells = list(row)
        while cells and not cells[-1].strip():
            cells.pop()
        if not cells:
            if width:
                yield "\n"
            width = 0
        elif width:
            yield f"{_row(cells, width)}\n"
        elif sum(bool(cell.strip()) for cell in cells) == 1:
            yield f"{escape_cell(next(cell for cell in cells if cell.strip()))}\n\n"
        else:
            width = len(cells)
            yield "".join(f"{line}\n" for line in table_lines([cells]))
    yield "\n"


def lines_of(blocks: Iterable[str]) -> Iterator[str]:
    """Lines, with their ends, of a text that comes in blocks.

    Raises:
        CorpusError: A line is longer than a row of a table may be.
    """
    rest = ""
    for block in blocks:
        *whole, rest = f"{rest}{block}".split("\n")
        if len(rest) > _LONGEST_FIELD:
            raise CorpusError("it has a line of more than 16 million characters, so it is no table")
        yield from (f"{line}\n" for line in whole)
    if rest:
        yield rest


def _row(cells: Sequence[str], width: int) -> str:
    padded = [*cells, *[""] * (width - len(cells))]
    return f"| {' | '.join(map(escape_cell, padded))} |"


def _delimited(source: Source, delimiter: str) -> Iterator[str]:
    lines = lines_of(text_blocks(source))
    first = list(islice(lines, _SAMPLE_LINES))
    delimiter = delimiter or _delimiter(first)
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.reader(chain(first, lines), delimiter=delimiter)
    return sheet_text("", rows)


def _delimiter(lines: Sequence[str]) -> str:
    """The delimiter that cuts the first lines into the same number of values, more than one."""

    def fit(delimiter: str) -> tuple[float, int]:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        usual = max(set(widths), key=widths.count, default=1)
        return (widths.count(usual) / len(widths) if usual > 1 else 0.0), usual

    return max(_DELIMITERS, key=fit)


def _cell(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, (date, datetime)):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, timedelta):
        return elapsed(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return shown(value, cell.number_format)
    return str(value)
