"""Filters: conditions on metadata that a search keeps to, as in `--where 'date>=2024-01'`.

A condition is `FIELD OPERATOR VALUE`. The operators are `=`, `!=`, `<`, `<=`, `>` and `>=`. After
`=` and `!=` several values may stand, separated by commas; a value with a comma is quoted. Several
conditions must all hold.

Text is compared without regard to case, a number as a number. In a text `*` stands for any
characters: `source=reports/*.pdf`. A date may be given in part:
`date=2024-01` is any day of that month, and `date>2024` begins with 2025.
"""

from __future__ import annotations

import csv
import io
import json
import operator
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, lru_cache
from typing import Any, Final

from hopyard.state.metadata import MetadataValue, is_date_field
from hopyard.state.text.dates import iso_date
from hopyard.state.text.unicode import storable_text

_FORM: Final = re.compile(r"\s*([^=!<>]*?)\s*(!=|<=|>=|==?|<|>)\s*(.*?)\s*", re.DOTALL)
_SIGNS: Final = re.compile(r"[=!<>]+")
_MEANT: Final[Mapping[str, str]] = {"=>": ">=", "=<": "<=", "=!": "!=", "<>": "!=", "><": "!="}
"""Operators as some people write them."""
_DATE: Final = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
_COMPARE: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_DECEMBER: Final = 12


@dataclass(frozen=True)
class Condition:
    """One condition on a field.

    Attributes:
        field: The field's name.
        operator: `=`, `!=`, `<`, `<=`, `>` or `>=`.
        values: The value of the comparison; several values only after `=` and `!=`.
    """

    field: str
    operator: str
    values: tuple[str, ...]

    @cached_property
    def of_date(self) -> bool:
        """Whether it compares the date of a document."""
        return is_date_field(self.field) and any(map(_span, self.values))

    @property
    def plain_texts(self) -> list[str] | None:
        """The texts after `=`, `folded`; None if other texts may equal them, as `2024-01` does."""
        if self.operator != "=" or any("*" in value or _given(value)[1] for value in self.values):
            return None
        return [folded(value) for value in self.values]

    def holds(self, found: Sequence[MetadataValue]) -> bool:
        """Whether it holds for what a passage has in the field.

        Args:
            found: The passage's values; several for a passage on several pages. Without a value
                only `!=` holds.
        """
        if self.of_date:  # a year in front matter is a number
            found = [str(value) if type(value) is int else value for value in found]
        if self.operator == "!=":
            return not any(_equal(value, given) for value in found for given in self.values)
        if self.operator == "=":
            return any(_equal(value, given) for value in found for given in self.values)
        return any(_ordered(value, self.operator, self.values[0]) for value in found)


def parse_condition(text: str) -> Condition:
    """Read a condition.

    Raises:
        ValueError: It has another form or operator, or compares text by `<` and its like.
    """
    text = storable_text(text)
    match = _FORM.fullmatch(text)
    if match is None or not match[1] or not match[3]:
        raise ValueError(
            f"{text!r} is not a condition; write FIELD=VALUE, as in source=Wired, "
            f"'date>=2024-01' or "
            "'author!=Ann,Ben'"
        )
    field, sign, given = match.groups()
    if more := _SIGNS.match(given):
        raise ValueError(_wrong_operator(text, field, sign + more[0], given[more.end() :].strip()))
    if sign in _COMPARE:
        if _number(given) is None and _span(given) is None:
            raise ValueError(
                f"{text!r} compares text; {sign} takes a number, or a date such as 2024, 2024-01 "
                "or 2024-01-31"
            )
        return Condition(field, sign, (given,))
    [row] = csv.reader([re.sub(r"[\r\n]", " ", given)], skipinitialspace=True)
    values = tuple(value.strip() for value in row if value.strip())
    if not values:
        raise ValueError(f"{text!r} has no value")
    return Condition(field, "!=" if sign == "!=" else "=", values)


def is_date(value: MetadataValue) -> bool:
    """Whether a filter can read a value as a date."""
    return not isinstance(value, bool) and _span(str(value)) is not None


def day_of(value: MetadataValue) -> str | None:
    """The day that a value is, or that a moment is in; None for a month, a year or no date."""
    span = None if isinstance(value, bool) else _span(str(value))
    return span[0].date().isoformat() if span and span[1] - span[0] <= timedelta(days=1) else None


