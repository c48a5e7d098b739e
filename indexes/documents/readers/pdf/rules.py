"""Tables with ruled lines: from the lines drawn on a page to rows of cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, Final, NamedTuple

from hopyard.indexes.documents.readers.pdf.cells import NO_CELL, Cell, is_figure
from hopyard.indexes.documents.readers.pdf.columns import is_prose
from hopyard.indexes.documents.readers.pdf.drawings import MOST_RULES, THIN, lines_drawn
from hopyard.indexes.documents.readers.pdf.line_ends import lines_in_cell
from hopyard.indexes.documents.readers.pdf.lines import rows_of
from hopyard.indexes.documents.readers.pdf.places import Box, Turn, Word

_LONG: Final = 8.0
"""The length of a ruled line in points, at least."""
_MOST: Final = 0.4
"""The share of a table's lines that continue outside of it, or have gaps in cells, at most."""
_FIGURES: Final = 0.4
"""The share of the lines of a row that hold figures, if each is a row of its own, at least."""


class Rule(NamedTuple):
    """A line at a place, from one end to another: across at a height, or down at a width."""

    place: float
    start: float
    end: float


class Grid(NamedTuple):
    """A table with ruled lines: where its columns and rows begin and end, and its lines."""

    columns: tuple[float, ...]
    rows: tuple[float, ...]
    across: tuple[Rule, ...]
    down: tuple[Rule, ...]

    @property
    def band(self) -> Box:
        """The top of the table, as high as a line."""
        top = self.rows[0]
        return self.columns[0], top, self.columns[-1], top + _LONG

    def holds(self, word: Word) -> bool:
        """Whether the middle of a word is in the table."""
        middle, height = (word.left + word.right) / 2, (word.top + word.bottom) / 2
        return (
            self.columns[0] <= middle <= self.columns[-1]
            and self.rows[0] <= height <= self.rows[-1]
        )


def grids_of(page: Any, turn: Turn) -> list[Grid]:
    """The ruled tables of at least two rows and two columns of a page (`PdfPage`).

    Their places are as someone sees them who reads text that is turned so.
    """
    across, down = _rules(page, turn)
    if len(across) < 2 or not down:
        return []
    return [grid for group in _connected(across, down) if (grid := _grid(*group))]


def _rules(page: Any, turn: Turn) -> tuple[list[Rule], list[Rule]]:
    """The lines that run across and down; pieces of one line are one. None of a drawing."""
    across: list[Rule] = []
    down: list[Rule] = []
    for left, top, right, bottom in lines_drawn(page, turn):
        if bottom - top <= THIN and right - left > THIN:
            across.append(Rule((top + bottom) / 2, left, right))
        elif right - left <= THIN and bottom - top > THIN:
            down.append(Rule((left + right) / 2, top, bottom))
    if len(across) + len(down) > MOST_RULES:
        return [], []
    return _merged(across), _merged(down)


def _merged(rules: Iterable[Rule]) -> list[Rule]:
    found: list[Rule] = []
    for rule in sorted(rules, key=lambda rule: (round(rule.place), rule.start)):
        before = found[-1] if found else None
        if before and round(before.place) == round(rule.place) and rule.start <= before.end + THIN:
            found[-1] = before._replace(end=max(before.end, rule.end))
        else:
            found.append(rule)
    return [rule for rule in found if rule.end - rule.start >= _LONG]


def is_whole(grid: Grid, inside: Sequence[Word], others: Sequence[Word]) -> bool:
    """Whether lines around cells show all of the table.

    They do not where they frame some columns of a larger one, or leave columns undivided. Prose
    on the right is none of its columns.
    """
    rows = rows_of(inside)
    beside = [
        word
        for word in others
        if grid.rows[0] <= word.top and word.bottom <= grid.rows[-1] and word.first >= 0
    ]
    continued = 0
    gutter = min((word.left for word in beside), default=0) - grid.columns[-1]
    if gutter < _LONG or not is_prose(rows_of(beside)):
        continued = sum(any(_beside(word, row[0]) for word in beside) for row in rows)
    parted = sum(
        any(
            word.left - before.right > word.height
            and _band(grid.columns, before.right) == _band(grid.columns, word.left)
            and word.text[-1].isdigit() == before.text[-1].isdigit()
            for before, word in pairwise(row)
        )
        for row in rows
    )
    return max(continued, parted) < _MOST * len(rows)


def _beside(word: Word, other: Word) -> bool:
    return abs(word.bottom - other.bottom) < other.height / 4


