"""Numbers in the cells of a table, as exact decimals, and the rows that are totals of others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

_CODES: Final = (
    "EUR|USD|GBP|CHF|JPY|CNY|KRW|SEK|NOK|DKK|PLN|CZK|HUF|RON|AUD|CAD|NZD|INR|BRL|MXN|ZAR|TRY|SGD"
    "|HKD|TWD|THB|ILS|AED|SAR|Rs\\.?|Fr\\.?|kr\\.?"
)
_SIGNS: Final = r"(?:US|A|C|NZ|HK|S|R)?[$€£¥₩₹₽฿₺₴₪]"
_BLANK: Final = "[ \u00a0\u202f\u2009]"
_CORE: Final = rf"(?:\d(?:[\d.,'’]|{_BLANK}(?=\d{{3}}(?!\d)))*|[.,]\d+)(?:[eE][+-]?\d\d?)?"
_WRITTEN: Final = re.compile(
    rf"(?:(?P<first>{_SIGNS}){_BLANK}?(?=[(]))?"
    rf"(?P<open>\()?(?P<sign>[-−–+])?{_BLANK}?(?P<before>{_SIGNS}|(?:{_CODES})(?![^\W\d_]))?{_BLANK}?"
    rf"(?P<sign2>[-−–+])?(?P<core>{_CORE}){_BLANK}?(?P<after>%|‰|{_SIGNS}|[^\W\d_][\w/°²³.-]{{0,5}})?"
    rf"(?P<close>\){_BLANK}?(?P<late>[%‰])?)?[*†‡]*(?: \((?P<exact>-?\d+(?:\.\d+)?)\))?"
)
_SPACES: Final = re.compile(rf"{_BLANK}|['’]")
_ORDINAL: Final = frozenset(("st", "nd", "rd", "th", "x", "k", "m", "mn", "mio", "bn", "b"))
"""Endings that make no unit of a number: ordinals, and multiples that a column may mix."""
_LEAST_GROUP: Final = 2
_GROUP: Final = 3
_PERCENT: Final = {"%": 2, "‰": 3}
_TOTAL: Final = re.compile(
    r"(?:(?:grand |net )?totals?|summe|insgesamt|gesamt|totale)"
    r"(?: ?\(.*\)| \d+| (?:of|for|in|per|von|für|pro) .*)?:?"
    r"|totals? (?-i:[a-zà-ÿ]).*"  # a company would have a capital letter
    r"|(?:sub ?-?tota|sous-tota|grand tota|zwischensumme).*|sums?(?: of\b.*|:)?"
    r"|gesamt(?:summe|betrag|zahl|ergebnis)\b.*"
    r"|(?:opening|closing|final) balance.*|balance (?:brought|carried) .*"  # of a bank's statement
    r"|(?:anfangs|end|schluss|(?:alter|neuer) )(?:saldo|kontostand).*"
    r"|.* (?:sub)?totals?:?|(?:합계|총계|소계|총합|합 계|合計|小計|总计|合计).*",
    re.IGNORECASE,
)
"""Labels of totals."""
_PERHAPS: Final = re.compile(
    r"(?:totale?s?|summe|insgesamt|gesamt|somme)\b.*|.* (?:ergebnis|gesamt|summe)", re.IGNORECASE
)
"""Labels of totals (`Total Assets`, Excel's `Nord Ergebnis`) that may be names: Total Energies."""


class Written(NamedTuple):
    """A number as a cell has it."""

    core: str
    """Digits with separators, without sign and unit."""
    negative: bool
    unit: str
    exact: str
    """The number itself, where a spreadsheet shows it rounded: it follows in brackets."""


def written_number(text: str) -> Written | None:
    """The number that a whole cell is, or None.

    A number with zeros in front is a code, such as a postal code, and no number.
    """
    found = _WRITTEN.fullmatch(text)
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    core = _SPACES.sub("", found["core"])
    before = found["first"] or found["before"] or ""
    after = found["late"] or (found["after"] or "").rstrip(".")
    if (before and after) or after.casefold() in _ORDINAL or re.match(r"0\d", core):
        return None
    if found["sign"] and found["sign2"]:
        return None
    sign = found["sign"] or found["sign2"] or ""
    negative = bool(found["open"]) or sign not in {"", "+"}
    return Written(core, negative, before or after, found["exact"] or "")


def decimal_mark(numbers: Iterable[Written]) -> str | None:
    """The decimal mark of some numbers; "" if they do not show it, None if they differ.

    `1.234` alone does not show it: a dot or a comma with three digits may do either.
    """
    marks = {mark for number in numbers if (mark := _mark_of(number.core))}
    return None if len(marks) > 1 else "".join(marks)


def number_of(written: Written, mark: str) -> Decimal | None:
    """The value of a number, all its digits; percent counts as shown (7.5 for `7.5 %`).

    Args:
        mark: The decimal mark; "" is read as ".".

    Returns:
        None if its separators fit no number, as in a date or a version.
    """
    mark = mark or "."
    core, _, power = written.core.replace("E", "e").partition("e")
    whole, point, decimals = core.partition(mark)
    groups = whole.split("," if mark == "." else ".")
    if len(groups) > 1 and not _are_groups(groups):
        return None
    if point and not decimals.isdecimal():
        return None
    value = Decimal(f"{''.join(groups) or '0'}.{decimals or '0'}e{power or '0'}")
    value = value.copy_negate() if written.negative else value  # `-value` would round
    if not written.exact:
        return value if point or power else Decimal(int(value))
    exact = Decimal(written.exact).scaleb(_PERCENT.get(written.unit, 0))
    half = Decimal(5).scaleb(-len(decimals) - 1)
    return exact if abs(exact - value) <= half else None


def _mark_of(core: str) -> str:
    """The decimal mark that one number shows, or ""."""
    digits = core.replace("E", "e").partition("e")[0]
    used = [mark for mark in ".," if mark in digits]
    if len(used) > 1:
        return max(used, key=digits.rfind)
    if not used:
        return ""
    head, *groups = digits.split(used[0])
    other = "," if used[0] == "." else "."
    if len(groups) > 1:
        return other if _are_groups([head, *groups]) else ""
    may_group = len(groups[0]) == _GROUP and 0 < len(head) <= _GROUP and head != "0"
    return "" if may_group else used[0]


def _are_groups(groups: list[str]) -> bool:
    """Whether digits are grouped: by three, or by two before the last three as in India."""
    head, *middle, last = groups
    if not 0 < len(head) <= _GROUP or len(last) != _GROUP:
        return False
    sizes = {len(group) for group in middle}
    return sizes <= {_GROUP} or (sizes == {_LEAST_GROUP} and len(head) <= _LEAST_GROUP)


class _Sums:
    """The numbers of a column up to a row, without totals: which sums do the last of them have?"""

    def __init__(self) -> None:
        self._sum, self._count = Decimal(0), 0
        self._first = {self._sum: 0}
        """After how many numbers the column had a sum first."""

    def add(self, cell: str | None) -> None:
        if cell is not None:
            self._sum, self._count = self._sum + Decimal(cell), self._count + 1
            self._first.setdefault(self._sum, self._count)

    def end_with(self, cell: str, least: int) -> bool:
        """Whether a number is the sum of the last `least` or more, but for the last digit."""
        value = Decimal(cell)
        step = Decimal(1).scaleb(int(value.as_tuple().exponent))
        befores = (self._sum - value + rounded for rounded in (0, step, -step))
        latest = self._count - least
        return any(self._first.get(each, latest + 1) <= latest for each in befores)


def total_rows(
    labels: Sequence[str], filled: Sequence[bool], numbers: Sequence[Sequence[str | None]]
) -> list[bool]:
    """Which rows are totals: their label says so, and they have a number.

    A label that may be a name needs numbers, half of them at least, that are sums of those right
    above it: of two or more, or of one or more for a subtotal.

    Args:
        labels: The first text of each row, or "".
        filled: Whether each row has a number, a date or a time.
        numbers: The columns of numbers.
    """
    totals = [
        full and bool(_TOTAL.fullmatch(label)) for label, full in zip(labels, filled, strict=True)
    ]
    perhaps = [bool(_PERHAPS.fullmatch(label)) for label in labels]
    if not any(perhaps):
        return totals
    sums = [_Sums() for _ in numbers]
    for row, cells in enumerate(zip(*numbers, strict=True)):
        if perhaps[row] and not totals[row]:
            least = 1 if labels[row].casefold().endswith((" ergebnis", " gesamt", " summe")) else 2
            given = [(column, cell) for column, cell in zip(sums, cells, strict=True) if cell]
            added = sum(column.end_with(cell, least) for column, cell in given)
            totals[row] = added > 0 and 2 * added >= len(given)
        if not totals[row]:
            for column, cell in zip(sums, cells, strict=True):
                column.add(cell)
    return totals
