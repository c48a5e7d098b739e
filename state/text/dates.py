"""Dates as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from email.utils import parsedate_to_datetime
from typing import Final

_MONTHS: Final = (
    "january jan januar janvier janv enero ene gennaio gen janeiro januari",
    "february feb februar février fevrier févr fév febrero febbraio febr fevereiro fev februari",
    "march mar märz maerz mrz mars marzo março marco maart mrt",
    "april apr avril avr abril abr aprile",
    "may mai mayo maggio mag maio mei maj",
    "june jun juni juin junio giugno giu junho",
    "july jul juli juillet juil julio luglio lug julho",
    "august aug août aout agosto ago augustus augusti",
    "september sep sept septembre septiembre settembre set setembro",
    "october oct oktober okt octobre octubre ottobre ott outubro out",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro",
)
"""English, German, French, Spanish, Italian, Portuguese, Dutch and Swedish names."""
_MONTH_OF: Final = {
    name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()
}
_MONTH: Final = len("2024-03")
_SHORT_YEAR: Final = 2
_TURN: Final = 70
_CLOCK: Final = r"(?:,?\s+(?:at |um |à )?\d{1,2}[:.h]\d\d.*)?"
"""The time of a day, which is not read."""
_SLASHES: Final = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_FORMS: Final = tuple(
    map(
        re.compile,
        (
            r"(?P<year>\d{4})[/.年년-]\s?(?P<month>\d{1,2}|[^\W\d]+)[/.月월-]\s?(?P<day>\d{1,2})[日일.]?"
            r"(?:[t ].*)?",
            r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4}|\d{2})" + _CLOCK,
            r"(?P<day>\d{1,2})-(?P<month>[^\W\d]+)-(?P<year>\d{4}|\d{2})" + _CLOCK,
            r"(?:[^\W\d]+,?\s+)?(?:le |el )?(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s+"
            r"(?:de |of )?"
            r"(?P<month>[^\W\d]+)\.?,?\s+(?:de |del )?(?P<year>\d{4})" + _CLOCK,
            r"(?:[^\W\d]+,\s+)?(?P<month>[^\W\d]+)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+"
            r"(?P<year>\d{4})" + _CLOCK,
            r"(?P<month>[^\W\d]+)\.?,?\s+(?:de |del )?(?P<year>\d{4})",
        ),
    )
)
_IN_NAME: Final = re.compile(
    r"(?<!\d)(?:(?P<year>(?:19|20)\d\d)(?P<between>[-_. ]?)(?P<month>\d\d)(?P=between)(?P<day>\d\d)"
    r"|(?P<day_>\d\d)\.(?P<month_>\d\d)\.(?P<year_>(?:19|20)\d\d))(?!\d)"
)

_HEAD: Final = 600
"""Characters at the beginning of a document in which its date is looked for."""
_DATED: Final = re.compile(
    r"(?:date(?:d| of (?:the )?(?:meeting|invoice|issue)| de la réunion)?"
    r"|(?:meeting|invoice|issue) date|datum|(?:sitzungs|rechnungs|ausstellungs)datum|stand"
    r"|fecha|data|dato|日付|日期|날짜|작성일)\W{1,5}(?=\w)(.+)",
    re.IGNORECASE,
)
_PLACED: Final = re.compile(
    r"(?:[^\W\d]{2,}(?: [^\W\d]+){0,2}, (?:den |the |le )?)?(?:[^\W\d]+(?:day|tag|dag|di), )?"
    r"(\d.*\d{4}|[^\W\d]+ \d{1,2},? \d{4})$"
)


def iso_date(text: str) -> str | None:
    """A written date as `2024-03-05` or `2024-03`; None if the text is no date or has two readings.

    `03/05/2024` may be a day of March or of May, so it does not count; `25/03/2024` does. A year of
    two digits is from 1970 to 2069.
    """
    words = " ".join(text.split()).casefold()
    if found := _SLASHES.fullmatch(words):
        days = {_day(found[3], found[2], found[1]), _day(found[3], found[1], found[2])} - {None}
        return days.pop() if len(days) == 1 else None
    for form in _FORMS:
        if found := form.fullmatch(words):
            month = found["month"]
            number = month if month.isdecimal() else _MONTH_OF.get(month)
            day = found.groupdict().get("day", "1")
            if number and (date_ := _day(found["year"], number, day)):
                return date_ if "day" in found.groupdict() else date_[:_MONTH]
            return None
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except ValueError:
        return None


def day_in_name(name: str) -> str | None:
    """The day in the name of a file, as in `2025-04-08-minutes` or `Invoice_20250408`.

    Returns:
        None if it has none, or several and begins with none of them.
    """
    found: dict[str, int] = {}
    for match in _IN_NAME.finditer(name):
        parts = (match[part] or match[f"{part}_"] for part in ("year", "month", "day"))
        if day := _day(*parts):
            found.setdefault(day, match.start())
    begins = [day for day, place in found.items() if place == 0]
    return next(iter(begins or (found if len(found) == 1 else ())), None)


def day_in_head(text: str) -> str | None:
    """The day that the first lines of a document give as its date.

    A line gives it under a name, as in `Date: 9 March 2026` or `| Datum | 17.02.2026 |`, or as all
    that it says but for a place: `Hull, 9 March 2026`. None if no line gives one, or if lines of
    the text are several days and nothing else, as in a diary.
    """
    if day := next(_days(_DATED, text[:_HEAD]), None):
        return day
    day = next(_days(_PLACED, text[:_HEAD]), None)
    return day if day and all(other == day for other in _days(_PLACED, text)) else None


def _days(form: re.Pattern[str], text: str) -> Iterator[str]:
    """The days of the lines that have a form."""
    lines = (line.strip(" \t|*_#") for line in text.splitlines())
    for found in filter(None, map(form.match, lines)):
        first = re.split(r"(?<=\d{4})[.;|(]|(?<=\d)\s+[|–—·•]", found[1])[0].strip(" |*_")
        day, beside = iso_date(first), found[1].split("|")[1:2]
        # A row of dates is the head of a table.
        if day and len(day) > _MONTH and not any(iso_date(cell.strip()) for cell in beside):
            yield day


def _day(year: str, month: str | int, day: str) -> str | None:
    century = 0 if len(year) > _SHORT_YEAR else 1900 if int(year) >= _TURN else 2000
    try:
        return date(century + int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
