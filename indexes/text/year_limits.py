"""Years that a question sets as a limit: "before 2021", "since FY2019", "between 2018 and 2021"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_YEAR: Final = r"(?:fy\s?|fiscal (?:year )?|the year |(?:january|december) )?((?:19|20)\d\d)\b"
_BEFORE: Final = r"before|prior to|earlier than"
_AFTER: Final = r"after|later than"
_SINCE: Final = r"since|starting in"
_UNTIL: Final = r"until|till|up to"
_LIMIT: Final = re.compile(
    rf"\b(?:(?:between|from) {_YEAR} (?:and|to|until|through) {_YEAR}"
    rf"|(?:({_BEFORE})|({_AFTER})|({_SINCE})|{_UNTIL}) {_YEAR})",
    re.IGNORECASE,
)
_FIRST: Final = 1900
_LAST: Final = 2099
_FEWEST: Final = 3
"""Years of a span. In a span of two, each year is named already."""


class YearLimit(NamedTuple):
    """A limit in the words of the question."""

    text: str
    years: range
    named: tuple[str, ...]
    """The years that its text has."""


def year_limits(question: str) -> Iterator[YearLimit]:
    """The limits of a question, by rule. English only.

    A limit that contradicts itself, such as "between 2021 and 2018", is left out.
    """
    for found in _LIMIT.finditer(question):
        begin, end, before, after, since, year = found.groups()
        named = tuple(part for part in (begin, end, year) if part)
        if begin:
            years = range(int(begin), int(end) + 1)
        elif after or since:
            years = range(int(year) + bool(after), _LAST + 1)
        else:
            years = range(_FIRST, int(year) + (not before))
        if len(years) >= _FEWEST or year:
            yield YearLimit(found.group(), years, named)
