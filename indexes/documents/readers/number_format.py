"""Numbers of a spreadsheet as the program shows them.

Source: ECMA-376, part 1, 18.8.31, number formats. Fractions and scientific notation are shown with
all their digits instead.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import Final, NamedTuple

_DIGITS: Final = 15
"""Significant digits that a spreadsheet keeps."""
_ENTERED: Final = 4
"""Decimals of a number that a person writes, at most."""
_FIRST_DAY: Final = datetime(1899, 12, 30)
_SECTION: Final = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])*')
_LITERAL: Final = re.compile(r'"([^"]*)"|\\(.)|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]|_.|\*.')
_NUMBER: Final = re.compile(r"[0#?.](?:.*[0#?.])?,*")
_CONDITION: Final = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
_HOLDS: Final = {"<=": le, ">=": ge, "<>": ne, "<": lt, ">": gt, "=": eq}
_GENERAL: Final = frozenset(("", "General", "@", "Standard"))


class _Section(NamedTuple):
    before: str
    pattern: str
    after: str


def shown(value: float, number_format: str) -> str:
    """A number in its format, for example `0.075` in `0.00%` as `7.50%`.

    If the format rounds a number that has few decimals, the number follows in brackets.
    """
    exact = _exact(value)
    if number_format in _GENERAL:
        return _plain(exact)
    sections = [found for found in _SECTION.findall(number_format) if found] or [""]
    own = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
    if _CONDITION.search(sections[0]):
        own = next((at for at, each in enumerate(sections) if _holds(each, exact)), 0)
    section = _read(sections[own])
    if section is None:
        said = "".join("".join(each[:3]) for each in _LITERAL.findall(sections[own])).strip()
        only = not re.search(r"[^\s;]", _LITERAL.sub("", sections[own]))
        return f"{said} ({_plain(exact)})" if only and said.isalpha() else _plain(exact)
    number, is_rounded = _in_pattern(abs(exact), section)
    if not exact and not re.search("[0.]", section.pattern):
        return _plain(exact)  # a bar stands for it
    sign = "-" if value < 0 and not _is_negative(sections, own) else ""
    text = f"{sign}{section.before}{number}{section.after}".strip()
    return f"{text} ({_plain(exact)})" if is_rounded and _is_entered(exact) else text


def _holds(section: str, value: Decimal) -> bool:
    found = _CONDITION.search(section)
    return found is None or bool(_HOLDS[found[1]](value, Decimal(found[2])))


def _is_negative(sections: list[str], own: int) -> bool:
    """Whether a section is for negative numbers alone: its format gives the sign."""
    first, limit = _CONDITION.search(sections[0]), _CONDITION.search(sections[own])
    if limit is not None:
        return limit[1] in ("<", "<=") and not Decimal(limit[2])
    return own == 1 and (first is None or (first[1] in (">", ">=") and not Decimal(first[2])))


def shown_text(value: str, number_format: str) -> str:
    """A number that is given as text, in its format; other texts as they are.

    The number of a date is that of its day, from 30 December 1899.
    """
    try:
        number = float(value)
    except ValueError:
        return value
    if not math.isfinite(number):
        return value
    code = _LITERAL.sub("", number_format)
    if re.search("[dmyhs]", code, re.IGNORECASE) and not re.search(
        "[0#?]|general", code, re.IGNORECASE
    ):
        moment = _FIRST_DAY + timedelta(days=number)
        return str(moment).removesuffix(" 00:00:00")
    return shown(number, number_format)


def elapsed(value: timedelta) -> str:
    """A time span as hours, minutes and seconds: `25:30`, or `25:30:15`."""
    seconds = round(value.total_seconds())
    hours, rest = divmod(abs(seconds), 3600)
    text = f"{'-' if seconds < 0 else ''}{hours}:{rest // 60:02}"
    return f"{text}:{rest % 60:02}" if rest % 60 else text


def _exact(value: float) -> Decimal:
    return Decimal(f"{value:.{_DIGITS}g}") if isinstance(value, float) else Decimal(value)


def _plain(value: Decimal) -> str:
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _read(section: str) -> _Section | None:
    """The parts of a format around the digits; None for formats of other kinds."""
    literals: list[str] = []

    def keep(found: re.Match[str]) -> str:
        literals.append(found[1] or found[2] or found[3] or "")
        return chr(0xE000 + len(literals) - 1)

    text = _LITERAL.sub(keep, section)
    found = _NUMBER.search(text)
    if found is None or "/" in text or re.search(r"[Ee][+-]", text):
        return None

    def spoken(part: str) -> str:
        return "".join(literals[ord(c) - 0xE000] if ord(c) >= 0xE000 else c for c in part)

    pattern = spoken(found[0])
    return _Section(spoken(text[: found.start()]), pattern, spoken(text[found.end() :]))


def _is_entered(value: Decimal) -> bool:
    """Whether a number has so few decimals that a person may have written it."""
    exponent = value.normalize().as_tuple().exponent
    return isinstance(exponent, int) and -exponent <= _ENTERED


def _in_pattern(value: Decimal, section: _Section) -> tuple[str, bool]:
    """The digits of a number in a format, and whether they are rounded."""
    pattern = section.pattern
    whole, _, decimals = pattern.rstrip(",").partition(".")
    if "%" in section.before + section.after:
        value *= 100
    value /= 1000 ** (len(pattern) - len(pattern.rstrip(",")))
    places = len(re.findall("[0#?]", decimals))
    rounded = value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    text = f"{rounded:{',' if ',' in whole else ''}f}"
    head, point, tail = text.partition(".")
    while tail and len(tail) > decimals.count("0") and tail.endswith("0"):
        tail = tail[:-1]
    head = head.zfill(whole.count("0"))
    if re.search("[^0#?,]", whole):
        head = _between(head, whole.replace(",", ""))
    return f"{head}{point}{tail}" if tail else head, rounded != value


def _between(digits: str, pattern: str) -> str:
    """Digits with the signs between them that a pattern has, such as `000-0000`."""
    left, found = [*digits], list[str]()
    first = re.search("[0#?]", pattern)
    for place in range(len(pattern) - 1, -1, -1):
        if pattern[place] not in "0#?":
            if left or "0" in pattern[:place]:
                found.append(pattern[place])
        elif left:
            found.append(left.pop())
            while left and first and place == first.start():
                found.append(left.pop())
    return "".join(reversed(found))
