"""Rows of a spreadsheet or of separated values as Markdown: titles, headers and tables."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import Final

from hopyard.indexes.passages.markdown import escape_cell, table_lines

_NUMBER: Final = re.compile(r"[-+(]?\W?\d[\d.,' \u00a0\u202f]*\s?(?:%|[A-Z]{3}|[^\w\s])?\)?")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_MOST_BLANKS: Final = 50
"""Blank cells between two others that are kept, at most."""


def sheet_text(name: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A sheet as Markdown, under its name as a heading.

    A row with a single cell above a table is a line of text. Two rows of a header become one. After
    blank rows, rows that look like those above them belong to the same table.
    """
    if name:
        yield f"# {name}\n\n"
    ahead = _Ahead(map(_trimmed, rows))
    table: _Table | None = None
    is_after_blank = False
    for cells in ahead:
        if not cells:
            is_after_blank = True
            continue
        if table and is_after_blank and not table.fits(cells):
            yield "\n"
            table = None
        is_after_blank = False
        if table:
            yield table.row(cells)
        elif _is_title(cells, ahead.next_rows(1)):
            yield f"{escape_cell(' '.join(filter(None, cells)))}\n\n"
        else:
            head = cells
            if _has_two_heads([cells, *ahead.next_rows(2)]):
                head = _joined([cells, next(ahead)])
            table = _Table(len(head))
            yield "".join(f"{line}\n" for line in table_lines([head]))
    yield "\n"


def joined_heads(rows: list[list[str]], heads: int = 1) -> list[list[str]]:
    """Rows of a whole table, of equal length, with a header of several rows as one.

    Args:
        rows: The rows of the table.
        heads: How many rows the file says are its header; 0 or 1 where it does not say more.
    """
    if heads < 2 and _has_two_heads(rows[:3]):
        heads = 2
    if heads > 1:
        rows = [_joined(rows[:heads]), *rows[heads:]]
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows if any(row)]


class _Ahead:
    """Rows that can be looked at before they are taken."""

    def __init__(self, rows: Iterator[list[str]]) -> None:
        self._rows = rows
        self._waiting: deque[list[str]] = deque()

    def __iter__(self) -> _Ahead:
        return self

    def __next__(self) -> list[str]:
        return self._waiting.popleft() if self._waiting else next(self._rows)

    def next_rows(self, count: int) -> list[list[str]]:
        self._waiting.extend(islice(self._rows, max(0, count - len(self._waiting))))
        return list(islice(self._waiting, count))


class _Table:
    """The table that is being written."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._numbers: set[int] = set()
        """Columns with numbers."""

    def row(self, cells: Sequence[str]) -> str:
        self._numbers.update(place for place, cell in enumerate(cells) if _is_number(cell))
        padded = [*cells, *[""] * (self._width - len(cells))]
        return f"| {' | '.join(map(escape_cell, padded))} |\n"

    def fits(self, cells: Sequence[str]) -> bool:
        """Whether a row after blank rows looks like the rows above them."""
        if sum(map(bool, cells)) < 2 or len(cells) > self._width:
            return False
        if any(map(_is_number, cells)):
            return True
        return len(cells) == self._width and not any(cells[place] for place in self._numbers)


def _trimmed(row: Sequence[str]) -> list[str]:
    cells = [cell.strip() for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    if len(cells) <= _MOST_BLANKS:
        return cells
    runs = (list(run) for _, run in groupby(cells, key=bool))
    return [cell for run in runs for cell in (run if run[0] else run[:_MOST_BLANKS])]


def _is_number(cell: str) -> bool:
    """Whether a cell is a number, and not a year, which may name a column."""
    return bool(_NUMBER.fullmatch(cell)) and not _YEAR.fullmatch(cell)


def _is_title(cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row is the title of a table: it has one cell, or two before a wider row."""
    filled = sum(map(bool, cells))
    return filled == 1 or (filled == 2 and bool(below) and len(below[0]) > len(cells) + 1)


def _has_two_heads(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the second of three rows names the columns under wider names in the first."""
    if len(rows) < 3 or not rows[1] or any(map(_is_number, [*rows[0], *rows[1]])):
        return False
    width = max(len(rows[0]), len(rows[1]))
    first, second = ([*row, *[""] * (width - len(row))] for row in rows[:2])
    under = [place for place in _blanks(first) if second[place]]
    is_filled = all(second[place] or not any(first[:place]) for place in _blanks(first))
    pairs = zip(first, second, strict=True)
    spans_rows = any(above and (not below or above == below) for above, below in pairs)
    names = [cell for cell in second if cell]
    return (
        bool(under)
        and is_filled
        and (spans_rows or len(set(names)) < len(names))
        and any(map(_is_number, rows[2]))
    )


def _blanks(row: Sequence[str]) -> list[int]:
    return [place for place, cell in enumerate(row) if not cell]


def _joined(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows of a header as one: a wide name belongs to each column under it."""
    width = max(map(len, rows))
    padded = [[*row, *[""] * (width - len(row))] for row in rows]
    head: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(padded):
        wide = ""
        for place, cell in enumerate(row):
            wide = cell or wide
            is_under = any(item[place] for item in padded[number + 1 :])
            name = cell or (wide if is_under and not head[place] else "")
            if name and name not in head[place]:
                head[place].append(name)
    return [" ".join(names) for names in head]
