"""Tables without ruled lines: lines that share columns become the rows of one table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Final, NamedTuple

from hopyard.indexes.documents.readers.pdf.cells import NO_CELL, Cell, TextLine, is_figure

_LEAST_ROWS: Final = 2
_ALONE: Final = 2
"""Lines of one cell that may follow one another inside a table."""
_PROSE: Final = 7
"""Words of a line of prose, at least."""
_MOST_PROSE: Final = 0.3
"""The share of lines of prose in a table, at most; beside a figure, there are more."""
_FAR: Final = 2.6
"""The distance between the feet of two rows, in heights of their letters, at most."""
_MOST_HEAD: Final = 9
"""Lines of a table's head, at most."""
_MOST_ABOVE: Final = 2
"""Lines of one cell above the first line with several, that are in the head, at most."""
_OF_ONE_YEAR: Final = re.compile(r"restated|revised|adjusted|recast|pro forma", re.IGNORECASE)
_HEAD_FIGURE: Final = re.compile(
    r"(?:FY|Q[1-4]\s?)?\(?(?:19|20)\d\d\)?[AEe*]?(?:\^\S+)?|[(\[](?:[a-z]|\d)[)\]]"
)
"""A year, or the mark of a note: a figure that a column's head may hold."""
_UNITS: Final = re.compile(
    r"\(.*\)|(?=.{,60}$).*\b(?:in|are in) (?:thousands|millions|billions)\b.*", re.I
)

_UNITS_AT_END: Final = re.compile(
    r"\([^()]*\bin (?:thousands|millions|billions)\b[^()]*\)(?: \(\d\))?:?", re.I
)


class Table(NamedTuple):
    """Rows of equally many cells; the first is the head, empty if the table has none.

    Attributes:
        rows: The cells.
        above: Lines before the given one that are in the head.
        end: The number of the first line after the table.
    """

    rows: list[list[Cell]]
    above: int
    end: int


def table_at(lines: Sequence[TextLine], start: int, before: int) -> Table | None:
    """The table of a page whose first line with several cells is the one at `start`, or None.

    Of the lines `before` it, that many may belong to the head: others are in a table already.
    """
    if len(lines[start].cells) < 2:
        return None
    end = _end(lines, start)
    rows = [line for line in lines[start:end] if len(line.cells) > 1]
    alone = [line.text for line in lines[start:end] if len(line.cells) == 1]
    prose = sum(len(text.split()) >= _PROSE for text in alone)
    if len(rows) < _LEAST_ROWS or prose > _MOST_PROSE * (end - start) or not _is_table(rows):
        return None
    places = _places(rows)
    if len(places) < 2:
        return None
    body = _first_of_body(lines, start, end)
    above = _above(lines, start, places, min(before, _MOST_ABOVE))
    head = [_in_places(line, places, spread=True) for line in lines[start - above : body]]
    for row, below in pairwise(head):
        _spread_over_years(row, below)
    cells = [_in_places(line, places, spread=False) for line in lines[body:end]]
    joined = [reduce(Cell.joined, column) for column in zip(*head, strict=True)]
    joined = joined or [NO_CELL] * len(places)
    if above < min(before, start) and not _UNITS_AT_END.search(joined[0].text):
        joined[0] = _units_in(lines[start - above - 1]).joined(joined[0])
    return Table([joined, *cells], above, end)


def _spread_over_years(row: list[Cell], below: Sequence[Cell]) -> None:
    """Give a name in the midst of some years to all: `Year ended December 31,` stands over them."""
    years = [
        place
        for place, cell in enumerate(below)
        if _HEAD_FIGURE.fullmatch(cell.text.partition(" (")[0])
    ]
    named = [place for place in years if row[place].text]
    if len(named) != 1 or _OF_ONE_YEAR.search(row[named[0]].text):
        return
    if years[0] < named[0] < years[-1]:
        for place in years:
            row[place] = row[named[0]]


def _units_in(line: TextLine) -> Cell:
    """The units at the end of a line such as `Fees were as follows (in millions):`."""
    words = line.cells[-1].words
    for first, word in enumerate(words):
        if word.text[0] == "(" and _UNITS_AT_END.fullmatch((units := Cell.of(words[first:])).text):
            return units
    return NO_CELL


def joined_head(rows: Sequence[Sequence[Cell]]) -> list[list[Cell]]:
    """Rows with the second joined to the first if it holds years or marks of notes alone."""
    if len(rows) > 2:
        figures = [cell.text for cell in rows[1][1:] if is_figure(cell.text)]
        below = any(is_figure(cell.text) for cell in rows[2][1:])
        if figures and below and all(map(_HEAD_FIGURE.fullmatch, figures)):
            first = [above.joined(cell) for above, cell in zip(rows[0], rows[1], strict=True)]
            return [first, *map(list, rows[2:])]
    return [list(row) for row in rows]


