"""From the words of a page to lines in reading order: columns one after the other, cells apart."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from statistics import median
from typing import Final, NamedTuple

from hopyard.indexes.documents.readers.pdf.places import Word, is_right_to_left

TABLE: Final = "\ue000"
"""A word that begins with this character stands for a ruled table, at the table's place."""
_CELL_GAP: Final = 0.85
"""The gap between two cells, in heights of the letters, at least."""
_GUTTER: Final = 0.75
"""The gap between two columns of prose, in heights of the letters, at least."""
_OVERLAP: Final = 0.5
"""The share of a word's height that it has in common with its row, at least."""
_LEAST_ROWS: Final = 4
"""Rows of a column of prose, at least."""
_ROWS_BACK: Final = 4
_FEW: Final = 4
"""Words of a row that a taller one may widen: later, a tall sign would draw in the next row."""

_FIGURE: Final = re.compile(
    r"[($€£¥+−–—-]*\s?(?:US)?[$€£¥]?\s?\d[\d,.'’ ]*\)?\s?[%‰]?\)?(?:\^\S+)?|[–—-]+|N/?[AM]|nil",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"[•·▪●○◦■□‣\ue000-\uf8ff*–-]|o|\(?(?:[a-z]|\d{1,2}|[ivx]{1,4})[.)]")
_LEADERS: Final = re.compile(r"\s*(?:\.\s?){5,}")
"""Dots that lead to the page in a table of contents."""
_CURRENCY: Final = re.compile(r"[$€£¥]|\(|[$€£¥]\s?\(")
_CURRENCY_AT_END: Final = re.compile(r"\s([$€£¥]\(?)$")
_TAIL: Final = re.compile(r"[)%]+|pts?\.?|x")


class Cell(NamedTuple):
    """Words of a row that lie close together, or of several lines of a table's cell."""

    text: str
    left: float = 0.0
    right: float = 0.0
    words: tuple[Word, ...] = ()
    """The words with a place on the page, in the order of the text."""

    @classmethod
    def of(cls, words: Sequence[Word]) -> Cell:
        """Words of one row, in their order."""
        text = " ".join([word.text for word in words])
        if "...." in text or ". . ." in text:
            text = _LEADERS.sub(" ", text).strip() or "…"
        right = max([word.right for word in words])
        return cls(text, min(words[0].left, words[-1].left), right, tuple(words))

    def joined(self, other: Cell, between: str = " ") -> Cell:
        """This cell and another one right of it, or below it, as one."""
        if not self.text or not other.text:
            return self if self.text else other
        text = f"{self.text}{between}{other.text}"
        return Cell(text, self.left, max(self.right, other.right), self.words + other.words)


NO_CELL: Final = Cell("")


@dataclass(slots=True)
class TextLine:
    """A line, or a row of a table.

    Attributes:
        cells: Its parts, apart by wide gaps, in reading order.
        height: The height of its letters, in points.
        top, bottom: Its place.
        first: Its first word; the last is `last`.
        column: 0, or the number of the column of prose that it is in.
    """

    cells: list[Cell]
    height: float
    top: float
    bottom: float
    first: Word
    last: Word
    column: int = 0

    @property
    def text(self) -> str:
        """Its words."""
        return " ".join(cell.text for cell in self.cells)


@lru_cache(1 << 12)
def is_figure(text: str) -> bool:
    """Whether a cell holds a number, an amount, a share, or a mark for none."""
    return _FIGURE.fullmatch(text) is not None


def is_bullet(text: str) -> bool:
    """Whether a word is the sign or the number of an item of a list."""
    return _BULLET.fullmatch(text) is not None


def lines_of(words: Sequence[Word]) -> list[TextLine]:
    """Lines in reading order: a column of prose from top to bottom, then the next one."""
    rows = rows_of(words)
    gaps = [_gaps(row) for row in rows]
    figures = [_has_figures(row, gap) for row, gap in zip(rows, gaps, strict=True)]
    # Columns whose lines are not level with one another make rows of one side each.
    uneven = any(_are_beside(row, below) for row, below in pairwise(rows))
    found: list[TextLine] = []
    start = 0
    while start < len(rows):
        if split := _columns(rows, gaps, figures, start, margins=uneven):
            end, gutter = split
            inside = [word for row in rows[start:end] for word in row]
            for number, side in enumerate((_left_of(gutter), _right_of(gutter)), 1):
                for line in lines_of([word for word in inside if side(word)]):
                    line.column = line.column or number
                    found.append(line)
            start = end
        else:
            found.append(_line(rows[start]))
            start += 1
    return found


def rows_of(words: Sequence[Word]) -> list[list[Word]]:
    """Words that stand side by side, from top to bottom, each row from left to right."""
    rows: list[list[Word]] = []
    bands: list[tuple[float, float]] = []
    for word in sorted(words, key=_twice_middle):
        high, low = word.top, word.bottom
        height = _OVERLAP * (low - high)
        for number in range(len(rows) - 1, max(-1, len(rows) - 1 - _ROWS_BACK), -1):
            top, bottom = bands[number]
            shared = (bottom if bottom < low else low) - (top if top > high else high)
            if shared > height or shared > _OVERLAP * (bottom - top):
                rows[number].append(word)
                if low - high > bottom - top and len(rows[number]) < _FEW:
                    bands[number] = (high, low)
                break
        else:
            rows.append([word])
            bands.append((high, low))
    order = sorted(range(len(rows)), key=lambda number: bands[number][0])
    return [sorted(rows[number], key=_left) for number in order]


