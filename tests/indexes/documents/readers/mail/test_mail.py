"""Mails as programs nest them: every text is in the body, every other part is a document.

Faults that users of other tools reported: ripMIME 26, mail 1213, mail-api 74,
mailcore2 1744, ailang 678.
"""

from __future__ import annotations

import time
from base64 import b64encode
from pathlib import Path

import pytest

from hopyard.indexes.documents.loaders import load

Parts = tuple[str, ...]


def part(text: str, kind: str = "text/plain", name: str = "", *headers: str) -> str:
    file = [f'Content-Disposition: attachment; filename="{name}"'] if name else []
    return "\n".join([f"Content-Type: {kind}", *file, *headers, "", text])


def parts(kind: str, *inner: str) -> str:
    edge = f"edge{len(''.join(inner))}"
    body = "".join(f"--{edge}\n{each}\n" for each in inner)
    return f'Content-Type: multipart/{kind}; boundary="{edge}"\n\n{body}--{edge}--\n'


def test_a_mail_is_read_in_time_that_its_length_allows(tmp_path: Path) -> None:
    nested = part("Come.")
    for number in range(40):
        nested = (
            f"Content-Type: multipart/alternative; boundary=b{number}x\n\n--b{number}x\n{nested}"
        )
    flowed = part("abcdefghij \n" * 100_000, "text/plain; format=flowed")
    began = time.process_time()
    for name, mail, words in (("a", nested, 1), ("b", flowed, 100_000)):
        path = tmp_path / f"{name}.eml"
        path.write_text(f"Subject: Ebb\n{mail}")
        [document] = load([path]).documents
        assert len(str(document.text).split()) == words
    assert time.process_time() - began < 20


INNER = "From: mate@b.example\nSubject: Ebb\n\nThe pier falls dry at noon."
EVENT = (
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tide\\, low\n{}\nLOCATION:Gate 4\nEND:VEVENT\n"
    "END:VCALENDAR"
)


def invitation(time: str) -> str:
    return parts("alternative", part("Come."), part(EVENT.format(time), "text/calendar"))


@pytest.mark.parametrize(
    ("mail", "texts"),
    [
        pytest.param(
            parts("alternative", part("Fees below."), parts(
                "mixed", part("<p>Fees below.</p>", "text/html"), part("a,b", "text/csv", "f.csv"),
            )),
            {"": "Fees below.", "f.csv": "| a | b |"}, id="a file in a form"),
        pytest.param(
            parts("mixed", part("Fees."), part("a,b", "text/csv", "fees")),
            {"": "Fees.", "fees.csv": "| a | b |"}, id="a name without a suffix"),
        pytest.param(
            parts("mixed", part("See."), part(
                b64encode(INNER.encode()).decode(), "message/rfc822", "m.eml",
                "Content-Transfer-Encoding: base64")),
            {"": "See.", "m.eml": "The pier falls dry at noon."}, id="a forward in base64"),
        pytest.param(
            parts("mixed", part("See."), part(INNER, "message/rfc822", "Ebb today")),
            {"": "See.", "Ebb today.eml": "The pier falls dry at noon."}, id="a named forward"),
        pytest.param(
            parts("mixed", part("See."), part(INNER, "message/rfc822")),
            {"": "See.", "Ebb.eml": "The pier falls dry at noon."}, id="a forward without a name"),
        pytest.param(
            parts("mixed", part("One."), part("<p>Two <b>7 m</b></p>", "text/html")),
            {"": "One.\n\nTwo **7 m**"}, id="a page after the text"),
        pytest.param(
            parts("mixed", part("One."), part("x", "image/png", "p.png"), part("Two.")),
            {"": "One.\n\nTwo."}, id="text after a picture"),
        pytest.param(
            parts("mixed",
                  parts("mixed", part("One."), part("Fee.", name="n.txt")), part("Leave?")),
            {"": "One.\n\nLeave?", "n.txt": "Fee."}, id="the foot of a list"),
        pytest.param(
            parts("signed", parts("mixed", part("One."), part("Fee.", name="n.txt")),
                  part("xx", "application/pkcs7-signature", "smime.p7s")),
            {"": "One.", "n.txt": "Fee."}, id="a signed mail"),
        pytest.param(
            invitation("DTSTART:20260309T130000Z"),
            {"": "Come.\n\nEvent: Tide, low\nBegin: 2026-03-09 13:00 UTC\nPlace: Gate 4"},
            id="an invitation"),
        pytest.param(
            invitation("DTSTART;TZID=Europe/Oslo:20260309T130000"),
            {"": "Come.\n\nEvent: Tide, low\nBegin: 2026-03-09 13:00 Europe/Oslo\nPlace: Gate 4"},
            id="an invitation with a zone"),
        pytest.param(
            invitation("DTSTART;VALUE=DATE:20260309"),
            {"": "Come.\n\nEvent: Tide, low\nBegin: 2026-03-09\nPlace: Gate 4"},
            id="an invitation for a day"),
        pytest.param(
            parts("mixed", part("A", name="a.txt"), part("B", name="a.txt"), part("Two.")),
            {"": "Two.", "a.txt": "A", "a.txt (2)": "B"}, id="equal names"),
    ],
)  # fmt: skip
def test_all_parts_are_read(tmp_path: Path, mail: str, texts: dict[str, str]) -> None:
    path = tmp_path / "a.eml"
    path.write_text(f"From: ann@a.example\nSubject: Notes\nMIME-Version: 1.0\n{mail}")
    report = load([path])
    read = {
        each.source.partition(" › ")[2]: str(each.text).partition("\n|---")[0].strip()
        for each in report.documents
    }
    assert (read, report.bad, report.incomplete) == (texts, [], [])


