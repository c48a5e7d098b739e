"""Faults that users of other document tools reported, each with a small input of our own.

The reports: mailparser 351, stalwart mail-parser 29, cpython 79728, MSGReader 211, php-imap 198 and
mailparser 71 (mails); trafilatura 58, 531 and 829, html-to-markdown 200, yari 4205 (web pages);
docling 1324 (slides); MinerU 5357, docxtractr 33, docling 3355 (Word); pandas 58128 (Excel);
pdf-reader 143, Unstructured 3864, PdfPig 568 (PDF); csv 586 (PHP League); kudu 1116 (archives).
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from hopyard.indexes.documents.readers.archives import read_tar, read_zip
from hopyard.indexes.documents.readers.base import Part, Source
from hopyard.state.metadata import known_value

from ..zips import saved
from .conftest import Read
from .docxs import cell, docx, item, paragraph, row

HEAD = b"From: Ann <ann@x.org>\r\nDate: Tue, 05 Mar 2024 00:30:00 +0100\r\n"


def mail(text: bytes, kind: str = "text/plain; charset=utf-8", more: bytes = b"") -> bytes:
    head = HEAD + more + b"MIME-Version: 1.0\r\nContent-Transfer-Encoding: 8bit\r\n"
    return head + f"Content-Type: {kind}\r\n\r\n".encode() + text


def parts(*blocks: str) -> bytes:
    return "".join(f"--b\r\n{block}\r\n" for block in blocks).encode() + b"--b--\r\n"


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("Prüfung der Schleuse".encode("cp1252"), "Prüfung der Schleuse"),
        ("发信方已撤回邮件：测试测试".encode("gb18030"), "发信方已撤回邮件：测试测试"),
        ("Договор о поставке зерна".encode("cp1251"), "Договор о поставке зерна"),
        (b"[SPAM]=?utf-8?B?VGhlIGZpcnN0?=", "[SPAM]The first"),
        (b"=?UTF-8?Q?TT_6543?=\r\n =?UTF-8?Q?0619_=E2=80=93_New?=", "TT 65430619 – New"),
    ],
)
def test_subjects_in_other_encodings(read: Read, subject: bytes, title: str) -> None:
    content, _, _ = read("a.eml", mail(b"Text.", more=b"Subject: " + subject + b"\r\n"))
    assert content.title == title


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [
        ("text/plain", "cp1252"),
        ("text/plain; charset=x-unknown", "cp1252"),
        ("text/plain; charset=us-ascii", "utf-8"),
        ("text/plain; charset=utf-8", "cp1252"),
        ("text/plain; charset=iso-8859-1", "utf-8"),
        ("text/plain; charset=iso-8859-1", "cp1252"),
        ("text/html", "utf-8"),
    ],
)
def test_bodies_whose_encoding_is_wrong_or_not_named(read: Read, kind: str, encoding: str) -> None:
    body = "Grüße aus Köln – der Kaffee in München kostet 5 €."
    given = f"<meta charset='{encoding}'><p>{body}</p>" if kind == "text/html" else body
    _, text, _ = read("a.eml", mail(given.encode(encoding), kind))
    assert text == body


@pytest.mark.parametrize(
    ("kind", "body", "shown"),
    [
        # The boundary of the head is not that of the body: the parts cannot be told apart.
        ("multipart/mixed; boundary=z", parts("\r\nThe gate is shut."), "The gate is shut."),
        (
            "multipart/report; boundary=b",
            parts(
                "\r\nNot delivered.",
                "Content-Type: message/delivery-status\r\n\r\nStatus: 5.1.1",
                "Content-Type: text/rfc822-headers\r\n\r\nSubject: Order 4471",
            ),
            "Not delivered.\n\nStatus: 5.1.1\n\nSubject: Order 4471",
        ),
        (
            "multipart/mixed; boundary=b",
            parts("Content-Type: text/enriched\r\n\r\nRich words."),
            "Rich words.",
        ),
    ],
)
def test_parts_of_other_kinds_are_text(read: Read, kind: str, body: bytes, shown: str) -> None:
    _, text, _ = read("a.eml", mail(body, kind), whole="=z" not in kind)
    assert shown in text


def test_a_mail_tells_its_date_in_both_zones_and_who_got_a_copy(read: Read) -> None:
    more = b"To: Ben <ben@x.org>\r\nCc: Cleo <c@x.org>, d@x.org\r\n"
    content, text, _ = read("a.eml", b"\xef\xbb\xbf" + mail(b"Text.", more=more))
    assert text == "Text."
    assert content.metadata == {
        "author": "Ann <ann@x.org>",
        "to": "Ben <ben@x.org>",
        "cc": "Cleo <c@x.org>, d@x.org",
        "date": "2024-03-05T00:30:00+01:00",
        "date_utc": "2024-03-04T23:30:00+00:00",
    }


@pytest.mark.parametrize(
    ("head", "date"),
    [
        (b"Date: 2024-03-05 10:30\r\n", "2024-03-05 10:30"),
        (b"Received: from a; Tue, 5 Mar 2024 10:30:00 -0000\r\n", "2024-03-05T10:30:00"),
    ],
)
def test_dates_of_mails_in_other_places(read: Read, head: bytes, date: str) -> None:
    content, _, _ = read("a.eml", b"From: a@x.org\r\n" + head + b"\r\nText.")
    assert content.metadata["date"] == date


def slide(*boxes: tuple[str, float, float]) -> bytes:
    pptx = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    for text, left, top in boxes:
        place = [pptx.util.Inches(number) for number in (left, top, 3, 0.5)]
        shapes.add_textbox(*place).text_frame.text = text
    return saved(deck)


@pytest.mark.parametrize(
    ("boxes", "order"),
    [
        ([("pears", 1, 3), ("Autumn", 1, 2.4), ("plums", 1, 1.6), ("Summer", 1, 1)],
         ["Summer", "plums", "Autumn", "pears"]),
        ([("Right", 5, 1), ("Left", 1, 1), ("right text", 5, 1.6), ("left text", 1, 1.6)],
         ["Left", "left text", "Right", "right text"]),
        ([("upper", 1, 1), ("on it", 1.5, 1.2), ("first", 0, 0.2)], ["first", "upper", "on it"]),
    ],
)  # fmt: skip
def test_shapes_are_read_by_their_places(
    read: Read, boxes: list[tuple[str, float, float]], order: list[str]
) -> None:
    _, text, _ = read("a.pptx", slide(*boxes))
    assert text.strip().split("\n\n") == order


def test_lists_and_hyphens_in_cells_and_a_dropped_capital(read: Read) -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        '<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    hyphen = "<w:r><w:t>NCI</w:t><w:noBreakHyphen/><w:t>CTCAE</w:t></w:r>"
    body = paragraph("T", properties='<w:framePr w:dropCap="drop"/>') + paragraph("he quay opens.")
    body += "<w:tbl>" + row("Term", "Rules")
    body += row(cell(paragraph(hyphen)), cell(item("deliver") + item("invoice"))) + "</w:tbl>"
    _, text, _ = read("a.docx", docx(body, {"numbering.xml": numbering}))
    assert text.startswith("The quay opens.\n\n")
    assert text.splitlines()[-1] == "| NCI-CTCAE | 1. deliver 2. invoice |"


def workbook(fill: Callable[[Any], object]) -> bytes:
    book = pytest.importorskip("openpyxl").Workbook()
    fill(book)
    return saved(book)


def test_workbooks_that_openpyxl_does_not_read(read: Read) -> None:
    def fill(book: Any) -> None:
        book.active.append(["item", "code"])
        book.active.append(["a", "0x005F_FFFF"])
        book.create_chartsheet("Empty chart")

    _, text, unread = read("a.xlsx", workbook(fill))
    assert "| a | 0x005F_FFFF |" in text
    assert [part.place for part in unread] == ["number formats"]


@pytest.mark.parametrize(
    ("json", "text"),
    [
        (
            '{"time": ["08:00", "09:00"], "tide": [1.20, 0.8]}',
            "| time | tide |\n|---|---|\n| 08:00 | 1.20 |\n| 09:00 | 0.8 |",
        ),
        (
            '{"columns": ["Berth", "Fee"], "data": [["A", 5], ["B", 6]]}',
            "columns: Berth, Fee\n\n# data\n\n| Berth | Fee |\n|---|---|\n| A | 5 |\n| B | 6 |",
        ),
        ('{"pros": ["near", "dry"], "cons": ["old", "far"]}', "pros: near, dry\ncons: old, far"),
        ('{"at": [1, 2], "to": [3, 4], "empty": {}}', "at: 1, 2\nto: 3, 4\nempty: "),
        (
            '[{"name": "Ada", "tags": {"a": [{"b": 1}]}}, "a note"]',
            "# Ada\n\nname: Ada\n\n## tags\n\n### a\n\n#### 1\n\nb: 1\n\n# 2\n\na note",
        ),
    ],
)  # fmt: skip
def test_tables_by_columns_and_notes_between_objects(read: Read, json: str, text: str) -> None:
    found = read("a.json", json.encode())[1]
    assert [line for line in found.splitlines() if line] == [*filter(None, text.splitlines())]


def test_names_in_archives_of_other_programs() -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        entry = zipfile.ZipInfo("note.txt")
        entry.filename = "old\\note.txt"
        archive.writestr(entry, "Text.")
    source = Source("a.zip", lambda: io.BytesIO(stream.getvalue()))
    assert [part.name for part in read_zip(source) if isinstance(part, Part)] == ["old/note.txt"]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", encoding="latin-1") as tar:
        tar.addfile(tarfile.TarInfo("größe.txt"), io.BytesIO(b""))
    source = Source("a.tar", lambda: io.BytesIO(packed.getvalue()))
    assert [part.name for part in read_tar(source) if isinstance(part, Part)] == ["größe.txt"]


@pytest.mark.parametrize("name", ["date", "Date", "pubDate", "published_at", "datePublished"])
def test_names_of_a_date(name: str) -> None:
    assert known_value({name: "2024-03-05"}, "date") == "2024-03-05"
