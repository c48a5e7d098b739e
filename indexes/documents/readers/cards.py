"""Calendars and address books: the lines of iCalendar (RFC 5545) and vCard (RFC 6350)."""

from __future__ import annotations

import quopri
import re
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from typing import Final

from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.text import decode, decoded
from hopyard.indexes.passages.markdown import table_lines

_FIELDS: Final = {
    "SUMMARY": "Event",
    "DTSTART": "Begin",
    "DTEND": "End",
    "DURATION": "Duration",
    "DUE": "Due",
    "COMPLETED": "Completed",
    "LOCATION": "Place",
    "DESCRIPTION": "About",
    "ORGANIZER": "Organiser",
    "ATTENDEE": "Attendee",
    "CONTACT": "Contact",
    "RRULE": "Repeats",
    "RDATE": "Also",
    "EXDATE": "Except",
    "RECURRENCE-ID": "Instead of",
    "STATUS": "Status",
    "COMMENT": "Comment",
    "N": "Name",
    "FN": "Name",
    "NICKNAME": "Nickname",
    "ORG": "Organisation",
    "TITLE": "Position",
    "ROLE": "Role",
    "TEL": "Telephone",
    "EMAIL": "Mail",
    "IMPP": "Messages",
    "ADR": "Address",
    "BDAY": "Birthday",
    "ANNIVERSARY": "Anniversary",
    "CATEGORIES": "Categories",
    "URL": "Page",
    "NOTE": "Note",
}
"""The fields that are read, with the names of their columns. `N` is the name without an `FN`."""
_OF_PARTS: Final = ("ADR", "ORG", "N")
_TIMES: Final = (
    *("DTSTART", "DTEND", "DUE", "COMPLETED", "RRULE", "RDATE", "EXDATE", "RECURRENCE-ID"),
    *("BDAY", "ANNIVERSARY"),
)
_RECORDS: Final = ("VEVENT", "VTODO", "VJOURNAL", "VCARD")
"""The parts with such fields. Others are time zones, with the day of their rule, and alarms."""
_BEGIN: Final = re.compile(r"^BEGIN:V", re.MULTILINE | re.IGNORECASE)
_ABOUT: Final = re.compile(
    r';CN=(?:"([^"]*)"|([^";]+))|;PARTSTAT=(?!NEEDS-ACTION)([A-Z-]+)'
    r"|[;,=\"](HOME|WORK|CELL|FAX|PAGER)\b",
    re.IGNORECASE,
)
_MARKS: Final = {"n": "\n", "N": "\n"}
_TIME: Final = re.compile(
    r"(?<!\d)(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?\d\d(Z?))?(?![\dT])", re.ASCII
)
_ZONE: Final = re.compile(r';TZID="?([^";]+)', re.IGNORECASE)
_LINE: Final = re.compile(r'((?:[^":]|"[^"]*")*):(.*)')
_FIELD: Final = re.compile(rf"(?:{'|'.join(_FIELDS)}|END)[;:]")
_CHARSET: Final = re.compile(r";CHARSET=\"?([^\";]+)", re.IGNORECASE)
_TITLE: Final = re.compile(r"^(?:X-WR-CALNAME|NAME)\b[^:\n]*:(.+)$", re.MULTILINE)
_Record = dict[str, list[str]]


def read_cards(source: Source) -> Iterator[Content]:
    """Events, tasks or people, each a row of a table. Another text of this name is read as text."""
    text = unfolded(decode(joined(source.read()), source))
    records = list(_records(text)) if _BEGIN.search(text) else []
    if not records:
        yield Content("", [text], "text")
        return
    columns = [name for name in dict.fromkeys(_FIELDS.values()) if any(name in r for r in records)]
    rows = ([", ".join(record.get(name, ())) for name in columns] for record in records)
    title = _TITLE.search(text)
    lines = (f"{line}\n" for line in table_lines([columns, *rows]))
    yield Content(title[1].strip() if title else "", lines)


def event_text(text: str) -> str:
    """An invitation as lines: what, when, where, who."""
    return "\n".join(
        f"{name}: {value}"
        for record in _records(unfolded(text))
        for name, values in record.items()
        for value in values
    )


def joined(data: bytes) -> bytes:
    """The bytes of a file without folds: some programs fold within a letter (RFC 5545, 3.1)."""
    return data if b"\0" in data else re.sub(rb"\r?\n[ \t]", b"", data)  # UTF-16 has no such folds


def unfolded(text: str) -> str:
    """A text with each field on one line."""
    return re.sub(r"\n[ \t]", "", text.replace("\r\n", "\n"))


def _records(text: str) -> Iterator[_Record]:
    """The fields of each record, by their columns. A record in another is one of its own."""
    within: list[tuple[str, _Record]] = [("VCARD", {})]  # of fields whose beginning is missing
    lines = deque(text.split("\n"))
    while lines:
        line = lines.popleft()
        parts = _LINE.fullmatch(line)
        name, value = parts.groups() if parts else line.partition(":")[::2]
        field = name.partition(";")[0].rpartition(".")[2].strip().upper()
        if field == "BEGIN":
            within.append((value.strip().upper(), {}))
        elif field == "END":
            if len(within) > 1:
                yield from _whole(*within.pop())
        elif field in _FIELDS and within[-1][0] in _RECORDS:
            if "QUOTED-PRINTABLE" in name.upper():  # as vCard 2.1 folds and writes it
                folded = [value]
                while folded[-1].endswith("=") and lines and not _FIELD.match(lines[0]):
                    folded.append(lines.popleft())
                charset = _CHARSET.search(name)
                data = quopri.decodestring("\n".join(folded).encode())
                value = decoded(data, charset[1] if charset else "")
            within[-1][1].setdefault(field, []).append(_value(name, value, field))
    for record in within:  # whose end is missing
        yield from _whole(*record)


def _whole(kind: str, fields: _Record) -> Iterator[_Record]:
    """A record by its columns, if it is one. The end of a whole day's event is its last day."""
    if kind not in _RECORDS or not fields:
        return
    if "FN" in fields:
        fields.pop("N", None)
    for place, end in enumerate(fields.get("DTEND", ())):
        with suppress(ValueError, OverflowError):
            last = (date.fromisoformat(end) - timedelta(days=1)).isoformat()
            fields["DTEND"][place] = max(last, *fields.get("DTSTART", [last]))
    yield {_FIELDS[field]: values for field, values in fields.items()}


def _value(name: str, value: str, field: str) -> str:
    if field in _OF_PARTS:
        value = ", ".join(filter(None, re.split(r"(?<!\\);", value)))
    value = re.sub(r"\\([,;nN\\])", lambda sign: _MARKS.get(sign[1], sign[1]), value)
    if field in _TIMES:
        zone = _ZONE.search(name)
        value = _TIME.sub(lambda time: _time(time, f" {zone[1]}" if zone else ""), value)
    about = ", ".join(filter(None, (part for found in _ABOUT.findall(name) for part in found)))
    value = re.sub("^(?:mailto|tel):", "", value, flags=re.IGNORECASE)
    return f"{value} ({about})" if about else value


def _time(time: re.Match[str], zone: str) -> str:
    year, month, day, hour, minute, world = time.groups()
    clock = f" {hour}:{minute}" if hour else ""
    return f"{year}-{month}-{day}{clock}{' UTC' if world else zone if clock else ''}"
