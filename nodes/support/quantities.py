"""Numbers and dates in a text, so that `3.84 t` and `3,840 kilograms` are the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Final

from hopyard.nodes.language import script_of
from hopyard.nodes.support.measures import SCALES, UNITS, Unit
from hopyard.nodes.support.number_words import find_number_words

__all__ = ("CODE", "MONTHS", "Date", "Number", "find_quantities", "in_unit", "unit_of")

_LETTER: Final = r"[A-Za-zÀ-ʯͰ-ӿ]"
_NUMBER: Final = re.compile(rf"(?<![\d_])(?<!{_LETTER})\d+(?:[.,'’\u00a0\u202f]\d+)*")
_GROUPS: Final = re.compile(r"(?<=\d)[.,'’\u00a0\u202f](?=\d{3}(?!\d))")
"""A separator of thousands, as far as one can see."""
_AFTER: Final = re.compile(
    r"(?:[ \u00a0\u202f]|-(?=[^\W\d]))?(square |cubic )?"
    r"([%€$£¥₩]|°[cf]?|(?:m|km)/[sh]|k?m[²³2]|[^\W\d_]+)"
)
_BEFORE: Final = re.compile(r"(us\$|[€$£¥₩]|\b(?:eur|usd|gbp|chf|krw|cny|jpy))\s?$")
_SHORT_SCALES: Final = {"k": 1000, "m": 10**6, "bn": 10**9, "b": 10**9}
"""After an amount of money, as in $5m."""

CODE: Final = re.compile(
    rf"(?<![\w-]){_LETTER}+(?=(?:{_LETTER}|[\d-])*\d)(?:{_LETTER}|\d)*(?:[-/](?:{_LETTER}|\d)+)*"
)
"""A name with digits, such as STS-2 or A42."""

MONTHS: Final = {
    name: number
    for names in (
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "januar februar märz april mai juni juli august september oktober november dezember",
    )
    for number, name in enumerate(names.split(), start=1)
} | {"sept": 9, "jänner": 1}
_NAMES: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
_MONTH: Final = rf"(?<![^\W\d_])(?P<month>{_NAMES})\b"
_DATES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)",
        r"\b(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})\b",
        r"(?:(?P<y>\d{4})\s?[年년]\s?)?(?P<m>\d{1,2})\s?[月월](?:\s?(?P<d>\d{1,2})\s?[日일号])?",
        rf"\b(?P<d>\d{{1,2}})(?:\.|st|nd|rd|th)?(?: of)? {_MONTH}\.?,?(?: (?P<y>\d{{4}})(?!\d))?",
        rf"{_MONTH}\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,? (?P<y>\d{{4}})(?!\d))?",
        rf"{_MONTH}\.?,? (?P<y>\d{{4}})\b",
        _MONTH,
    )
)
_CLOCK: Final = re.compile(
    r"\b(\d{1,2}):(\d\d)(?!\d)|\b(\d{1,2})(?:[.](\d\d))? ?(?=uhr\b|o['’]clock|[ap]\.?m\b)"
)
_NOUN: Final = re.compile(
    r" (?!more|less|fewer|other|times|than|with|from|mehr|weniger|sind|waren|wurde|haben|höher)"
    r"([a-zäöüß]{4,})\b"
)
_RANGE: Final = re.compile(r"\S+ ?(?:to|auf|bis|and|or|und|oder|[-–])\s*")
_COMMON_YEAR: Final = 2001
_BARE: Final = frozenset({"hundred", "hundert", "dozen"})
"""Words that alone are no exact number."""


@dataclass(frozen=True)
class Date:
    """A date; a part that the text does not name is 0."""

    year: int
    month: int
    day: int
    start: int = 0

    def agrees(self, other: Date) -> bool:
        """Whether two dates do not contradict each other, and share a month or a day."""
        mine, its = (self.year, self.month, self.day), (other.year, other.month, other.day)
        return self.month == other.month and all(
            not one or not two or one == two for one, two in zip(mine, its, strict=True)
        )

    def moved(self, days: int) -> Date | None:
        """The date so many days later, or None if the day is not known."""
        try:
            found = date(self.year or _COMMON_YEAR, self.month, self.day) + timedelta(days)
        except (ValueError, OverflowError):
            return None
        return Date(found.year if self.year else 0, found.month, found.day)


@dataclass(frozen=True)
class Number:
    """A number with its unit.

    Attributes:
        bare: It as written: two readings where a point may separate thousands or decimals.
        value: The same in the base unit, with its scale.
        base: What the unit measures; "" without a known unit.
        scaled: Whether a word such as "million" follows.
        step: The last decimal place that is written, in the base unit.
        word: Whether it is written as a word.
        start: Where it begins.
        noun: The word after a number without a unit, such as `characters`; "" for none.
    """

    bare: frozenset[Fraction]
    value: frozenset[Fraction]
    base: str = ""
    scaled: bool = False
    step: Fraction = Fraction(1)
    word: bool = False
    start: int = 0
    noun: str = ""

    @property
    def amount(self) -> Fraction:
        """The most likely reading of `value`."""
        return max(self.value)

    def equals(self, other: Number) -> bool:
        """Whether two numbers are the same.

        A number without a unit may be of any unit, unless it counts something: 12 characters are
        not 12 months.
        """
        if (self.noun and other.base) or (self.base and other.noun):
            return False
        if self.base and other.base:
            return self.base == other.base and bool(self.value & other.value)
        if self.value & other.value:
            return True
        with_unit = self if self.base else other
        without = other if self.base else self
        if without.base or without.scaled or (with_unit.scaled and not with_unit.base):
            return False
        return not with_unit.scaled and bool(self.bare & other.bare)


@lru_cache(8192)
def find_quantities(text: str) -> tuple[tuple[Number, ...], tuple[Date, ...]]:
    """The numbers and the dates of a text, in their order.

    The digits of a name such as STS-2, and those of a date, are no numbers.
    """
    dates, masked = _find_dates(text)
    masked = CODE.sub(lambda code: " " * len(code[0]), masked)
    numbers: list[Number] = []
    plain = masked.lower()
    for found in _CLOCK.finditer(plain):
        hours, minutes = (found[1], found[2]) if found[1] else (found[3], found[4] or "0")
        numbers.append(_number(int(hours) * 3600 + int(minutes) * 60, "clock", found.start()))
    plain = _CLOCK.sub(lambda clock: " " * len(clock[0]), plain)
    numbers += [_digits(found, plain) for found in _NUMBER.finditer(plain)]
    for value, start, end in find_number_words(plain):
        if plain[start:end] in SCALES or plain[start:end] in _BARE:
            continue
        numbers.append(_with_unit([Fraction(value)], Fraction(1), plain, start, end, word=True))
    numbers.sort(key=lambda number: number.start)
    return tuple(_with_range_units(numbers, plain)), dates


def _with_range_units(numbers: list[Number], text: str) -> list[Number]:
    """In "from 610 to 540 kWh" both numbers have the unit."""
    for place, (one, other) in enumerate(pairwise(numbers)):
        between = text[one.start : other.start]
        if not (one.base or one.scaled) and _RANGE.fullmatch(between):
            if other.base == "clock":
                numbers[place] = _number(int(one.amount) * 3600, "clock", one.start)
                continue
            factor = max(other.value) / max(other.bare) if max(other.bare) else Fraction(1)
            value = frozenset(bare * factor for bare in one.bare)
            step = one.step * factor
            numbers[place] = replace(
                one, value=value, base=other.base, scaled=other.scaled, step=step
            )
    return numbers


def unit_of(header: str) -> tuple[Unit | None, Fraction]:
    """The unit and the scale that a table's header, or the sentence before a table, names."""
    bracketed = " ".join(re.findall(r"[(\[]([^)\]]*)[)\]]", header))
    for part in filter(None, (bracketed, header)):
        words = re.findall(r"[%€$£¥₩]|°[cf]?|(?:m|km)/[sh]|k?m[²³2]|[^\W\d_]+", part.lower())
        units = {UNITS[word] for word in words if word in UNITS}
        scale = next((SCALES[word] for word in words if word in SCALES), Fraction(1))
        if units or scale != 1:
            return (units.pop() if len(units) == 1 else None), scale
    return None, Fraction(1)