_left: Final = attrgetter("left")


def _twice_middle(word: Word) -> float:
    return word.top + word.bottom


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


def _columns(
    rows: Sequence[Sequence[Word]],
    gaps: Sequence[Sequence[_Gap]],
    figures: Sequence[bool],
    start: int,
    *,
    margins: bool,
) -> tuple[int, float] | None:
    """End and gutter of two columns of prose that begin at a row; or None."""
    if figures[start]:
        return None
    for gap in gaps[start]:
        if not (gap.inside or margins):
            continue
        left, right, end = gap.left, gap.right, start + 1
        while end < len(rows) and not figures[end]:
            least = _GUTTER * rows[end][0].height
            shared = [
                (max(left, other.left), min(right, other.right))
                for other in gaps[end]
                if min(right, other.right) - max(left, other.left) > least
            ]
            if not shared:
                break
            left, right = max(shared, key=_inner_width)
            end += 1
        middle = (left + right) / 2
        sides = (_left_of(middle), _right_of(middle))
        if all(is_prose([list(filter(side, row)) for row in rows[start:end]]) for side in sides):
            return end, middle
    return None


def _inner_width(place: tuple[float, float]) -> float:
    """The width of a place between two sides; a margin is less than any."""
    width = place[1] - place[0]
    return width if math.isfinite(width) else 0


def _are_beside(row: Sequence[Word], below: Sequence[Word]) -> bool:
    """Whether two rows lie side by side: one begins before the other ends, above and across."""
    apart = row[-1].right < below[0].left or below[-1].right < row[0].left
    return apart and below[0].top < row[0].bottom


def _left_of(place: float) -> Callable[[Word], bool]:
    return lambda word: (word.left + word.right) / 2 < place


def _right_of(place: float) -> Callable[[Word], bool]:
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
    """Whether rows are lines of prose: full, of several words, and few of them numbers."""
    rows = [row for row in side if row]
    if len(rows) < _LEAST_ROWS:
        return False
    width = max(row[-1].right for row in rows) - min(row[0].left for row in rows)
    filled = median(sum(word.right - word.left for word in row) for row in rows) / width
    words = [word.text for row in rows for word in row]
    figures = sum(map(is_figure, words))
    if figures >= len(words) / 4:
        return False
    # Lines of two or three words are a sentence together; the cells of a table begin sentences, or
    # are labels without punctuation.
    flowing = sum(row[0].text[:1].islower() for row in rows[1:])
    marks = sum(word[-1:] in ".,;:?!" for word in words)
    is_narrow = filled >= 0.7 and flowing >= 0.6 * (len(rows) - 1) and marks * 20 >= len(words)
    return (filled >= 0.55 and median(map(len, rows)) >= 4) or (is_narrow and len(words) >= 12)


def _line(row: Sequence[Word]) -> TextLine:
    heights = sorted([word.bottom - word.top for word in row])
    height = (heights[(len(row) - 1) // 2] + heights[len(row) // 2]) / 2
    least = _CELL_GAP * heights[0]
    texts = [word.text for word in row]
    ascii_only = "".join(texts).isascii()
    parts = [part := [row[0]]]
    right = row[0].right
    for before, word in pairwise(row):
        gap = word.left - right
        if (
            gap > least and (gap > _CELL_GAP * height or gap > _CELL_GAP * (word.bottom - word.top))
        ) or not (ascii_only or (word.text[0] != TABLE and before.text[0] != TABLE)):
            parts.append(part := [word])
            right = word.right
        else:
            part.append(word)
            right = word.right if word.right > right else right
    if not ascii_only and any(map(is_right_to_left, texts)):
        # PDFium numbers the words as they are read.
        parts = [sorted(part, key=attrgetter("first")) for part in reversed(parts)]
    return TextLine(
        _whole_cells([Cell.of(part) for part in parts]),
        height,
        min([word.top for word in row]),
        max([word.bottom for word in row]),
        row[0],
        row[-1],
    )


def _whole_cells(cells: Sequence[Cell]) -> list[Cell]:
    """Put a currency, a bullet, a closing bracket or a per cent sign to the cell it belongs to."""
    joined: list[Cell] = []
    for number, cell in enumerate(cells):
        before = joined[-1] if joined else None
        if before and (_CURRENCY.fullmatch(before.text) or _TAIL.fullmatch(cell.text)):
            joined[-1] = before.joined(cell, "")
        elif before and number == 1 and is_bullet(before.text):
            joined[-1] = before.joined(cell)
        elif before and (sign := _CURRENCY_AT_END.search(before.text)):
            # The currency of a cell is near the cell before it.
            rest, currency = before.words[:-1], before.words[-1:]
            joined[-1] = before._replace(text=before.text[: sign.start()].rstrip(), words=rest)
            joined.append(cell._replace(text=f"{sign[1]}{cell.text}", words=currency + cell.words))
        else:
            joined.append(cell)
    return joined
