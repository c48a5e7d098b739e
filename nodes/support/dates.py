"""Whether a time or a date follows from dates: 12 days between two dates, two years after one."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Final

from hopyard.nodes.support.lines import Line, Said, said
from hopyard.nodes.support.matches import Matches, has
from hopyard.nodes.support.quantities import Date, Number, without_dates

_DAY = 86_400
_TIMES: Final = {"s", "month"}
_ONE_DAY: Final = timedelta(days=1)
_COMMON_YEAR = 2001
"""Stands for the year of dates that name none."""
_MOST_DATES: Final = 6
"""Dates that times are between."""
_NEAR: Final = 3
"""Sentences whose dates and times are added."""
_LISTED: Final = re.compile(r"[\s,;]*(?:and|und|et)?(?: (?:in|on|im|am))?\s*")
_BEFORE: Final = re.compile(
    r"\b(?:before|prior|earlier|ago|in advance|vor|vorher|zuvor|davor|früher"
    r"|avant|antes|prima|przed)\b",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"\b(?:after|later|between|since|nach|danach|später|zwischen|seit|après|después|dopo|depois|po)\b",
    re.IGNORECASE,
)
_LASTS: Final = re.compile(
    r"\b(?:lasts?|lasted|runs?|ran|term|duration|(?:valid|lease|let|open) for|dauert|läuft|gilt"
    r"|laufzeit|dure|durée|valable)\b",
    re.IGNORECASE,
)
"""Says that a time has a last day."""
_OF_THAT: Final = re.compile(
    r"(?:it|this|that|these|they|he|she|es|er|sie|dies\w*|il|elle|ils|elles|cela"
    r"|(?:(?:the|its|die|la|sa) )?(?:term|duration|laufzeit|durée))\b",
    re.IGNORECASE,
)
"""Begins a sentence about what the sentence before is about."""
_NEARLY: Final = re.compile(
    r"\b(?:almost|nearly|about|around|roughly|approximately|knapp|fast|beinahe|rund|etwa|ungefähr)\b",
    re.IGNORECASE,
)


def listed_dates(text: Said) -> int:
    """How many dates a text lists side by side, as in "in May, in July and in August"; or 0."""
    starts = [each.start for each in text.dates]
    between = (without_dates(text.plain[one:two]) for one, two in pairwise(starts))
    return len(starts) if all(map(_LISTED.fullmatch, between)) else 0


def time_between(found: Matches, number: Number) -> list[Line]:
    """The lines of two dates that are so long apart; none if no two are.

    A date that the statement names is one of them. Of two rows, the dates are in one column.
    """
    if number.base not in _TIMES:
        return []
    named = list(found.claim.dates)
    named += [each for each in found.asked.dates if not has(found.claim, each)]
    dates = _near_dates(found, number, named)
    for (line, one), (other, two) in permutations(dates, 2):
        ends = sum(any(map(end.agrees, named)) for end in (one, two))
        rows = line is not other and line.header and line.header == other.header
        if rows and not _in_one_column(found, line, other, one, two):
            continue
        if ends >= min(2, len(named)) and number.plain in _times(
            one, two, number, found.whole.plain
        ):
            return [line, other]
    return []


def _in_one_column(found: Matches, line: Line, other: Line, one: Date, two: Date) -> bool:
    """Whether a column of two rows has two dates: a column that the statement names, if any."""
    told = {place for place, text in enumerate(line.header) if said(text).words & found.words}
    dated = {place for place, cell in enumerate(line.cells) if cell.dates}
    pairs = enumerate(zip(line.cells, other.cells, strict=False))
    both = {place for place, (mine, its) in pairs if has(mine, one) and has(its, two)}
    return bool(both & told if told & dated else both)


def is_moved(found: Matches, wanted: Date) -> bool:
    """Whether a date is some time after or before a known date; the lines are marked as used."""
    near = found.nearest()[:_NEAR]
    spans = [*found.claim.numbers, *found.asked.numbers]
    for line in near:
        if any(_is_shifted(wanted, _dates_of(line), span, found.whole.plain) for span in spans):
            found.used.append(line)
            return True
    for line, other in _linked(found, near):
        for span in other.own.numbers:
            if _is_shifted(wanted, _dates_of(line), span, other.own.plain):
                found.used.extend(dict.fromkeys([line, other]))
                return True
    return False


def _dates_of(line: Line) -> list[Date]:
    return [*line.own.dates, *line.around.dates]


def _linked(found: Matches, near: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Lines with a date, each with a line whose time may be counted from it.

    Both are near the statement; or the time's line is, and no line has more of the statement: then
    the date is the last one before it, or the lines share a word ("within 14 days of delivery",
    "delivery was on 3 May"); or the date's line is, and the time's line continues it.
    """
    yield from product(near, repeat=2)
    for passage in range(found.places):
        last: Line | None = None
        own = [line for line in found.lines if line.passage == passage]
        for line in own:
            if line.own.dates:
                last = line
            elif any(each.base in _TIMES for each in line.own.numbers):
                if line in near and not any(found.hits(line) < found.hits(each) for each in own):
                    dated = (each for each in own if each.own.dates and _share(found, each, line))
                    yield from ((each, line) for each in (last, *dated) if each)
                elif last and last in near and _continues(found, line):
                    yield last, line


