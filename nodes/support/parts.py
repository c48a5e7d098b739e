"""The part of a statement that one of its numbers or names belongs to.

"Gross profit was 9 million on revenue of 40 million in 2022" states two values. The words of one
tell nothing about the row of the other.
"""

from __future__ import annotations

import re
from typing import Final

from hopyard.nodes.support.matches import Matches
from hopyard.nodes.support.measures import SCALES, UNITS
from hopyard.nodes.support.quantities import Number, only_dates

_UNIT: Final = "|".join(map(re.escape, sorted({**UNITS, **SCALES}, key=len, reverse=True)))
_AMOUNT: Final = re.compile(rf"\d[\d.,]*(?:\s?(?:{_UNIT})(?!\w))*", re.IGNORECASE)
"""A number with the words for its scale and its unit."""
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_YEAR_BEFORE: Final = re.compile(r"\b((?:19|20)\d\d)\)?:? ?[$€£]?$")


def part_with(found: Matches, place: int) -> Matches | None:
    """The part of a statement that a number or name at a place belongs to.

    A part ends with a number that is no year, or with the unit after that number. A part without a
    date has the dates and years of the statement. None if the statement has less than two parts.
    """
    text = found.claim.plain
    amounts = (_AMOUNT.match(text, number.start) for number in _values(found))
    ends = [amount.end() for amount in amounts if amount]
    if len(ends) < 2:
        return None
    start = max((end for end in ends if end <= place), default=0)
    end = min((end for end in ends if end > place), default=len(text))
    part = text[start:end]
    return found.of(part if only_dates(part).strip() else f"{part} {only_dates(text)}")


def by_its_year(found: Matches, number: Number) -> Matches:
    """The statement with one of its numbers only, if the number's year is right before it.

    "Sales: 2022: $40, 2021: $30" is "Sales: 2022: $40," for the first number.
    """
    text = found.claim.plain
    before = _YEAR_BEFORE.search(text, 0, number.start)
    if before is None or len(set(_YEAR.findall(text))) == 1:
        return found

    def keep(amount: re.Match[str]) -> str:
        own = amount.start() == number.start or amount[0].startswith(before[1])
        return amount[0] if own else ""

    return found.of(_AMOUNT.sub(keep, text))


def _values(found: Matches) -> list[Number]:
    """The numbers of a statement that are no years."""
    return [number for number in found.claim.numbers if not number.year]