def in_unit(number: Number, unit: Unit | None, scale: Fraction) -> Number:
    """A number of a table's cell, in the unit that its header names."""
    if number.base or number.scaled or (unit is None and scale == 1):
        return number
    factor = scale * (unit.factor if unit else 1)
    return Number(
        number.bare,
        frozenset(value * factor for value in number.bare),
        unit.base if unit else "",
        scale != 1,
        number.step * factor,
        number.word,
        number.start,
    )


def _find_dates(text: str) -> tuple[tuple[Date, ...], str]:
    """The dates, and the text with blanks in their places."""
    found: list[Date] = []
    for pattern in _DATES:

        def take(match: re.Match[str]) -> str:
            parts = match.groupdict()
            month = MONTHS[parts["month"].lower()] if parts.get("month") else int(parts["m"])
            day, year = (int(parts.get(name) or 0) for name in ("d", "y"))
            small = bool(parts.get("month")) and parts["month"][0].islower()  # the verb "may"
            if small or not (1 <= month <= 12 and day <= 31):
                return match[0]
            found.append(Date(year, month, day, match.start()))
            return " " * len(match[0])

        text = pattern.sub(take, text)
    return tuple(sorted(found, key=lambda each: each.start)), text


def _number(value: int, base: str, start: int) -> Number:
    exact = frozenset([Fraction(value)])
    return Number(exact, exact, base, start=start)