def _continues(found: Matches, line: Line) -> bool:
    """Whether a line begins with "it" or the like, or has a word of the statement."""
    return bool(_OF_THAT.match(line.own.plain) or line.own.words & found.whole.words)


def _share(found: Matches, one: Line, other: Line) -> bool:
    """Whether two lines share a word that the statement does not have."""
    return bool(one.own.words & other.own.words - found.words - one.around.words)


def _near_dates(found: Matches, number: Number, named: Sequence[Date]) -> list[tuple[Line, Date]]:
    """The dates to calculate with, each with its line: those named and of the nearest sentences.

    A sentence that has less of the statement than two others is none of them: in a log every entry
    has a date. But an age in years is counted from a birth, of which the statement says nothing.
    """
    years = number.base == "month" and number.amount > number.plain
    dated = [line for line in found.nearest() if line.own.dates or line.around.dates]
    dates: dict[tuple[object, ...], tuple[Line, Date]] = {}
    for line in dated:
        fuller = sum(found.hits(line) < found.hits(other) for other in dated)
        for each in (*line.own.dates, *line.around.dates):
            near = len(dates) < _MOST_DATES and (years or fuller < 2)
            if near or any(map(each.agrees, named)):
                dates.setdefault((each.year, each.month, each.day, line.header), (line, each))
    return list(dates.values())


def _times(one: Date, other: Date, wanted: Number, told: str) -> Iterator[Fraction]:
    """The time from one date to a later date, in the unit of a number; nothing if it is earlier.

    Months and years are counted in full, as in an age.

    Args:
        told: The statement. A stay of so many days may count both ends, a date so many days after
            another does not. "Almost 20 years" may be 19 and ten months.
    """
    if not wanted.unit or bool(one.year) != bool(other.year):
        return
    first, last, size = _day_of(one), _day_of(other), wanted.unit.factor
    if wanted.base == "s" and size >= _DAY and first and last and first < last:
        days = (last - first).days
        yield Fraction(days * _DAY // size)
        if not (_BEFORE.search(told) or _AFTER.search(told)):
            yield Fraction((days + 1) * _DAY // size)
    if wanted.base == "month":
        months = 12 * (other.year - one.year) + other.month - one.month
        months -= bool(one.day and other.day and other.day < one.day)
        yield Fraction(months // size)
        if _NEARLY.search(told):
            yield Fraction((months + size / 6) // size)


def _is_shifted(wanted: Date, known: Sequence[Date], span: Number, told: str) -> bool:
    """Whether a date is a time after one of some dates, or before it.

    Args:
        told: The sentence of the time, which says if it is before.
    """
    if not wanted.day and span.base != "month":
        return False
    sign = -1 if _BEFORE.search(told) else 1
    last = sign > 0 and _LASTS.search(told) is not None  # three years from 3 May end on 2 May
    return any(
        wanted.agrees(Date(each.year if start.year else 0, each.month, each.day))
        for start in known
        if (there := _shifted(start, span, sign))
        for each in ((there, there - _ONE_DAY) if last else (there,))
    )


def _shifted(start: Date, span: Number, sign: int) -> date | None:
    day = _day_of(start)
    if day is None or span.amount.denominator != 1:
        return None
    try:
        if span.base == "s":
            return day + sign * timedelta(seconds=int(span.amount))
        if span.base == "month":
            years, month = divmod(day.month - 1 + sign * int(span.amount), 12)
            last = calendar.monthrange(day.year + years, month + 1)[1]
            return date(day.year + years, month + 1, min(day.day, last))
    except (OverflowError, ValueError):  # no year that a calendar has
        return None
    return None


def _day_of(each: Date) -> date | None:
    try:
        return date(each.year or _COMMON_YEAR, each.month, each.day)
    except ValueError:  # it names no day, or one that its month does not have
        return None