def condition_texts(value: object) -> object:
    """One condition, several, or a mapping of fields to values, as a list of conditions.

    A key of a mapping may end in an operator: `{"date>=": "2024", "source": ["Wired", "BBC"]}`.
    Anything else is returned as it is.
    """
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):  # agents write a list or a mapping as text
            written = json.loads(value) if value.lstrip()[:1] in {"[", "{"} else None
            if isinstance(written, (list, dict)):
                return condition_texts(written)
        return [value] if value.strip() else []
    if isinstance(value, Mapping):
        return [_condition_text(str(name), given) for name, given in value.items()]
    return value


def _condition_text(name: str, given: object) -> str:
    values = [*given] if isinstance(given, (list, tuple, set, frozenset)) else [given]
    sign = "" if name.rstrip().endswith(("=", "<", ">")) else "="
    row = io.StringIO()
    quoted = bool(values) and _SIGNS.match(str(values[0])) is not None
    csv.writer(
        row, lineterminator="", quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
    ).writerow(values)
    return f"{name}{sign}{row.getvalue()}"


def _wrong_operator(text: str, field: str, signs: str, value: str) -> str:
    if meant := _MEANT.get(signs):
        cure = f"write {f'{field}{meant}{value}'!r}"
    else:
        cure = "the operators are =, !=, <, <=, > and >="
    return (
        f"{text!r} has the unknown operator {signs}: {cure}, or quote a value that begins with "
        "such a sign"
    )


def _equal(value: MetadataValue, given: str) -> bool:
    if isinstance(value, bool):
        return folded(given) == str(value).casefold()
    if isinstance(value, str):
        instant, span = _given(given)
        if span and (begins := _span(value, instant=instant)):
            return span[0] <= begins[0] < span[1]
        return _pattern(given).fullmatch(folded(value.strip())) is not None
    return value == _number(given)


@lru_cache(maxsize=64)
def _pattern(given: str) -> re.Pattern[str]:
    parts = folded(given).split("*")
    return re.compile(".*".join(map(re.escape, parts)), re.DOTALL)


def folded(text: str) -> str:
    """A text as it is compared: without capitals, and each letter with its accent as one."""
    return unicodedata.normalize("NFC", text).casefold()


def _ordered(value: MetadataValue, sign: str, given: str) -> bool:
    number = _number(value)
    instant, span = _given(given)
    if isinstance(value, str) and span and (begins := _span(value, instant=instant)):
        # `>2024` and `<=2024` look at the end of what was given, which is the next one's beginning.
        end = sign in {">", "<="}
        compare = operator.ge if sign in {">", ">="} else operator.lt
        return bool(compare(begins[0], span[1] if end else span[0]))
    limit = _number(given)
    return number is not None and limit is not None and _COMPARE[sign](number, limit)


def _number(value: MetadataValue) -> float | None:
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def _span(text: str, *, instant: bool = False) -> tuple[datetime, datetime] | None:
    """The time that a date, a part of one or a moment stands for: its beginning, and its end.

    A moment is compared with a day as its own clock shows it, because that is the day that is
    listed; with another moment as an instant.
    """
    text = text.strip()
    match = _DATE.fullmatch(text)
    try:
        if not match and _is_moment(text):
            moment = datetime.fromisoformat(text)
            if not instant or moment.tzinfo is None:
                moment = moment.replace(tzinfo=UTC)
            return moment, moment + timedelta(seconds=1)
        if not match and (match := _DATE.fullmatch(iso_date(text) or "")) is None:
            return None
        year, month, day = (int(part) if part else None for part in match.groups())
        start = datetime(year or 0, month or 1, day or 1, tzinfo=UTC)
        if day:
            return start, start + timedelta(days=1)
        if month and month < _DECEMBER:
            return start, start.replace(month=month + 1)
        return start, start.replace(year=start.year + 1, month=1)
    except (ValueError, OverflowError):
        return None


@lru_cache(maxsize=64)
def _given(text: str) -> tuple[bool, tuple[datetime, datetime] | None]:
    """Whether what a condition gives is a moment, and the time that it stands for."""
    instant = _is_instant(text)
    return instant, _span(text, instant=instant)


def _is_instant(text: str) -> bool:
    return _DATE.fullmatch(text.strip()) is None and _is_moment(text.strip())


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
