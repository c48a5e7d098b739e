"""Columns of prose beside one another: where they end, and the gutter between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from hopyard.indexes.documents.readers.pdf.cells import is_figure
from hopyard.indexes.documents.readers.pdf.places import Word

_GUTTER: Final = 0.75
"""The gap between two columns of prose, in heights of the letters, at least."""
_LEAST_ROWS: Final = 4
"""Rows of a column of prose, at least."""
_BESIDE: Final = 0.25
"""The share of a line's height that it has in common with a line of the next column, at least."""
_TOGETHER: Final = 3
"""Rows in which both of two columns begin sentences, at least, so that they are cells."""
_GOING_ON: Final = 2
"""Rows in which no column begins a sentence, at least, so that it is no list of names."""
_MOST_TRIES: Final = 100
"""Sides of a page that are searched for columns, at most: each has sides of its own."""
_LARGER: Final = 1.05
"""The height of a heading's letters, in those of the other rows, at least."""

_Sides = tuple[Sequence[Word], Sequence[Word]]
"""The words of a row on the left and on the right of a gutter."""


class _Gap(NamedTuple):
    left: float
    right: float
    inside: bool
    """False for a margin."""


def _gaps(row: Sequence[Word]) -> list[_Gap]:
    gaps = [_Gap(float("-inf"), row[0].left, False)]
    right = row[0].right
    for word in row:
        if word.left > right and word.left - right > _GUTTER * (word.bottom - word.top):
            gaps.append(_Gap(right, word.left, True))
        right = word.right if word.right > right else right
    return [*gaps, _Gap(right, float("inf"), False)]


class Columns:
    """The columns of rows of words.

    Lines of one column may be between those of another: such rows have words on one side.

    Args:
        tries: Those that are left on the page, if the rows are a side of others.
    """

    def __init__(self, rows: Sequence[Sequence[Word]], tries: Iterator[int] | None = None) -> None:
        self._rows = rows
        self._gaps = [_gaps(row) for row in rows]
        self._figures = [_has_figures(row, gap) for row, gap in zip(rows, self._gaps, strict=True)]
        beside = sum(_overlap(row, below) > _BESIDE for row, below in pairwise(rows))
        self._uneven = tries is not None or beside >= _LEAST_ROWS
        self._tries = iter(range(_MOST_TRIES)) if tries is None else tries

    def at(self, start: int) -> tuple[int, float | None] | None:
        """The end and the gutter of two columns that begin at a row; None if none do.

        The gutter is None if the columns are those of a table.
        """
        if self._figures[start]:
            return None
        rows, gaps = self._rows, self._gaps
        # A line that is far above the next may be the title of both columns.
        outside = (
            self._uneven and start + 1 < len(rows) and _overlap(rows[start], rows[start + 1]) > -1
        )
        for gap in gaps[start]:
            if not (gap.inside or outside):
                continue
            end, middle = self._end(start, gap)
            beside = [(list(filter(left_of(middle), row)), list(filter(right_of(middle), row)))
                      for row in rows[start:end]]  # fmt: skip
            above = gaps[start - 1] if start else ()
            headed = all(beside[0]) and not any(each.left < middle < each.right for each in above)
            tries = self._tries if self._uneven else None
            if _flow(beside, tries) or (headed and _flow(beside[1:])):
                return end, None if _are_records(beside) else middle
        return None

    def _end(self, start: int, gap: _Gap) -> tuple[int, float]:
        """Where a gap ends that begins at a row, and its middle."""
        left, right, end = gap.left, gap.right, start + 1
        while end < len(self._rows) and not self._figures[end]:
            least = _GUTTER * self._rows[end][0].height
            shared = [
                (max(left, other.left), min(right, other.right))
                for other in self._gaps[end]
                if min(right, other.right) - max(left, other.left) > least
            ]
            if not shared:
                break
            left, right = max(shared, key=_inner_width)
            end += 1
        return end, (left + right) / 2


