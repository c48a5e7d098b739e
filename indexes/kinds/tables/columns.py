"""The types of a table's columns, and the values of their cells as DuckDB reads them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Final, NamedTuple

from hopyard.indexes.kinds.tables.numbers import (
    Written,
    decimal_mark,
    number_of,
    total_rows,
    written_number,
)
from hopyard.state.text.dates import iso_date

TOTAL: Final = "is_total"
"""The column that marks rows which repeat others: totals and subtotals."""

_NOTHING: Final = frozenset(
    (
        *("", "-", "–", "—", "−", "/", "n/a", "na", "n.a.", "nan", "null", "none", "k. a.", "k.a."),
        *("…", "...", "#n/a", "#div/0!", "#ref!", "#value!", "#name?", "#num!", "#null!"),
        *("#", "nm", "n.m.", "n/m"),  # not meaningful
    )
)
_LEAST_SHARE: Final = 0.8
"""Share of the cells with a value that must fit a type. The others become a column of texts."""
_TRIED: Final = 20
"""Cells that are tried first: if none fits, no cell is."""
_MOST_UNITS: Final = 8
"""Different units of one column, at most."""
_SHARES: Final = frozenset("%‰")
"""Units that do not hold for numbers without them."""
_LONG: Final = 18
"""Digits of a 64-bit integer."""
_MOST_DIGITS: Final = 38
"""Digits of DuckDB's DECIMAL, at most."""
_LONGEST_NAME: Final = 60
_NUMBERS: Final = ("BIGINT", "DECIMAL", "DOUBLE")
_TAKEN: Final = ("rowid",)
"""DuckDB's own number of each row."""
_SLASHES: Final = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})(.*)")
_CLOCK: Final = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d))?")


class Column(NamedTuple):
    """A column, in JSON's types."""

    name: str
    """Its name in SQL: letters, digits and `_`."""
    label: str
    """Its header in the document."""
    type: str
    """Its type in DuckDB."""
    derived: bool = False
    """Whether it says something about another column or the row: units, left texts, totals."""
    unit: str = ""
    """The unit that is in its cells, such as `EUR` or `%`."""
    values: tuple[str, ...] = ()
    """Its different texts, the most frequent first, where they are few; of many a sample."""
    distinct: int = 0
    """How many different texts it has; 0 where it has no texts."""


Cells = list[str | None]
Typed = tuple[Column, Cells]
_MOST_VALUES: Final = 20
_SAMPLE: Final = 5
LONGEST_VALUE: Final = 80


def typed_columns(labels: Sequence[str], rows: Sequence[Sequence[str]]) -> list[Typed]:
    """The columns of a table with their cells; None stands for an empty cell.

    A column is a number, a date or a time if four of five cells are; those that are not become
    a column of texts beside it. Numbers with different units get a column of units.
    """
    texts = [[row[place].strip() for row in rows] for place in range(len(labels))]
    written = [_numbers(cells) for cells in texts]
    found = [number for numbers in written if numbers for number in numbers if number]
    usual = decimal_mark(found) or ""
    columns: list[Typed] = []
    for label, cells, numbers in zip(labels, texts, written, strict=True):
        columns += _typed(label, cells, numbers, usual)
    totals = _totals(columns)
    if any(totals):
        flags: Cells = [str(total).lower() for total in totals]
        columns.append((Column(TOTAL, "", "BOOLEAN", derived=True), flags))
    names = unique_names([column.name for column, _ in columns])
    named = zip(columns, names, strict=True)
    return [(column._replace(name=name), cells) for (column, cells), name in named]


def sql_name(label: str, fallback: str = "column") -> str:
    """A header as a name that needs no quotation marks, unless it is a word of SQL."""
    plain = unicodedata.normalize("NFKC", label).lower()
    name = re.sub(r"\W+", "_", plain).strip("_")[:_LONGEST_NAME].strip("_")
    return f"_{name}" if name[:1].isdecimal() else name or fallback


def unique_names(names: Sequence[str]) -> list[str]:
    """Names, each once: `price`, `price_2`. No name is `rowid`."""
    taken = set(_TAKEN)
    unique: list[str] = []
    for name in names:
        free, number = name, 2
        while free in taken:
            free, number = f"{name}_{number}", number + 1
        taken.add(free)
        unique.append(free)
    return unique


def _totals(columns: Sequence[Typed]) -> list[bool]:
    texts = [cells for column, cells in columns if column.type == "VARCHAR"]
    others = [cells for column, cells in columns if column.type != "VARCHAR"]
    if not texts or not others:
        return []
    labels = [next(filter(None, row), "") or "" for row in zip(*texts, strict=True)]
    filled = [any(cell is not None for cell in row) for row in zip(*others, strict=True)]
    numbers = [cells for column, cells in columns if column.type.startswith(_NUMBERS)]
    return total_rows(labels, filled, numbers)


def _typed(label: str, cells: list[str], numbers: list[Written | None], usual: str) -> list[Typed]:
    name, filled = sql_name(label), sum(not _is_nothing(cell) for cell in cells)
    for made in (_as_numbers(cells, numbers, usual), _as_times(cells), _as_dates(cells)):
        if made is None:
            continue
        kind, unit, values, units = made
        left = [
            cell if value is None and not _is_nothing(cell) else None
            for cell, value in zip(cells, values, strict=True)
        ]
        rest = sum(cell is not None for cell in left)
        if not filled or filled - rest < _LEAST_SHARE * filled:
            continue
        typed = [(Column(name, label, kind, False, unit), values)]
        if units:
            typed.append(_texts(f"{name}_unit", f"units of {label}", units, derived=True))
        if rest:
            typed.append(_texts(f"{name}_text", f"texts in {label}", left, derived=True))
        return typed
    return [_texts(name, label, [cell or None if filled else None for cell in cells])]