def holds_values(row: Sequence[Cell]) -> bool:
    """Whether a row has a figure that the head of a column may not hold."""
    figures = [cell.text for cell in row[1:] if is_figure(cell.text)]
    return not all(map(_HEAD_FIGURE.fullmatch, figures))


def _above(
    lines: Sequence[TextLine], start: int, places: Sequence[tuple[float, float]], most: int
) -> int:
    """How many lines before a table are in its head: units, and names of several columns."""
    above = 0
    while above < most:
        line, below = lines[start - above - 1], lines[start - above]
        if len(line.cells) > 1 or not _near(line, below):
            break
        cell = line.cells[0]
        if not _UNITS.fullmatch(cell.text) and cell.left < places[0][1]:
            break
        above += 1
    return above


def _end(lines: Sequence[TextLine], start: int) -> int:
    """The first line after the rows that follow one another."""
    end, alone = start, 0
    for number in range(start, len(lines)):
        line = lines[number]
        if number > start and not _near(lines[number - 1], line):
            break
        if len(line.cells) > 1:
            end, alone = number + 1, 0
        else:
            alone += 1
            if alone > _ALONE:
                break
    return end


def _near(before: TextLine, line: TextLine) -> bool:
    height = max(before.height, line.height)
    return before.column == line.column and 0 < line.bottom - before.bottom < _FAR * height


def _is_table(rows: Sequence[TextLine]) -> bool:
    """Whether rows hold figures behind a label, or texts whose left or right ends agree."""
    figures = sum(any(is_figure(cell.text) for cell in row.cells[1:]) for row in rows)
    if figures >= _LEAST_ROWS or (figures and _is_below_head(rows[-1], rows[-2])):
        return True
    if len(rows) < _LEAST_ROWS + 1 and not figures:
        return False
    ends = [[round(cell.left / 4) for cell in row.cells[1:]] for row in rows]
    first = set(ends[0])
    agreeing = sum(bool(first & {place + step for place in row for step in (-1, 0, 1)})
                   for row in ends)  # fmt: skip
    return agreeing == len(rows)


def _is_below_head(row: TextLine, head: TextLine) -> bool:
    """Whether a single row of figures has a name above each: two names, or one beside units."""
    figures = [cell for cell in row.cells if is_figure(cell.text)]
    if all(_HEAD_FIGURE.fullmatch(cell.text) for cell in figures):
        return False
    named = [any(_shared(figure, (cell.left, cell.right)) > 0 for cell in head.cells)
             for figure in figures]  # fmt: skip
    units = len(head.cells) == len(row.cells) and _UNITS.fullmatch(head.cells[0].text)
    named_only = not any(is_figure(cell.text) for cell in head.cells)
    return all(named) and (len(figures) > 1 or bool(units)) and named_only


def _places(rows: Sequence[TextLine]) -> list[tuple[float, float]]:
    """Left and right of each column. Cells over several columns widen none."""
    places: list[tuple[float, float]] = []
    for row in sorted(rows, key=_fullness, reverse=True):
        for cell in row.cells:
            left, right = cell.left, cell.right
            under = [place for place in places if left < place[1] and place[0] < right]
            if len(under) > 1:
                continue
            kept = [place for place in places if place not in under]
            wider = (
                min([left, *(place[0] for place in under)]),
                max([right, *(place[1] for place in under)]),
            )
            if not any(wider[0] < place[1] and place[0] < wider[1] for place in kept):
                places = sorted([*kept, wider])
    return places


def _fullness(row: TextLine) -> tuple[int, int]:
    return sum(is_figure(cell.text) for cell in row.cells), len(row.cells)


def _shared(cell: Cell, place: tuple[float, float]) -> float:
    return min(cell.right, place[1]) - max(cell.left, place[0])


def _first_of_body(lines: Sequence[TextLine], start: int, end: int) -> int:
    """The first line below the head: the head has no figures but years and marks of notes."""
    head = start
    for number in range(start, min(end, start + _MOST_HEAD)):
        cells = lines[number].cells
        figures = [cell.text for cell in cells[1:] if is_figure(cell.text)]
        if holds_values(cells):
            return head
        if figures and head > start and any(map(str.isalpha, cells[0].text)):
            return head  # a label before figures that look like years
        if len(cells) > 1:
            head = number + 1
    return start + 1


def _in_places(
    line: TextLine, places: Sequence[tuple[float, float]], *, spread: bool
) -> list[Cell]:
    """The cells of a line, each in the column that it shares most with.

    If `spread`, a cell over several columns is in each, as in a head.
    """
    row = [NO_CELL] * len(places)
    for cell in line.cells:
        left, right = cell.left, cell.right
        shared = [
            (right if right < end else end) - (left if left > start else start)
            for start, end in places
        ]
        best = shared.index(max(shared))
        units = len(line.cells) == 1 and _UNITS.fullmatch(cell.text)
        over = [number for number, width in enumerate(shared) if width > 0] if spread else []
        for number in [0] if units else over or [best]:
            row[number] = row[number].joined(cell)
    return row