@pytest.mark.parametrize(
    "header",
    [
        "Date: Fri, 31 Dec 9999 23:00:00 -1200",
        "Date: 5 Jan 99999999999999999999 10:00",
        'Cc: a:b:c@x.example;, "',
        "Content-Type: text/plain; charset*=a\0'en'x; name*0*",
        'Content-Type: text/plain; charset="utf\0"',
        "Content-Disposition: inline; filename*",
        "X: -----BEGIN PGP SIGNED MESSAGE-----\n\n-----BEGIN PGP SIGNED MESSAGE-----",
    ],
)
def test_a_mail_with_a_broken_header_is_read(tmp_path: Path, header: str) -> None:
    path = tmp_path / "a.eml"
    path.write_text(f"Subject: Ebb\n{header}\n\nCome at noon.")
    [document] = load([path]).documents
    assert (document.title, str(document.text)) == ("Ebb", "Come at noon.")


@pytest.mark.parametrize("left", [-2, -3, -5])
def test_a_forward_in_base64_that_ends_too_early_loses_no_mail(tmp_path: Path, left: int) -> None:
    forward = part(b64encode(INNER.encode()).decode()[:left], "message/rfc822", "m.eml")
    path = tmp_path / "a.eml"
    path.write_text(f"Subject: Ebb\n{parts('mixed', part('See.'), forward)}")
    assert str(load([path]).documents[0].text) == "See."


def test_an_ordinary_mail_may_have_the_suffix_of_outlook(tmp_path: Path) -> None:
    (tmp_path / "a.msg").write_bytes(b"Subject: Rent\nFrom: ann@x.org\n\nIt is due on Monday.\n")

    [document] = load([tmp_path]).documents

    assert (document.title, document.text.strip()) == ("Rent", "It is due on Monday.")


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ('Content-Disposition: attachment; filename==?utf-8?B?dGlkZXMudHh0?=', "tides.txt"),
        ("Content-Disposition: attachment;\n filename*0*=\"''tid%65s\";\n filename*1*=\"%2Etx\";\n"
         " filename*2=t", "tides.txt"),
        ('Content-Disposition: attachment;\n filename*0="tides of";\n filename*1=" May.tx";\n'
         ' filename*2="t"', "tides of May.txt"),
        ("Content-Disposition: attachment; filename=\"=?iso-8859-1?Q?L=F6we=2C_2000?=.txt\"",
         "Löwe, 2000.txt"),
        ("Content-Disposition: inline;\n filename*=utf-8''Capture%20d%E2%80%99e%CC%81cran.txt",
         "Capture d’écran.txt"),
    ],
)  # fmt: skip
def test_names_of_attachments(tmp_path: Path, header: str, name: str) -> None:
    path = tmp_path / "a.eml"
    path.write_text(
        "Subject: S\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nText.\n"
        f"--b\n{header}\n\nGate 4.\n--b\nContent-Type: message/rfc822\n"
        "Content-Disposition: attachment\n\nFrom: a@b\n\nInner.\n--b--\n"
    )
    sources = {each.source.partition(" › ")[2]: str(each.text) for each in load([path]).documents}
    assert sources == {"": "Text.", name: "Gate 4.", "attachment 2.eml": "Inner."}
