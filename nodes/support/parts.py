"""The part of a statement that one of its numbers or names belongs to.

"Gross profit was 9 million on revenue of 40 million in 2022" states two values. The words of one
tell nothing about the row of the other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hopyard.nodes.support.matches import Matches
from hopyard.nodes.support.measures import SCALES, UNITS
from hopyard.nodes.support.quantities import Number

_AMOUNT: Final = re.compile(r"\d[\d.,]*(?:\s?([^\W\d_]+|[%€]))?")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_YEAR_BEFORE: Final = re.compile(r"\b((?:19|20)\d\d)\)?:? ?[$€£]?$")


def part_with(found: Matches, place: int) -> Matches | None:
    """The part of a statement with what begins at a place, up to the next number; None for all.

    A number ends a part, with the unit after it. A part without a year has those of the statement.
    """
    text, start = found.claim.plain, 0
    ends = list(_ends(found))
    if len(ends) < 2:
        return None
    start = max((end for end in ends if end <= place), default=0)
    end = min((end for end in ends if end > place), default=len(text))
    part = text[start:end]
    if not _YEAR.search(part):
        part = " ".join([part, *_YEAR.findall(text)])
    return found.of(part)


def by_its_year(found: Matches, number: Number) -> Matches:
    """A statement without other numbers and their years, as in "2022: 40, 2021: 30"."""
    text = found.claim.plain
    before = _YEAR_BEFORE.search(text, 0, number.start)
    if before is None or len(set(_YEAR.findall(text))) == 1:
        return found
    return found.of(
        _AMOUNT.sub(
            lambda each: each[0] if each.start() == number.start or before[1] in each[0] else "",
            text,
        )
    )


def _ends(found: Matches) -> Iterator[int]:
    """Where the numbers of a statement end that are no years."""
    for number in found.claim.numbers:
        amount = _AMOUNT.match(found.claim.plain, number.start)
        if amount and not number.year:
            word = (amount[1] or "").casefold()
            known = word in UNITS or word in SCALES
            yield amount.end() if known or not word else amount.start(1)