def _flow(beside: Sequence[_Sides], tries: Iterator[int] | None = None) -> bool:
    """Whether both sides of rows are prose, or with tries, begin with columns of prose."""
    sides = [[row for row in side if row] for side in zip(*beside, strict=True)]
    return min(map(len, sides), default=0) >= _LEAST_ROWS - 1 and all(
        is_prose(rows) or _begin(rows, tries) for rows in sides
    )


def _begin(rows: Sequence[Sequence[Word]], tries: Iterator[int] | None) -> bool:
    """Whether rows begin with columns of prose."""
    if tries is None or next(tries, None) is None:
        return False
    found = Columns(rows, tries).at(0)
    return found is not None and found[1] is not None


def _are_records(beside: Sequence[_Sides]) -> bool:
    """Whether both sides begin sentences in the same lines, and never in a line of one side.

    The cells of a table do; columns of prose begin sentences where they like, but below headings.
    """
    height = _LARGER * median(side[0].height for sides in beside for side in sides if side)
    headed = max(side[0].height for side in beside[0] if side) > height
    rows = beside[1:] if headed else beside
    begins = [[not side[0].text[:1].islower() for side in sides if side] for sides in rows]
    together = sum(len(sides) > 1 and all(sides) for sides in begins)
    apart = sum(len(sides) > 1 and any(sides) and not all(sides) for sides in begins)
    going_on = sum(not any(sides) for sides in begins)
    return not apart and together >= _TOGETHER and going_on >= _GOING_ON


def _inner_width(place: tuple[float, float]) -> float:
    """The width of a place between two sides; a margin is less than any."""
    width = place[1] - place[0]
    return width if math.isfinite(width) else 0


def _overlap(row: Sequence[Word], below: Sequence[Word]) -> float:
    """The share of a row's height that it has in common with the next, below 0 if none."""
    return (row[0].bottom - below[0].top) / row[0].height


def left_of(place: float) -> Callable[[Word], bool]:
    """Whether a word is on the left of a place."""
    return lambda word: (word.left + word.right) / 2 < place


def right_of(place: float) -> Callable[[Word], bool]:
    """Whether a word is on the right of a place."""
    return lambda word: (word.left + word.right) / 2 >= place


def _has_figures(row: Sequence[Word], gaps: Sequence[_Gap]) -> bool:
    """Whether a number stands alone behind a gap."""
    starts = {gap.right for gap in gaps if gap.inside}
    if not starts:
        return False
    cells: list[str] = []
    for word in row:
        if not cells or word.left in starts:
            cells.append(word.text)
        else:
            cells[-1] += f" {word.text}"
    return any(is_figure(cell) for cell in cells[1:])


def is_prose(side: Sequence[Sequence[Word]]) -> bool:
    """Whether rows are lines of prose: full, of several words, and few of them numbers.

    Fewer rows must be one sentence or more, each line of which continues in the next.
    """
    rows = [row for row in side if row]
    if len(rows) < _LEAST_ROWS - 1:
        return False
    # Lines of two or three words are a sentence together; the cells of a table begin sentences, or
    # are labels without punctuation.
    flowing = sum(row[0].text[:1].islower() for row in rows[1:])
    if len(rows) < _LEAST_ROWS:
        is_whole = rows[0][0].text[:1].isupper() and rows[-1][-1].text.endswith((".", "!", "?"))
        return is_whole and flowing == len(rows) - 1
    width = max(row[-1].right for row in rows) - min(row[0].left for row in rows)
    filled = median(sum(word.right - word.left for word in row) for row in rows) / width
    words = [word.text for row in rows for word in row]
    if sum(map(is_figure, words)) >= len(words) / 4:
        return False
    if filled >= 0.55 and median(map(len, rows)) >= 4:
        return True
    marks = sum(word[-1:] in ".,;:?!" for word in words)
    is_narrow = filled >= 0.7 and flowing >= 0.6 * (len(rows) - 1) and marks * 20 >= len(words)
    return is_narrow and len(words) >= 12
