"""From the words of a page to lines in reading order: columns one after the other, cells apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Final

from hopyard.indexes.documents.readers.pdf.cells import Cell, TextLine, whole_cells
from hopyard.indexes.documents.readers.pdf.columns import Columns, left_of, right_of
from hopyard.indexes.documents.readers.pdf.places import Word, is_right_to_left

TABLE: Final = "\ue000"
"""A word that begins with this character stands for a ruled table, at the table's place."""
_CELL_GAP: Final = 0.85
"""The gap between two cells, in heights of the letters, at least."""
_OVERLAP: Final = 0.5
"""The share of a word's height that it has in common with its row, at least."""
_ROWS_BACK: Final = 4
_FEW: Final = 4
"""Words of a row that a taller one may widen: later, a tall sign would draw in the next row."""


def lines_of(words: Sequence[Word]) -> list[TextLine]:
    """Lines in reading order: a column of prose from top to bottom, then the next one.

    The first column of Hebrew or Arabic is the right one.
    """
    rows = rows_of(words)
    columns = Columns(rows)
    found: list[TextLine] = []
    start = 0
    while start < len(rows):
        end, gutter = columns.at(start) or (start + 1, None)
        if gutter is None:
            found += map(_line, rows[start:end])
        else:
            inside = [word for row in rows[start:end] for word in row]
            sides = [left_of(gutter), right_of(gutter)]
            if 2 * sum(is_right_to_left(word.text) for word in inside) > len(inside):
                sides.reverse()
            for number, side in enumerate(sides, 1):
                for line in lines_of([word for word in inside if side(word)]):
                    line.column = line.column or number
                    found.append(line)
        start = end
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
        whole_cells([Cell.of(part) for part in parts]),
        height,
        min([word.top for word in row]),
        max([word.bottom for word in row]),
        row[0],
        row[-1],
    )
