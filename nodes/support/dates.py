"""Whether a time or a date follows from dates: 12 days between two dates, two years after one."""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import Final

from hopyard.nodes.support.quantities import Date, Number

_DAY = 86_400
_COMMON_YEAR = 2001
"""Stands for the year of dates that name none."""
_BEFORE: Final = re.compile(
    r"\b(?:before|prior|earlier|ago|in advance|vor|vorher|zuvor|davor|früher"
    r"|avant|antes|prima|przed)\b",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(
    r"\b(?:after|later|between|since|nach|danach|später|zwischen|seit|après|después|dopo|depois|po)\b",
    re.IGNORECASE,
)
_NEARLY: Final = re.compile(
    r"\b(?:almost|nearly|about|around|roughly|approximately|knapp|fast|beinahe|rund|etwa|ungefähr)\b",
    re.IGNORECASE,
)


def is_between(wanted: Number, one: Date, other: Date, told: str) -> bool:
    """Whether a number is the time from one date to a later one.

    Months and years are whole ones, as in an age.

    Args:
        told: The statement. What lasts so many days may count both ends; what is so many days
            after something does not. "Almost 20 years" may be 19 and ten months.
    """
    return wanted.plain in _times(one, other, wanted, told)


def _times(one: Date, other: Date, wanted: Number, told: str) -> Iterator[Fraction]:
    """The time from one date to a later date, in the unit of a number; nothing if it is earlier."""
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


def is_shifted(wanted: Date, known: Sequence[Date], span: Number, told: str) -> bool:
    """Whether a date with a day is a time after one of some dates, or before it.

    Args:
        told: The sentence of the time, which says if it is before.
    """
    sign = -1 if _BEFORE.search(told) else 1
    return bool(wanted.day) and any(
        wanted.agrees(Date(there.year if each.year else 0, there.month, there.day))
        for each in known
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
