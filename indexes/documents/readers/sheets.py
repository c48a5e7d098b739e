"""Rows of a spreadsheet or of separated values as Markdown: titles, headers and tables."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice, pairwise, takewhile
from typing import Final

from hopyard.indexes.passages.markdown import escape_cell, table_lines

_NUMBER: Final = re.compile(r"[-+(]?\W?\d[\d.,' \u00a0\u202f]*\s?(?:%|[A-Z]{3}|[^\w\s])?\)?")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_MOST_HEADS: Final = 4
"""Rows of a header, at most."""
_LOOKED_AT: Final = 100
"""Rows in which a second table beside a table shows."""
_WIDEST: Final = 200
"""Columns of tables side by side, at most."""
_MOST_BLANKS: Final = 50
"""Blank cells between two others that are kept, at most."""


def sheet_text(name: str, rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A sheet as Markdown, under its name as a heading.

    A row with a single cell above a table is a line of text. The rows of a header become one. After
    blank rows, rows that look like those above them belong to the same table. Tables side by side
    follow each other.
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
        if table and is_after_blank and not table.fits(cells, ahead.next_rows(1)):
            yield "\n"
            table = None
        is_after_blank = False
        if table:
            yield table.row(cells)
            continue
        below = [*takewhile(bool, ahead.next_rows(_LOOKED_AT))]
        gap = _gap_below_titles(cells, below)
        if not gap and _is_title(cells, below):
            yield f"{escape_cell(' '.join(filter(None, cells)))}\n\n"
        elif gap := gap or _gap([cells, *below]):
            both = [cells, *takewhile(bool, ahead)]
            right = gap + (not any(row[gap : gap + 1] > [""] for row in both))  # far below
            yield from sheet_text("", [row[:gap] for row in both])
            yield from sheet_text("", [row[right:] for row in both])
        else:
            heads = _heads([cells, *ahead.next_rows(_MOST_HEADS)])
            head = _joined([cells, *islice(ahead, heads - 1)]) if heads > 1 else cells
            table = _Table(len(head))
            yield "".join(f"{line}\n" for line in table_lines([head]))
    yield "\n"


def joined_heads(rows: list[list[str]], heads: int = 1) -> list[list[str]]:
    """Rows of a whole table, of equal length, with a header of several rows as one.

    Args:
        heads: How many rows the file says are its header; 0 or 1 where it does not say more.
    """
    heads = heads if heads > 1 else _heads(rows[: _MOST_HEADS + 1])
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

    def fits(self, cells: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
        """Whether a row after blank rows looks like the rows above them, and is no new header."""
        if sum(map(bool, cells)) < 2 or len(cells) > self._width:
            return False
        if any(map(_is_number, cells)):
            return True
        numbers = {place for row in below for place, cell in enumerate(row) if _is_number(cell)}
        named = {place for place, cell in enumerate(cells) if cell}
        return len(cells) == self._width and not named & {*self._numbers, *numbers}


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
    """Whether a row is the title of a table: it has one cell, or two before a wider row.

    A first cell that is merged with the one below begins a header.
    """
    filled, next_row = sum(map(bool, cells)), below[0] if below else []
    return filled == 1 or (
        filled == 2 and len(next_row) > len(cells) + 1 and cells[0] != next_row[0]
    )


def _heads(rows: Sequence[Sequence[str]]) -> int:
    """How many of the first rows are a header: each names the columns under wider names above."""
    count = next((at for at, row in enumerate(rows) if any(map(_is_number, row))), 1)
    last = rows[count - 1]
    return count if all(_is_under(*pair, last) for pair in pairwise(rows[:count])) else 1


def _is_under(first: Sequence[str], second: Sequence[str], last: Sequence[str]) -> bool:
    """Whether a row names the columns under wider names in the row above.

    Args:
        last: The last row of the header. A name in it may be under wider names in both.
    """
    width = max(map(len, (first, second, last)))
    first, second, last = ([*row, *[""] * (width - len(row))] for row in (first, second, last))
    wide = [cell if cell != left else "" for left, cell in zip(["", *first], first, strict=False)]
    names = [cell for cell in second if cell]
    is_filled = all(last[place] or not any(wide[:place]) for place in _blanks(wide))
    spans_rows = any(
        above and (not below or above == below) for above, below in zip(wide, second, strict=True)
    )
    return (
        any(second[place] for place in _blanks(wide))
        and is_filled
        and (spans_rows or not second[0] or len(set(names)) < len(names))
    )


def _gap(rows: Sequence[Sequence[str]], *, titled: bool = False) -> int:
    """The blank column between two tables side by side; 0 without one.

    A table may have a blank column too. Two tables have each a header and labels in their first
    column, and titles, a header in common or headers in different rows.
    """
    width = max(map(len, rows))
    if width > _WIDEST:
        return 0
    filled = {place for row in rows for place, cell in enumerate(row) if cell}
    for gap in (place for place in range(1, width) if place not in filled):
        left, right = _head([row[:gap] for row in rows]), _head([row[gap + 1 :] for row in rows])
        if left and right and (titled or left[0] != right[0] or left[1] & right[1]):
            return gap
    return 0


def _gap_below_titles(cells: Sequence[str], below: Sequence[Sequence[str]]) -> int:
    """The blank column between two tables side by side if a row has a title for each; else 0."""
    gap = _gap(below, titled=True) if below and sum(map(bool, cells)) == 2 else 0
    return gap if any(cells[:gap]) and any(cells[gap + 1 :]) else 0


def _head(rows: Sequence[Sequence[str]]) -> tuple[int, set[str]] | None:
    """The place and the names of a table's header; None if it has none, or no labels."""
    own = [(at, cells) for at, row in enumerate(rows) if (cells := _trimmed(row))]
    if len(own) < 2 or own[-1][0] - own[0][0] >= len(own):
        return None
    at, head = own[0]
    names = {cell for cell in head if cell}
    first = next(place for place, cell in enumerate(head) if cell)
    labels = [[*cells, *[""] * first][first] for _, cells in own]
    has_labels = all(label and not _is_number(label) for label in labels)
    return (
        (at, names) if has_labels and len(names) > 1 and not any(map(_is_number, names)) else None
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
            above = padded[number - 1][place] if number else ""
            begins = above and (not place or above != padded[number - 1][place - 1])
            wide = cell or ("" if begins else wide)
            is_under = any(item[place] for item in padded[number + 1 :])
            name = cell or (wide if is_under else "")
            if name and name not in head[place]:
                head[place].append(name)
    return [" ".join(names) for names in head]
