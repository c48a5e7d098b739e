"""A line of a page and its cells: what they are, and which signs belong to which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from hopyard.indexes.documents.readers.pdf.places import Word

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


def whole_cells(cells: Sequence[Cell]) -> list[Cell]:
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
