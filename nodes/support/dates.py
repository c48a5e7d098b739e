"""Whether a time or a date follows from dates: 12 days between two dates, two years after one."""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from fractions import Fraction
from itertools import permutations

from hopyard.nodes.support.quantities import Date, Number

_DAY = 86_400
_COMMON_YEAR = 2001
"""Stands for the year of dates that name none."""


def time_between(wanted: Number, known: Sequence[Date]) -> tuple[Date, ...]:
    """The two dates that are so long apart; none if no two are.

    Days may count both ends. Months and years are whole ones, as in an age.
    """
    for one, other in permutations(dict.fromkeys(known), 2):
        if wanted.plain in _times(one, other, wanted):
            return one, other
    return ()


def _times(one: Date, other: Date, wanted: Number) -> Iterator[Fraction]:
    """The time from one date to a later date, in the unit of a number; nothing if it is earlier."""
    first, last = _day_of(one), _day_of(other)
    if first and last and first < last and wanted.unit and wanted.base == "s":
        days, unit = (last - first).days, wanted.unit.factor
        yield from (Fraction(each * _DAY // unit) for each in (days, days + 1) if unit >= _DAY)
    if wanted.unit and wanted.base == "month" and bool(one.year) == bool(other.year):
        months = 12 * (other.year - one.year) + other.month - one.month
        months -= bool(one.day and other.day and other.day < one.day)
        size = wanted.unit.factor  # in months; "almost 20 years" are 19 and ten months at least
        yield from (Fraction(each // size) for each in (months, months + size / 6))


def is_shifted(wanted: Date, known: Sequence[Date], spans: Sequence[Number]) -> bool:
    """Whether a date with a day is one of these times before or after a known date."""
    return bool(wanted.day) and any(
        wanted.agrees(Date(there.year if each.year else 0, there.month, there.day))
        for each in known
        for span in spans
        for sign in (1, -1)
        if (there := _shifted(each, span, sign))
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