def rows_in(grid: Grid, words: Sequence[Word]) -> list[list[Cell]]:
    """The cells of a table, row by row.

    A cell over several rows, or over several columns of the first row, is repeated in each.
    """
    inside: dict[tuple[int, int], list[Word]] = {}
    for word in words:
        row = _band(grid.rows, (word.top + word.bottom) / 2)
        column = _band(grid.columns, (word.left + word.right) / 2)
        inside.setdefault(_corner(grid, row, column), []).append(word)
    rows: list[list[Cell]] = []
    for row in range(len(grid.rows) - 1):
        corners = [_corner(grid, row, column) for column in range(len(grid.columns) - 1)]
        if lines := _lines_of_figures([inside.get(corner, []) for corner in corners]):
            rows += lines
            continue
        rows.append(
            [
                _cell(inside.get((above, first), ()), grid.columns[first + 1] - grid.columns[first])
                if first == column or row == 0
                else NO_CELL
                for column, (above, first) in enumerate(corners)
            ]
        )
    return [row for row in rows if any(cell.text for cell in row)]


def _cell(words: Sequence[Word], width: float) -> Cell:
    rows = rows_of(words)
    text = lines_in_cell([(" ".join([word.text for word in row]), row) for row in rows], width)
    return Cell(text.replace("\n", " "), words=tuple(chain.from_iterable(rows)))


def _lines_of_figures(cells: Sequence[Sequence[Word]]) -> list[list[Cell]]:
    """The lines of a row that holds several rows of figures without lines between; else none."""
    lines = rows_of([word for cell in cells for word in cell])
    if len(lines) < 2:
        return []
    places = {id(word): number for number, cell in enumerate(cells) for word in cell}
    found: list[list[Cell]] = []
    for line in lines:
        row = [NO_CELL] * len(cells)
        for word in line:
            row[places[id(word)]] = row[places[id(word)]].joined(Cell.of([word]))
        found.append(row)
    figures = [max((len(cell.text) for cell in row if _is_amount(cell.text)), default=0)
               for row in found]  # fmt: skip
    several = sum(map(bool, figures))
    if several < 2 or several < _FIGURES * len(found):
        return []
    if len(found) == 2 and 2 * figures[1] < figures[0]:  # the end of a long number
        return []
    return found


def _is_amount(text: str) -> bool:
    return is_figure(text) or (text[-1:] in "%)0123456789" and not any(map(str.isalpha, text)))


def _band(edges: Sequence[float], place: float) -> int:
    return min(max(bisect_right(edges, place) - 1, 0), len(edges) - 2)


def _corner(grid: Grid, row: int, column: int) -> tuple[int, int]:
    """The first row and column of the cell that a place is in."""
    middle = (grid.columns[column] + grid.columns[column + 1]) / 2
    while row and not _crosses(grid.across, grid.rows[row], middle):
        row -= 1
    height = (grid.rows[row] + grid.rows[row + 1]) / 2
    while column and not _crosses(grid.down, grid.columns[column], height):
        column -= 1
    return row, column


def _crosses(rules: Sequence[Rule], place: float, at: float) -> bool:
    return any(
        abs(rule.place - place) <= THIN and rule.start - THIN <= at <= rule.end + THIN
        for rule in rules
    )


def _connected(
    across: Sequence[Rule], down: Sequence[Rule]
) -> Iterator[tuple[list[Rule], list[Rule]]]:
    """Lines that touch or cross one another, group by group."""
    left = list(down)
    for begin in down:
        if begin not in left:
            continue
        left.remove(begin)
        waiting, rows, columns = [begin], list[Rule](), list[Rule]()
        while waiting:
            column = waiting.pop()
            columns.append(column)
            touched = [rule for rule in across if rule not in rows and _touch(rule, column)]
            rows += touched
            for rule in touched:
                reached = [other for other in left if _touch(rule, other)]
                waiting += reached
                left = [other for other in left if other not in reached]
        yield rows, columns


def _touch(across: Rule, down: Rule) -> bool:
    return (
        across.start - THIN <= down.place <= across.end + THIN
        and down.start - THIN <= across.place <= down.end + THIN
    )


def _grid(across: Sequence[Rule], down: Sequence[Rule]) -> Grid | None:
    if not across:
        return None
    ends = [end for rule in across for end in (rule.start, rule.end)]
    columns = _apart([*(rule.place for rule in down), min(ends), max(ends)])
    ends = [end for rule in down for end in (rule.start, rule.end)]
    rows = _apart([*(rule.place for rule in across), min(ends), max(ends)])
    if len(columns) < 3 or len(rows) < 3:
        return None
    sides = (Rule(columns[0], rows[0], rows[-1]), Rule(columns[-1], rows[0], rows[-1]))
    return Grid(columns, rows, tuple(across), (*down, *sides))


def _apart(places: Iterable[float]) -> tuple[float, ...]:
    """The places in order, those that are nearly the same once."""
    found: list[float] = []
    for place in sorted(places):
        if not found or place - found[-1] > 2 * THIN:
            found.append(place)
    return tuple(found)
