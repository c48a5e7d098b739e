"""Dates as people write them."""

from __future__ import annotations

import re
from datetime import date
from email.utils import parsedate_to_datetime
from typing import Final

__all__ = ("iso_date",)

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
_SLASHES: Final = re.compile(r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})")
_FORMS: Final = tuple(
    map(
        re.compile,
        (
            r"(?P<year>\d{4})[/.年-]\s?(?P<month>\d{1,2})[/.月-]\s?(?P<day>\d{1,2})[日.]?"
            r"(?:[t ].*)?",
            r"(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})",
            r"(?:[^\W\d]+,?\s+)?(?:le |el )?(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?\s+"
            r"(?:de |of )?"
            r"(?P<month>[^\W\d]+)\.?,?\s+(?:de |del )?(?P<year>\d{4})",
            r"(?:[^\W\d]+,\s+)?(?P<month>[^\W\d]+)\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+"
            r"(?P<year>\d{4})",
        ),
    )
)


def iso_date(text: str) -> str | None:
    """The day of a written date, as in `2024-03-05`; None if the text has no day or two readings.

    `03/05/2024` may be a day of March or of May, so it has no day; `25/03/2024` is not.
    """
    words = " ".join(text.split()).casefold()
    if found := _SLASHES.fullmatch(words):
        days = {_day(found[3], found[2], found[1]), _day(found[3], found[1], found[2])} - {None}
        return days.pop() if len(days) == 1 else None
    for form in _FORMS:
        if found := form.fullmatch(words):
            month = found["month"]
            number = month if month.isdecimal() else _MONTH_OF.get(month)
            return _day(found["year"], number, found["day"]) if number else None
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except ValueError:
        return None


def _day(year: str, month: str | int, day: str) -> str | None:
    try:
        return date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None
