"""Whether a number follows from others: sums, differences, ratios, percentages, averages, counts.

A statement that announces no calculation has none: an operation is tried only if the statement, or
its question, has a word for it. Otherwise some pair of numbers yields almost any small number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations
from typing import Final

from hopyard.nodes.support.quantities import Number

__all__ = ("Operands", "announced", "derive")

Operands = tuple[Number, ...]

_MOST: Final = 12
"""Numbers that pairs are made of."""
_MOST_SUMMED: Final = 4
_LAST_YEAR: Final = 2100
_CUES: Final = {
    "sum": (
        r"total|together|\bsum\b|combined|altogether|in all\b|overall|add(?:s|ed)? up|plus|\+|"
        r"\ball\b|"
        r"\bboth\b|insgesamt|zusammen|gesamt|summe|addiert|\balle\b|\bbeide|"
        r"총|합|모두|全部|共|合计|总"
    ),
    "difference": (
        r"\w+er than|\w+er als|\bmore\b|\bless\b|fewer|differ|increas|decreas|\brose|\bgrew|\bfell|"
        r"drop|gain|earlier|later|before|after|remain|\bleft\b|\brest\b|short|minus|−|\d ?[-–] ?\d|"
        r"\bby\b|\bnot\b|nicht|years|months|days|minutes|hours|since|undecided|\bother\b|mehr|weniger|differenz|"
        r"unterschied|stieg|gestiegen|sank|gesunken|früher|später|\bum\b|jahre|monate|tage|minuten|"
        r"stunden|übrig|vorjahr|더|차이|적|많|늘|줄|多|少|增|减|差"
    ),
    "ratio": (
        r"times|\bper\b|each|ratio|pays?\b|payback|factor|fold\b|\d ?/ ?\d|÷|amortis|\w+mal\b|"
        r"\bje\b|\bpro\b|ersatz\b|배|倍"
    ),
    "percent": r"%|percent|per cent|prozent|퍼센트|百分",
    "average": r"average|\bmean\b|\bper\b|durchschnitt|im mittel|평균|平均",
    "product": (
        r"×|\bx\b|\*|times|\bper\b|each|night|\ba (?:day|week|month|year)|\bje\b|\bpro\b|"
        r"\w+mal\b|nächte|乘"
    ),
}
_MULTIPLES: Final = {
    Fraction(2): "twice|doubl|doppelt|verdoppel",
    Fraction(1, 2): r"\bhalf\b|halv|hälfte|halb",
    Fraction(1, 3): r"\bthird\b|drittel",
    Fraction(1, 4): r"quarter|viertel",
}
_PATTERNS: Final = {name: re.compile(cue, re.IGNORECASE) for name, cue in _CUES.items()}

_Operation = Callable[[Sequence[Number]], Iterator[tuple[Fraction, Operands]]]


def announced(text: str) -> frozenset[str]:
    """The operations that a text has a word for."""
    operations = {name for name, pattern in _PATTERNS.items() if pattern.search(text)}
    multiples = {
        _multiple(factor)
        for factor, cue in _MULTIPLES.items()
        if re.search(cue, text, re.IGNORECASE)
    }
    return frozenset(operations | multiples)


def derive(wanted: Number, known: Sequence[Number], operations: frozenset[str]) -> Operands:
    """The numbers that a number follows from; none if it does not.

    Sums, differences and products are exact. Ratios, percentages and averages are rounded to the
    last decimal place of `wanted`.

    Args:
        wanted: The number to be explained.
        known: Numbers of the passages.
        operations: The operations that are tried, such as `sum`.
    """
    if not wanted.amount:
        return ()
    distinct = _distinct(known if not wanted.base else [_alike(wanted, one) for one in known])
    for name, (operation, exact) in _OPERATIONS.items():
        if name not in operations or (name == "percent") != (wanted.base == "%"):
            continue
        for result, operands in operation(distinct):
            units = {number.base for number in operands} - {""}
            if name in {"sum", "difference", "average"} and not _fits(wanted, units):
                continue
            if name != "difference" and any(_is_year(number) for number in operands):
                continue
            readings = [(wanted.value, wanted.step)]
            if not units or wanted.base == "month":
                readings.append((wanted.bare, wanted.step * max(wanted.bare) / wanted.amount))
            if any(
                abs(result - value) <= (0 if exact else step / 2)
                for values, step in readings
                for value in values
            ):
                return operands
    return ()


def _alike(wanted: Number, number: Number) -> Number:
    """A number without a unit, in the unit of the number that is wanted."""
    if number.base or number.scaled or wanted.base in {"%", "month", "clock"} or _is_year(number):
        return number
    factor = wanted.amount / max(wanted.bare)
    return replace(number, value=frozenset(bare * factor for bare in number.bare), base=wanted.base)


def _distinct(known: Sequence[Number]) -> list[Number]:
    found: dict[tuple[frozenset[Fraction], str], Number] = {}
    for number in known:
        found.setdefault((number.value, number.base), number)
    return list(found.values())[:_MOST]


def _fits(wanted: Number, units: set[str]) -> bool:
    """Whether a result of these units can be the number that is wanted."""
    if units == {"clock"}:
        return wanted.base in {"s", "clock"}
    return len(units) < 2 and (not wanted.base or not units or {wanted.base} == units)


def _is_year(number: Number) -> bool:
    return (
        not number.base
        and not number.scaled
        and 1000 <= number.amount <= _LAST_YEAR
        and (number.amount.denominator == 1 and number.step == 1)
    )


def _sums(known: Sequence[Number]) -> Iterator[tuple[Fraction, Operands]]:
    for many in (*range(2, _MOST_SUMMED + 1), len(known)):
        for chosen in combinations(known, many) if many > 1 else ():
            yield sum((number.amount for number in chosen), Fraction()), chosen


def _differences(known: Sequence[Number]) -> Iterator[tuple[Fraction, Operands]]:
    for one, other in combinations(known, 2):
        yield abs(one.amount - other.amount), (one, other)
    for whole in known:
        for one, other in combinations([each for each in known if each is not whole], 2):
            if one.amount + other.amount < whole.amount:
                yield whole.amount - one.amount - other.amount, (whole, one, other)


def _ratios(known: Sequence[Number]) -> Iterator[tuple[Fraction, Operands]]:
    for one, other in permutations(known, 2):
        if other.amount:
            yield one.amount / other.amount, (one, other)


def _percentages(known: Sequence[Number]) -> Iterator[tuple[Fraction, Operands]]:
    for one, other in permutations(known, 2):
        if other.amount and (one.base == other.base or not (one.base and other.base)):
            yield 100 * one.amount / other.amount, (one, other)
            yield 100 * abs(one.amount - other.amount) / other.amount, (one, other)


def _averages(known: Sequence[Number]) -> Iterator[tuple[Fraction, Operands]]:
    for total, chosen in _sums(known):
        yield total / len(chosen), chosen


def _products(known: Sequence[Number]) -> Iterator[tuple[Fraction, Operands]]:
    for one, other in combinations(known, 2):
        plain = [
            number.amount if number.base not in {"s", "g", "m"} else max(number.bare)
            for number in (one, other)
        ]
        yield plain[0] * plain[1], (one, other)
        if "%" in {one.base, other.base}:
            yield plain[0] * plain[1] / 100, (one, other)


def _multiple(factor: Fraction) -> str:
    return f"times {factor}"


def _times(factor: Fraction) -> _Operation:
    return lambda known: ((number.amount * factor, (number,)) for number in known)


_OPERATIONS: Final[dict[str, tuple[_Operation, bool]]] = {
    "sum": (_sums, True),
    "difference": (_differences, True),
    "percent": (_percentages, False),
    "product": (_products, True),
    "ratio": (_ratios, False),
    "average": (_averages, False),
} | {_multiple(factor): (_times(factor), True) for factor in _MULTIPLES}
