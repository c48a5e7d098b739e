"""Whether a number follows from others: sums, differences, ratios, percentages, averages.

A statement that announces no calculation has none: an operation is tried only if the statement, or
its question, has a word for it. Otherwise some pair of numbers yields almost any small number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, permutations
from typing import Final

from hopyard.nodes.support.quantities import Number

_MOST: Final = 12
"""Numbers that are calculated with."""
_MOST_SUMMED: Final = 4
_CUES: Final = {
    "sum": r"total|together|\bsum\b|combined|altogether|in all\b|overall|add(?:s|ed)? up|plus|\+|"
    r"\ball\b|\bboth\b|insgesamt|zusammen|gesamt|summe|addiert|\balle\b|\bbeide|"
    r"총|합|모두|全部|共|合计|总",
    "difference": r"\w+er (?:\S+ ){0,6}(?:than|als)\b|\bmore\b|\bless\b|fewer|differ|increas|"
    r"\b(?:high|low|long|short|larg|small|great|old|young|cheap|heavi|fast|slow)er\b|decreas|"
    r"(?:höh|niedrig|läng|kürz|größ|klein|ält|jüng|teur|billig)er\b|\brose|"
    r"\bgrew|\bfell|drop|gain|earlier|later|before|after|remain|\bleft\b|\brest\b|short|minus|−|"
    r"\d ?[-–] ?\d|\bby\b|\bnot\b|nicht|years|months|days|minutes|hours|since|\bother\b|mehr|"
    r"weniger|differenz|unterschied|stieg|gestiegen|sank|gesunken|früher|später|\bum\b|jahre|"
    r"monate|tage|minuten|stunden|übrig|vorjahr|더|차이|적|많|늘|줄|多|少|增|减|差",
    "ratio": r"times|\bper\b|each|ratio|pays?\b|payback|factor|fold\b|\d ?[/÷×*] ?\d|amortis|night|"
    r"divided|coverage|turnover|\s[/÷]\s|"
    r"\w+mal\b|nächte|\bje\b|\bpro\b|ersatz\b|배|倍",
    "percent": r"%|percent|per cent|prozent|퍼센트|百分",
    "average": r"average|\bmean\b|\bper\b|durchschnitt|im mittel|평균|平均",
    "2": "twice|doubl|doppelt|verdoppel",
    "1/2": r"\bhalf\b|halv|hälfte|halb",
    "1/3": r"\bthird\b|drittel|\b3rd\b",
    "1/4": r"quarter|viertel",
}
_PATTERNS: Final = {name: re.compile(cue, re.IGNORECASE) for name, cue in _CUES.items()}

Result = tuple[Fraction, tuple[int, ...]]
"""A result, and the places of the numbers that it is of."""


def announced(text: str) -> frozenset[str]:
    """The operations that a text has a word for."""
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(text))


def derive(
    wanted: Number, known: Sequence[Number], operations: frozenset[str]
) -> tuple[Number, ...]:
    """The numbers that a number follows from; none if it does not.

    Sums and differences are of one unit, and exact. All other results are rounded to the last
    decimal place of `wanted`.
    """
    distinct = list({(each.amount, each.base): each for each in known}.values())[:_MOST]
    years = [each for each in distinct if each.year]
    rest = [each for each in distinct if not each.year]
    if not wanted.value:
        return ()
    for each in years:
        for other in years if "difference" in operations else ():
            if abs(each.plain - other.plain) == wanted.plain:
                return each, other
        for span in rest if wanted.year else ():
            if span.base == "month" and abs(wanted.plain - each.plain) == span.amount / 12:
                return each, span
    alike = [each for each in rest if each.base in {"", wanted.base} or not wanted.base]
    for result, places in _additive([_in_unit(wanted, each) for each in alike], operations):
        used = tuple(alike[place] for place in places)
        exact = "average" not in operations
        if len({each.base for each in used} - {""}) < 2 and _is(wanted, result, exact=exact):
            return used
    plain = [each.plain for each in rest]
    results = _multiplicative(plain, operations, percent=wanted.base == "%")
    for result, places in chain(results, _changed(wanted, rest, operations)):
        if _is(wanted, result):
            return tuple(rest[place] for place in places)
    return ()


def _in_unit(wanted: Number, number: Number) -> Fraction:
    """A number in the unit of the wanted one; one without a unit is taken to have it."""
    return number.amount / wanted.unit.factor if number.unit and wanted.unit else number.plain


def _is(wanted: Number, result: Fraction, *, exact: bool = False) -> bool:
    return abs(result - wanted.plain) <= (0 if exact else wanted.step * wanted.scale / 2)


def _additive(known: Sequence[Fraction], operations: frozenset[str]) -> Iterator[Result]:
    places = range(len(known))
    for many in (*range(2, _MOST_SUMMED + 1), len(known)):
        for chosen in combinations(places, many) if many > 1 else ():
            total = sum((known[place] for place in chosen), Fraction())
            if "sum" in operations:
                yield total, chosen
            if "average" in operations:
                yield total / many, chosen
    if "difference" in operations:
        for each, other in combinations(places, 2):
            yield abs(known[each] - known[other]), (each, other)
        for whole, each, other in permutations(places, 3):
            if each < other and known[each] + known[other] < known[whole]:
                yield known[whole] - known[each] - known[other], (whole, each, other)


def _changed(
    wanted: Number, known: Sequence[Number], operations: frozenset[str]
) -> Iterator[Result]:
    """Numbers of the wanted unit with a percentage more, as after "plus" or a rise, or less."""
    for each, other in permutations(range(len(known)), 2):
        alike = known[each].base in {"", wanted.base} or not wanted.base
        if alike and known[other].base == "%" and known[each].base != "%":
            part = known[each].plain * known[other].plain / 100
            if operations & {"sum", "difference"}:
                yield known[each].plain + part, (each, other)
                yield known[each].plain - part, (each, other)


def _multiplicative(
    known: Sequence[Fraction], operations: frozenset[str], *, percent: bool
) -> Iterator[Result]:
    for each, other in permutations(range(len(known)), 2):
        mine, its = known[each], known[other]
        if its and percent and "percent" in operations:
            yield 100 * mine / its, (each, other)
            yield 100 * abs(mine - its) / its, (each, other)
        if its and not percent and "ratio" in operations:
            yield mine / its, (each, other)
            yield mine * its, (each, other)
        if its and not percent and "percent" in operations:
            yield mine * its / 100, (each, other)
    for factor in ("2", "1/2", "1/3", "1/4"):
        if factor in operations:
            yield from ((each * Fraction(factor), (place,)) for place, each in enumerate(known))