def _digits(found: re.Match[str], text: str) -> Number:
    written = found[0]
    whole = _GROUPS.sub("", written) if not written.startswith("0.") else written
    readings = [_fraction(whole)]
    if re.fullmatch(r"\d{1,3}\.\d{3}", written):
        readings.append(_fraction(written))
    decimals = re.search(r"[.,](\d+)$", whole)
    step = Fraction(1, 10 ** len(decimals[1])) if decimals else Fraction(1)
    return _with_unit(readings, step, text, found.start(), found.end())


def _fraction(written: str) -> Fraction:
    whole, _, decimals = re.sub(r"['’\u00a0\u202f]", "", written).replace(",", ".").partition(".")
    return Fraction(f"{whole or 0}.{decimals.replace('.', '') or 0}")


def _with_unit(
    readings: list[Fraction], step: Fraction, text: str, start: int, end: int, *, word: bool = False
) -> Number:
    before = _BEFORE.search(text, max(0, start - 5), start)
    unit = UNITS[before[1]] if before else None
    scale = Fraction(1)
    for _ in range(2):
        after = _AFTER.match(text, end)
        if not after:
            break
        name = after[2]
        if before and name in _SHORT_SCALES:
            scale *= _SHORT_SCALES[name]
        elif known_scale := _longest(name, SCALES):
            scale *= SCALES[known_scale]
            end = after.start(2) + len(known_scale)
            continue
        elif unit is None and (known := _unit_named(name, after[1])):
            unit = known
            break
        else:
            break
        end = after.end()
    noun = _NOUN.match(text, end) if unit is None and scale == 1 else None
    factor = scale * (unit.factor if unit else 1)
    return Number(
        frozenset(readings),
        frozenset(reading * factor for reading in readings),
        unit.base if unit else "",
        scale != 1,
        step * factor,
        word,
        start,
        noun[1] if noun else "",
    )


def _unit_named(name: str, power: str | None) -> Unit | None:
    if power:
        found = UNITS.get(name)
        exponent = 2 if power == "square " else 3
        if not found or found.base != "m":
            return None
        return Unit("m²" if exponent == 2 else "m³", found.factor**exponent)
    return UNITS.get(_longest(name, UNITS))


def _longest(name: str, known: Mapping[str, object]) -> str:
    """The known word that a text is; in scripts without spaces, that it begins with; "" if none."""
    if name in known:
        return name
    if name[0].isascii() or script_of(name) == "LATIN":
        return ""
    beginnings = (name[:length] for length in range(len(name), 0, -1))
    return next((part for part in beginnings if part in known), "")
