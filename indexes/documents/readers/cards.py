"""Calendars and address books: the lines of iCalendar (RFC 5545) and vCard (RFC 6350)."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from hopyard.indexes.documents.readers.base import Content, Source
from hopyard.indexes.documents.readers.text import decoded, text_blocks
from hopyard.indexes.passages.markdown import table_lines

_FIELDS: Final = {
    "SUMMARY": "Event",
    "DTSTART": "Begin",
    "DTEND": "End",
    "DUE": "Due",
    "LOCATION": "Place",
    "DESCRIPTION": "About",
    "ORGANIZER": "Organiser",
    "ATTENDEE": "Attendee",
    "RRULE": "Repeats",
    "EXDATE": "Except",
    "STATUS": "Status",
    "COMMENT": "Comment",
    "FN": "Name",
    "ORG": "Organisation",
    "TITLE": "Position",
    "TEL": "Telephone",
    "EMAIL": "Mail",
    "ADR": "Address",
    "BDAY": "Birthday",
    "URL": "Page",
    "NOTE": "Note",
}
"""The fields that are read, with the names of their columns."""
_RECORDS: Final = ("VEVENT", "VTODO", "VJOURNAL", "VCARD")
"""The parts with such fields. Others are time zones, with the day of their rule, and alarms."""
_ABOUT: Final = re.compile(
    r';(?:CN=(?:"([^"]*)"|([^";]+))|PARTSTAT=(?!NEEDS-ACTION)([A-Z-]+)|(?:TYPE=)?"?((?:HOME|WORK|'
    r"CELL|FAX)(?:[,;](?:HOME|WORK|CELL|FAX))*)\b)",
    re.IGNORECASE,
)
_MARKS: Final = {"n": "\n", "N": "\n"}
_TIME: Final = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?\d\d(Z?))?")
_ZONE: Final = re.compile(r';TZID="?([^";]+)', re.IGNORECASE)
_LINE: Final = re.compile(r'((?:[^":]|"[^"]*")*):(.*)')
_NAME: Final = re.compile(r"^(?:X-WR-CALNAME|NAME)\b[^:\n]*:(.+)$", re.MULTILINE)


def read_cards(source: Source) -> Iterator[Content]:
    """Events, tasks or people, each a row of a table."""
    text = unfolded("".join(text_blocks(source)))
    records = list(_records(text))
    columns = [name for name in _FIELDS.values() if any(name in record for record in records)]
    rows = [[", ".join(record.get(name, ())) for name in columns] for record in records]
    name = _NAME.search(text)
    table = (f"{line}\n" for line in table_lines([columns, *rows]))
    yield Content(name[1].strip() if name else "", table if rows else [])


def event_text(text: str) -> str:
    """An invitation as lines: what, when, where, who."""
    return "\n".join(
        f"{name}: {value}"
        for record in _records(unfolded(text))
        for name, values in record.items()
        for value in values
    )


def unfolded(text: str) -> str:
    """A text with each field on one line."""
    return re.sub(r"\n[ \t]", "", text.replace("\r\n", "\n"))


def _records(text: str) -> Iterator[dict[str, list[str]]]:
    """The fields of each record, by their columns."""
    within: list[str] = []
    record: dict[str, list[str]] = {}
    lines = iter(text.split("\n"))
    for line in lines:
        parts = _LINE.fullmatch(line)
        name, value = parts.groups() if parts else line.partition(":")[::2]
        field = name.partition(";")[0].rpartition(".")[2].upper()
        if field == "BEGIN":
            within.append(value.strip().upper())
        elif field == "END":
            if within and within.pop() in _RECORDS and record:
                yield record
                record = {}
        elif (not within or within[-1] in _RECORDS) and (label := _FIELDS.get(field)):
            if "QUOTED-PRINTABLE" in name.upper():  # as vCard 2.1 folds and writes it
                folded = [value]
                while folded[-1].endswith("=") and (more := next(lines, "")):
                    folded.append(more)
                value = decoded(quopri.decodestring("\n".join(folded).encode()))
            record.setdefault(label, []).append(_value(name, value, field))
    if record:  # its end is missing
        yield record


def _value(name: str, value: str, field: str) -> str:
    if field in ("ADR", "ORG"):  # of several parts
        value = ", ".join(filter(None, re.split(r"(?<!\\);", value)))
    value = re.sub(r"\\([,;nN\\])", lambda sign: _MARKS.get(sign[1], sign[1]), value)
    if time := _TIME.fullmatch(value):
        zone = _ZONE.search(name)
        value = f"{time[1]}-{time[2]}-{time[3]}"
        value += f" {time[4]}:{time[5]}" if time[4] else ""
        value += " UTC" if time[6] else f" {zone[1]}" if zone else ""
    about = ", ".join(filter(None, chain.from_iterable(_ABOUT.findall(name))))
    value = re.sub("^mailto:", "", value, flags=re.IGNORECASE)
    return f"{value} ({about})" if about else value
