"""Cells of workbooks as texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from hopyard.indexes.documents.readers.marks import join_runs
from hopyard.indexes.documents.readers.number_format import elapsed, shown

_ESCAPED: Final = re.compile(r"_x([0-9A-Fa-f]{4})_")
"""A sign that XML cannot hold. Source: ECMA-376, part 1, 22.9.2.19, ST_Xstring."""

Area = tuple[int, int, int, int]
"""First and last row, first and last column, from 0."""


def filled(rows: Iterable[list[str]], merged: Sequence[Area]) -> Iterator[list[str]]:
    """The rows with the text of a merged cell in each of its rows, in its first column."""
    starts = {(top, left): (bottom, right) for top, bottom, left, right in merged if bottom > top}
    waiting: dict[int, tuple[int, str]] = {}
    for number, row in enumerate(rows):
        for column, (bottom, text) in list(waiting.items()):
            if number <= bottom and column < len(row) and not row[column]:
                row[column] = text
        for column in range(len(row)):
            if end := starts.get((number, column)):
                waiting[column] = (end[0], row[column])
        yield row


def dated(number: float, number_format: str, *, from_1904: bool) -> Any:
    """The day, time or time span that a number stands for in its format; others as they are."""
    from openpyxl.styles.numbers import is_date_format, is_timedelta_format
    from openpyxl.utils.datetime import CALENDAR_MAC_1904, CALENDAR_WINDOWS_1900, from_excel

    if not is_date_format(number_format):
        return number
    try:
        return from_excel(
            number,
            CALENDAR_MAC_1904 if from_1904 else CALENDAR_WINDOWS_1900,
            timedelta=is_timedelta_format(number_format),
        )
    except (OverflowError, ValueError):
        return number


def cell_text(value: Any, number_format: str) -> str:
    """The text of a cell as Excel shows it; days and times in the international form."""
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, (date, datetime)):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, timedelta):
        return elapsed(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, (int, float)):
        return shown(value, number_format)
    text = join_runs(map(_run, value)) if isinstance(value, list) else str(value)
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _run(part: Any) -> tuple[str, bool]:
    """A stretch of a cell's text, and whether it is raised."""
    return str(part), getattr(getattr(part, "font", None), "vertAlign", "") == "superscript"
