"""Numbers and dates in a text, so that `3.84 t` and `3,840 kilograms` are the same."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

from text_to_num import alpha2digit

from hopyard.nodes.support.measures import SCALES, UNITS, Unit

_LETTER: Final = r"[A-Za-zÀ-ʯͰ-ӿ]"
_NUMBER: Final = re.compile(
    rf"(?<![\d_])(?<!{_LETTER})(?!(?:10-[kq]|8-k|20-f)\b)\d+(?:[.,'’\u00a0\u202f]\d+)*"
)
"""Not the 10 of the forms 10-K and 10-Q."""
_LONGEST: Final = 100
"""Characters of a number. Python converts no number of more than 4,300 digits."""
_GROUPS: Final = re.compile(r"(?<=\d)[.,'’\u00a0\u202f](?=\d{3}(?!\d))")
"""A separator of thousands, as far as one can see."""
SPACED: Final = re.compile(r"(?<![\w.,])[1-9]\d{0,2}(?: \d{3}){1,4}(?! ?\d{3}(?!\d))(?!\d)")
"""Thousands with spaces, or several numbers."""
_THIN_SPACED: Final = re.compile(r"(?<![\w.,])\d{1,3}(?:[\u00a0\u2007\u2009\u202f]\d{3})+(?!\d)")
"""Thousands with spaces that break no line."""
_IS_COUNT: Final = re.compile(r"(?:[.,]\d+)?\s?[a-zß-ÿ€$£%]")
"""Follows thousands. Of a table whose lines are lost, numbers or capitals follow a number."""
_YEAR: Final = re.compile(r"1\d{3}|20\d\d")
_YEAR_WORD: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SIGNS: Final = sorted(
    (w for w in {**UNITS, **SCALES} if not re.fullmatch("[a-zß-ÿ]+", w)), key=len
)
_UNIT: Final = f"{'|'.join(map(re.escape, reversed(_SIGNS)))}|[^\\W\\d_]+"
"""Signs and words of scripts without spaces, the longest first, or any word."""
_AFTER: Final = re.compile(rf"[ \u00a0\u202f]?({_UNIT})(?!(?<=[€$£¥₩])\d)")
"""In "2016 $40" the sign is that of the next number."""
_BEFORE: Final = re.compile(r"(us\$|[€$£¥₩]|\b(?:eur|usd|gbp|chf|krw|cny|jpy))\s?$")
_SHORT_SCALES: Final = {"k": 1000, "m": 10**6, "bn": 10**9, "b": 10**9}
"""After an amount of money, as in $5m."""
_SCALED: Final = re.compile(rf"((?:[\d€$£]|\bin|\()\s?(?:{'|'.join(SCALES)})\b)", re.IGNORECASE)
"""A scale that stays a word: "3.2 million" is not "3.2 1000000"."""
_RANGE: Final = re.compile(r" ?(?:to|auf|bis|and|or|und|oder|[-–]) ?[\d.,]*\d")
"""In "from 2.4 to 3.0 million euros" both numbers have the unit."""
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-‑](?=[^\W\d_])")

CODE: Final = re.compile(
    rf"(?<![\w-]){_LETTER}++(?=(?:{_LETTER}|[\d-])*\d)(?:{_LETTER}|\d)*(?:[-/](?:{_LETTER}|\d)+)*"
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
            not each or not two or each == two for each, two in zip(mine, its, strict=True)
        )


_TABLE_SCALES: Final = (Fraction(1_000), Fraction(1_000_000), Fraction(1_000_000_000))
"""Factors that a table's numbers may have, as a page's head or a caption elsewhere says."""
_LEAST_SCALED: Final = 1_000
"""The last place of a number that a word such as "million" follows, at least."""
_LEAST_SHOWN: Final = 10
"""A smaller number of a table is too common to be taken for so many millions."""
_MOST_ROUNDED: Final = Fraction(1, 10)
"""Share of a number that rounding may change."""
_CURRENCIES: Final = {"EUR", "USD", "GBP", "CHF", "SEK", "KRW", "CNY", "JPY"}


@dataclass(frozen=True)
class Number:
    """A number with its unit.

    Attributes:
        value: It as written, with a word such as "million" after it.
        unit: Its unit, if it is known.
        scale: The factor in the header of its column.
        step: The last decimal place that is written, in `value`.
        start: Where it begins.
        year: Whether it can be a year.
        unscaled: Whether it is in a table of some year that does not say whether it counts in
            millions.
    """

    value: Fraction
    unit: Unit | None = None
    scale: Fraction = Fraction(1)
    step: Fraction = Fraction(1)
    start: int = 0
    year: bool = False
    unscaled: bool = False

    @cached_property
    def plain(self) -> Fraction:
        """It in its own unit."""
        return self.value * self.scale

    @property
    def base(self) -> str:
        """The base of its unit; "" without a known unit."""
        return self.unit.base if self.unit else ""

    @cached_property
    def amount(self) -> Fraction:
        """It in the base unit."""
        return self.plain * (self.unit.factor if self.unit else 1)

    def equals(self, other: Number) -> bool:
        """Whether two numbers are the same. A number without a unit may be of any unit."""
        if self.base and other.base and self.base != other.base:
            return False
        if self._rounds(other):
            return True
        if self.base and other.base:
            return self.amount == other.amount
        mine = (self.value, self.plain)
        return other.value in mine or other.plain in mine

    def _rounds(self, other: Number) -> bool:
        """Whether "$1.3 billion" says, rounded, what a table in millions shows as 1,342.

        Other quantities must be the same and have a decimal, as nobody counts tenths: "76.7
        million" cards for 76.7, but not 845 million shops for 845.
        """
        if self.step < _LEAST_SCALED:
            return False
        scales: tuple[Fraction, ...] = (other.scale,) if other.scale != 1 else ()
        if other.unscaled and abs(other.value) >= _LEAST_SHOWN:
            scales = _TABLE_SCALES
        most = min(self.step / 2, self.value * _MOST_ROUNDED)
        if not _CURRENCIES & {self.base, other.base}:
            scales, most = (scales if other.step < 1 else ()), Fraction(0)
        return any(abs(other.value * scale - self.value) <= most for scale in scales)


def with_digits(text: str, language: str) -> str:
    """A text with its number words as digits: `thirty-three` is `33`, `third` is `3rd`."""
    language = "en" if language == "pl" else language  # its number words are not known
    text = _HYPHEN.sub(" ", text.encode("utf-8", "replace").decode())
    parts = _SCALED.split(text)
    parts[::2] = [alpha2digit(part, language, threshold=1.5) for part in parts[::2]]
    return "".join(parts)


def find_quantities(text: str) -> tuple[tuple[Number, ...], tuple[Date, ...]]:
    """The numbers and the dates of a text, in their order.

    The digits of a name such as STS-2, and those of a date, are no numbers.
    """
    dates, masked = _find_dates(text)
    plain = CODE.sub(lambda code: " " * len(code[0]), masked).lower()
    numbers = (each for each in _NUMBER.finditer(plain) if len(each[0]) <= _LONGEST)
    return tuple(_read(found, plain) for found in numbers), dates


def with_joined_thousands(text: str, apart: Collection[str] = ()) -> str:
    """A text with 6214 in place of "6 214", where that is surely one number.

    It is if the spaces break no line, if a word or unit follows, or if the text has nothing else.

    Args:
        apart: Those that are several numbers, as in "in hall 6 214 chairs".
    """
    text = _THIN_SPACED.sub(join, text)
    alone = not re.search(r"\w", SPACED.sub("", text))

    def joined(found: re.Match[str]) -> str:
        sure = alone or _IS_COUNT.match(text, found.end())
        return join(found) if sure and found[0] not in apart else found[0]

    return SPACED.sub(joined, text)


def join(spaced: re.Match[str]) -> str:
    """Thousands without their spaces."""
    return re.sub(r"\s", "", spaced[0])


def without_dates(text: str) -> str:
    """A text with blanks in place of its dates and years."""
    return _YEAR_WORD.sub(" ", _find_dates(text)[1])


def only_dates(text: str) -> str:
    """The dates and years of a text, with blanks in place of the rest."""
    masked = _YEAR_WORD.sub(" " * 4, _find_dates(text)[1])
    pairs = zip(text, masked, strict=True)
    return "".join(own if left == " " else " " for own, left in pairs)


def in_column(number: Number, header: str, lead: str = "") -> Number:
    """The number in a table's cell, with the unit and the scale that its header names.

    Args:
        number: The number in a cell.
        header: The header of its column.
        lead: Text that names the scale if the header names neither unit nor scale.
    """
    unit, scale = _unit_of(header)
    if number.unit and unit and unit.base != number.unit.base:  # $ 5 in "Three months ended"
        unit = None
    if unit is None and scale == 1:
        scale = _unit_of(lead)[1]
    money = number.unit is None or number.unit.base in _CURRENCIES
    if number.unit and not (money and number.step < _LEAST_SCALED):
        return number
    if scale == 1 and unit is None:
        dated = _YEAR_WORD.search(header) or _YEAR_WORD.search(lead)
        return replace(number, unscaled=money and not number.year and dated is not None)
    return replace(number, unit=number.unit or unit, scale=scale, year=False)


def _unit_of(header: str) -> tuple[Unit | None, Fraction]:
    bracketed = " ".join(re.findall(r"[(\[]([^)\]]*)[)\]]", header))
    for part in filter(None, (bracketed, header)):
        words = re.findall(rf"(?<!\d)(?<!\d-)(?:{_UNIT})", part.lower())  # not the K of "10-K"
        units = {UNITS[word] for word in words if word in UNITS}
        if _YEAR_WORD.search(part):  # "Three months ended June 30, 2023" are not counted
            units = {unit for unit in units if unit.base not in {"s", "month"}}
        scale = next((SCALES[word] for word in words if word in SCALES), Fraction(1))
        if units or scale != 1:
            return (units.pop() if len(units) == 1 else None), scale
    return None, Fraction(1)


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


def _read(found: re.Match[str], text: str) -> Number:
    """The number that is written there, with its unit."""
    whole = found[0] if found[0].startswith("0.") else _GROUPS.sub("", found[0])
    value = Fraction(re.sub(r"\.(?=.*\.)", "", re.sub(r"['’\s]", "", whole).replace(",", ".")))
    decimals = re.search(r"[.,](\d+)$", whole)
    step = Fraction(1, 10 ** len(decimals[1])) if decimals else Fraction(1)
    before = _BEFORE.search(text, max(0, found.start() - 5), found.start())
    unit, end, scale = (UNITS[before[1]] if before else None), found.end(), Fraction(1)
    if not _YEAR.fullmatch(found[0]) and (other := _RANGE.match(text, end)):
        end = other.end()
    while after := _AFTER.match(text, end):
        scale *= SCALES.get(after[1]) or (_SHORT_SCALES.get(after[1], 1) if before else 1)
        unit = unit or UNITS.get(after[1])
        if unit or after[1] not in SCALES:
            break
        end = after.end()
    year = unit is None and scale == 1 and _YEAR.fullmatch(found[0]) is not None
    return Number(value * scale, unit, step=step * scale, start=found.start(), year=year)
