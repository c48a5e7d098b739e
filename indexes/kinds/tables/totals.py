"""Rows that repeat others: totals and subtotals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

__all__ = ("total_rows",)

_TOTAL: Final = re.compile(
    r"(?:(?:grand |net |sub ?-?)?totals?|summe|insgesamt|gesamt|totale)"
    r"(?: ?\(.*\)| \d+| (?:of|for|in|per|von|für|pro) .*)?:?"
    r"|totals? (?-i:[a-zà-ÿ]).*"  # a company would have a capital letter
    r"|sums?(?: of\b.*|:)?|zwischensumme.*|gesamt(?:summe|betrag|zahl|ergebnis)\b.*"
    r"|.* (?:sub)?totals?:?|(?:합계|총계|소계|총합|합 계|合計|小計|总计|合计).*",
    re.IGNORECASE,
)
"""Labels of totals."""
_PERHAPS: Final = re.compile(
    r"(?:totale?s?|summe|insgesamt|gesamt|somme)\b.*|.* ergebnis", re.IGNORECASE
)
"""Labels of totals (`Total Assets`, Excel's `Nord Ergebnis`) that may be names: Total Energies."""
_SUBTOTAL: Final = " ergebnis"


class _Sums:
    """The numbers of a column up to a row, without totals: which sums do the last of them have?"""

    def __init__(self) -> None:
        self._sum, self._count = Decimal(0), 0
        self._first = {self._sum: 0}
        """After how many numbers the column had a sum first."""

    def add(self, cell: str | None) -> None:
        if cell is not None:
            self._sum, self._count = self._sum + Decimal(cell), self._count + 1
            self._first.setdefault(self._sum, self._count)

    def end_with(self, cell: str, least: int) -> bool:
        """Whether a number is the sum of the last `least` or more, but for the last digit."""
        value = Decimal(cell)
        step = Decimal(1).scaleb(int(value.as_tuple().exponent))
        befores = (self._sum - value + rounded for rounded in (0, step, -step))
        latest = self._count - least
        return any(self._first.get(each, latest + 1) <= latest for each in befores)


def total_rows(
    labels: Sequence[str], filled: Sequence[bool], numbers: Sequence[Sequence[str | None]]
) -> list[bool]:
    """Which rows are totals: their label says so, and they have a number.

    A label that may be a name needs numbers, half of them at least, that are sums of those right
    above it: of two or more, or of one or more for a subtotal.

    Args:
        labels: The first text of each row, or "".
        filled: Whether each row has a number, a date or a time.
        numbers: The columns of numbers.
    """
    totals = [
        full and bool(_TOTAL.fullmatch(label)) for label, full in zip(labels, filled, strict=True)
    ]
    perhaps = [bool(_PERHAPS.fullmatch(label)) for label in labels]
    if not any(perhaps):
        return totals
    sums = [_Sums() for _ in numbers]
    for row, cells in enumerate(zip(*numbers, strict=True)):
        if perhaps[row] and not totals[row]:
            least = 1 if labels[row].casefold().endswith(_SUBTOTAL) else 2
            given = [(column, cell) for column, cell in zip(sums, cells, strict=True) if cell]
            added = sum(column.end_with(cell, least) for column, cell in given)
            totals[row] = added > 0 and 2 * added >= len(given)
        if not totals[row]:
            for column, cell in zip(sums, cells, strict=True):
                column.add(cell)
    return totals