def _texts(name: str, label: str, cells: Cells, *, derived: bool = False) -> Typed:
    counted = Counter(cell for cell in cells if cell)
    most = _MOST_VALUES if len(counted) <= _MOST_VALUES else _SAMPLE
    shown = [text for text, _ in counted.most_common(most)]
    values = tuple(text[:LONGEST_VALUE] for text in shown)
    return Column(name, label, "VARCHAR", derived, "", values, len(counted)), cells


_Made = tuple[str, str, Cells, Cells]
"""Type, unit, values, and the units of the rows where they differ."""


def _is_nothing(cell: str) -> bool:
    return cell.casefold().lstrip("$€£¥ ") in _NOTHING


def _numbers(cells: Sequence[str]) -> list[Written | None]:
    """The number in each cell; none at all where the first cells are texts."""
    filled = [cell for cell in cells if not _is_nothing(cell)][:_TRIED]
    if not any(map(written_number, filled)):
        return []
    return [written_number(cell) for cell in cells]


def _as_numbers(cells: Sequence[str], numbers: list[Written | None], usual: str) -> _Made | None:
    found = [number for number in numbers if number]
    mark = decimal_mark(found)
    if not found or mark is None or _has_codes(cells):
        return None
    read = [number and number_of(number, mark or usual) for number in numbers]
    values = [value for value in read if value is not None]
    if not values:
        return None
    kind = _number_type(values)
    plain = [None if value is None else f"{value:f}" for value in read]
    units: Cells = [number.unit or None if number else None for number in numbers]
    given = {unit for unit in units if unit}
    plainly = sum(number is not None and not number.unit for number in numbers)
    if not given or (len(given) == 1 and not (given & _SHARES and plainly)):
        return kind, "".join(given), plain, []  # a sign in some rows, as in reports, holds for all
    if len(given) > _MOST_UNITS or all(len(unit) == 1 and unit.isalpha() for unit in given):
        return None  # house numbers, seats
    return kind, "", plain, units


def _has_codes(cells: Sequence[str]) -> bool:
    """Whether a cell has zeros in front, so that the column holds codes."""
    return any(re.fullmatch(r"0\d+", cell) for cell in cells)


def _number_type(values: Sequence[Decimal]) -> str:
    scale = max(max(0, -int(value.as_tuple().exponent)) for value in values)
    whole = max(len(f"{value.copy_abs():.0f}") for value in values)
    if scale == 0 and whole <= _LONG:
        return "BIGINT"
    return "DOUBLE" if whole + scale > _MOST_DIGITS else f"DECIMAL({_MOST_DIGITS},{scale})"


def _as_times(cells: Sequence[str]) -> _Made | None:
    """Times of a day; spans of more than a day in seconds."""
    found = [_CLOCK.fullmatch(cell) for cell in cells]
    if not any(found):
        return None
    spans = [
        int(clock[1]) * 3600 + int(clock[2]) * 60 + int(clock[3] or 0) if clock else None
        for clock in found
    ]
    if max(span or 0 for span in spans) >= 24 * 3600:
        return "BIGINT", "seconds", [None if span is None else str(span) for span in spans], []
    return "TIME", "", [None if span is None else _clock(span) for span in spans], []


def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds % 3600 // 60:02}:{seconds % 60:02}"


def _as_dates(cells: Sequence[str]) -> _Made | None:
    """Days, or moments where a cell has a clock.

    `3/5/2024` counts only in a column that shows which of the two is the day.
    """
    filled = [cell for cell in cells if not _is_nothing(cell)][:_TRIED]
    if not any(_day(cell, "") for cell in filled):
        return None
    orders = {order for cell in cells if (order := _order(cell))}
    if len(orders) > 1:
        return None
    order = "".join(orders)
    days = [_day(cell, order) for cell in cells]
    if not any(day and day[1] for day in days):
        return "DATE", "", [day and day[0] for day in days], []
    return "TIMESTAMP", "", [day and f"{day[0]} {day[1] or '00:00:00'}" for day in days], []


def _order(cell: str) -> str:
    """`dm` or `md` where a date with slashes shows it, else ""."""
    found = _SLASHES.fullmatch(cell)
    if not found or (int(found[1]) > 12) == (int(found[2]) > 12):
        return ""
    return "dm" if int(found[1]) > 12 else "md"


def _day(cell: str, order: str) -> tuple[str, str] | None:
    """The day of a cell, and its time or ""."""
    number = written_number(cell)
    if not any(map(str.isdecimal, cell)) or (number and number_of(number, "") is not None):
        return None
    text, clock = cell, ""
    if found := _CLOCK.search(cell):
        rest = cell[found.end() :].strip()
        if int(found[1]) > 23 or rest not in ("", "Z"):
            return None
        clock = _clock(int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3] or 0))
        text = cell[: found.start()].strip().rstrip("T,")
    if slashes := _SLASHES.fullmatch(text):
        first, second = slashes[1], slashes[2]
        day, month = (second, first) if order == "md" else (first, second)
        if not order and first != second:
            return None if int(first) <= 12 and int(second) <= 12 else _day(cell, _order(text))
        text = f"{slashes[3]}-{month:0>2}-{day:0>2}"
    day_text = iso_date(text)
    return (day_text, clock) if day_text and len(day_text) == len("2024-03-01") else None
