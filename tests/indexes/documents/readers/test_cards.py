"""Calendars and address books become tables, by real programs' ways to write them."""

from pathlib import Path

import pytest

from hopyard.indexes.documents.loaders import load

CALENDAR = b"""BEGIN:VCALENDAR\r
X-WR-CALNAME:Family\r
BEGIN:VTIMEZONE\r
TZID:Europe/Berlin\r
BEGIN:DAYLIGHT\r
DTSTART:19810329T020000\r
RRULE:FREQ=YEARLY;BYMONTH=3\r
END:DAYLIGHT\r
END:VTIMEZONE\r
BEGIN:VEVENT\r
UID:1@family\r
DTSTART;TZID=Europe/Berlin:20250512T083000\r
SUMMARY:Dentist\\, Jan\r
DESCRIPTION:Bring the let\r
 ter\\nand the card | both\r
BEGIN:VALARM\r
DESCRIPTION:This is an event reminder of your calendar program\r
END:VALARM\r
END:VEVENT\r
BEGIN:VTODO\r
DUE;VALUE=DATE:20250630\r
SUMMARY:Cancel the gym\r
END:VTODO\r
END:VCALENDAR\r
"""
PEOPLE = b"""BEGIN:VCARD
VERSION:3.0
N:Nowak;Ewa;;;
FN:Ewa Nowak
ORG:Mazury Tours;Boats
item1.TEL;TYPE=CELL,VOICE:+48 600 555 011
TEL;WORK:+48 87 555 12
ADR;TYPE=HOME:;;Port 3;Mikolajki;;11-730;Poland
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD
 AABBCCDD
BDAY:1980-05-12
END:VCARD
BEGIN:VCARD
VERSION:2.1
FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen =
L=C3=BCders
END:VCARD
"""


DAYS = b"""\xef\xbb\xbfBEGIN:VEVENT
SUMMARY:Fair
DTSTART;VALUE=DATE:20250501
DTEND;VALUE=DATE:20250504
RRULE:FREQ=WEEKLY;UNTIL=20251231T000000Z
EXDATE;TZID=Mars/X:20250508T100000,20250515T100000
END:VEVENT
BEGIN:VEVENT
SUMMARY:Odd
DTSTART;VALUE=DATE:20250501
DTEND;VALUE=DATE:20250501
BEGIN:VALARM
DESCRIPTION:Soon
END:VALARM
END:VEVENT
"""
OLD = b"""BEGIN:VCARD
N;CHARSET=ISO-8859-2;ENCODING=QUOTED-PRINTABLE:=A3uk;Ewa
TEL;TYPE=VOICE,WORK:22334455
NOTE;ENCODING=QUOTED-PRINTABLE:two=0D=0A=
lines
END:VCARD
BEGIN:VCARD
FN:Boss
TEL:1
AGENT:
BEGIN:VCARD
FN:Jan
TEL:2
END:VCARD
END:VCARD
"""


@pytest.mark.parametrize(
    ("name", "data", "title", "text"),
    [
        pytest.param("family.ics", CALENDAR, "Family", (
            "| Event | Begin | Due | About |\n|---|---|---|---|\n"
            "| Dentist, Jan | 2025-05-12 08:30 Europe/Berlin |  | Bring the letter and the card "
            "\\| both |\n"
            "| Cancel the gym |  | 2025-06-30 |  |\n"
        ), id="a calendar"),
        pytest.param("people.vcf", PEOPLE, "people", (
            "| Name | Organisation | Telephone | Address | Birthday |\n|---|---|---|---|---|\n"
            "| Ewa Nowak | Mazury Tours, Boats | +48 600 555 011 (CELL), +48 87 555 12 (WORK) | "
            "Port 3, Mikolajki, 11-730, Poland (HOME) | 1980-05-12 |\n"
            "| Jürgen Lüders |  |  |  |  |\n"
        ), id="an address book"),
        pytest.param("days.ics", DAYS, "days", (
            "| Event | Begin | End | Repeats | Except |\n|---|---|---|---|---|\n"
            "| Fair | 2025-05-01 | 2025-05-03 | FREQ=WEEKLY;UNTIL=2025-12-31 00:00 UTC | "
            "2025-05-08 10:00 Mars/X,2025-05-15 10:00 Mars/X |\n"
            "| Odd | 2025-05-01 | 2025-05-01 |  |  |\n"
        ), id="whole days end before the day that is written"),
        pytest.param("old.vcf", OLD, "old", (
            "| Name | Telephone | Note |\n|---|---|---|\n"
            "| Łuk, Ewa | 22334455 (WORK) | two lines |\n| Jan | 2 |  |\n| Boss | 1 |  |\n"
        ), id="a name in parts, a telephone like a date, a card in a card"),
        pytest.param("genes.vcf", b"##fileformat=VCFv4.2\n##NOTE:x\n1\t1000\trs12\n", "genes", (
            "##fileformat=VCFv4.2\n##NOTE:x\n1\t1000\trs12\n"
        ), id="no address book"),
        pytest.param("a.ics", b"BEGIN:VEVENT\nSUMMARY:Tide", "a", (
            "| Event |\n|---|\n| Tide |\n"
        ), id="without an end"),
        # icalendar 238, libical 427
        pytest.param("a.ics", "BEGIN:VEVENT\r\nSUMMARY:Café Übung".encode()[:-5] + b"\r\n "
                     + "Café Übung".encode()[-5:], "a", (
            "| Event |\n|---|\n| Café Übung |\n"
        ), id="folded within a letter"),
        # nuovo/vCard-parser 25, node-vcard 4
        pytest.param("a.vcf", b"BEGIN:VCARD\nFN;quoted-printable:Bo=C3=A9 Lind=\nTEL:+46123", "a", (
            "| Name | Telephone |\n|---|---|\n| Boé Lind | +46123 |\n"
        ), id="a field after a sign of a fold"),
    ],
)  # fmt: skip
def test_records_are_rows(tmp_path: Path, name: str, data: bytes, title: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    found = load([path])
    [document] = found.documents
    assert (document.title, str(document.text)) == (title, text)
    assert not found.incomplete
