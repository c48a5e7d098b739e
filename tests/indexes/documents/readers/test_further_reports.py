"""More faults that users of other document tools reported, each with a small input of our own.

The reports: Unstructured 801, zulip 23188, mail-parser 86 and django-mailbox 34 (names of
encodings), fs2-mail 37 and mailarchive 3515 (base64), eml-parse-js 47 and eml_parser 24 (headers);
pdf-inspector 318, pypdf 3145 and pdf2htmlEX 109 (text outside the page), pypdf 1351 and pdfplumber
1280 (ligatures); ExcelDataReader 497 and openpyxl 46 (raised letters); DeploymentFramework 210,
roo-xls 42 and DocumentServer 1373 (workbooks in one XML file); turbohtml 384 (lists).
"""

from __future__ import annotations

import re
from base64 import b64encode
from typing import Any

import pytest

from ..zips import rewritten, saved
from .conftest import Read
from .pdfs import drawn

HEAD = b"From: Ann <ann@x.org>\r\nSubject: Rent\r\nDate: Tue, 05 Mar 2024 00:30:00 +0100\r\n"
QUAY = "Geschäft am Kai neun"
"""20 letters, 21 bytes: its base64 needs no padding."""


@pytest.mark.parametrize(
    ("name", "codec", "text"),
    [
        ("x-gbk", "gbk", "你好世界"),
        ("gb_2312-80", "gb2312", "你好世界"),
        ("iso-8859-8-i", "iso8859-8", "שלום עולם"),
        ("x-mac-roman", "mac_roman", "Müller"),
        ("cp-850", "cp850", "Müller"),
        ("x-windows-949", "cp949", "안녕하세요"),
    ],
)
def test_encodings_that_programs_name_in_their_own_way(
    read: Read, name: str, codec: str, text: str
) -> None:
    kind = f"Content-Type: text/plain; charset={name}\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    assert read("a.eml", HEAD + kind.encode() + b64encode(text.encode(codec)))[1] == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b64encode(QUAY.encode()) + b"\r\n____\r\nThe list", f"{QUAY}\n\n____\nThe list"),
        (
            b64encode(QUAY.encode()) + b"\r\nTo leave the list\r\nvisit x.org",
            f"{QUAY}\n\nTo leave the list\nvisit x.org",
        ),
        (b64encode(f"{QUAY}!".encode()).rstrip(b"=") + b"\r\n-- \r\nlist", f"{QUAY}!\n\n-- \nlist"),
        (b"".join(map(b64encode, (b"Rent ", b"is ", b"5 euros"))), "Rent is 5 euros"),
    ],
)
def test_base64_in_pieces_and_above_plain_lines(read: Read, body: bytes, text: str) -> None:
    kind = b"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    assert read("a.eml", HEAD + kind + body)[1] == text


@pytest.mark.parametrize(
    "mail",
    [
        b"\r\n\r\n" + HEAD + b"\r\nThe rent is due.",
        b"\xef\xbb\xbf" + HEAD + b"\r\nThe rent is due.",
        b"#! rnews 1042\r\n" + HEAD + b"\r\nThe rent is due.",
        HEAD + b'\r\n\r\nContent-type: multipart/mixed; \r\n\tboundary="0"\r\n\r\n--0\r\n'
        b"Content-type: text/plain\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"The rent is =\r\ndue.\r\n--0--\r\n",
    ],
)
def test_headers_below_other_lines_and_in_two_pieces(read: Read, mail: bytes) -> None:
    content, text, _ = read("a.eml", mail)
    assert (content.title, content.metadata["author"]) == ("Rent", "Ann <ann@x.org>")
    assert text == "The rent is due."


@pytest.mark.parametrize("turn", [0, 90])
def test_words_outside_the_page_are_counted_and_not_read(read: Read, turn: int) -> None:
    """A page of two columns that was cut in the middle: the file still has the other column."""

    def draw(canvas: Any) -> None:
        canvas.setPageSize((842, 595) if turn else (595, 842))  # reportlab writes it turned
        for row, words in enumerate(("The rent is", "due in May")):
            canvas.drawString(50, 700 - 14 * row, words)
            canvas.drawString(330, 700 - 14 * row, "Other column")
        canvas.setCropBox((0, 0, 300, 842))
        canvas.setPageRotation(turn)

    text = read("a.pdf", drawn(draw))[1]
    assert " ".join(text.split()) == "The rent is due in May"


def test_letters_that_a_font_gives_no_meaning_are_counted(read: Read) -> None:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))  # reportlab has it

    def draw(canvas: Any) -> None:
        canvas.setFont("Vera", 12)
        canvas.drawString(50, 700, "The office is open for all")

    data = drawn(draw, pageCompression=0)
    named = re.sub(rb"<(66|46)> <0066>", rb"<\1> <0000>", data)
    assert named != data
    _, text, unread = read("a.pdf", named)
    assert text.split()[:2] == ["The", "o\ufffd\ufffdice"]
    assert [(each.place, each.reason) for each in unread] == [
        ("page 1", "the file does not say which 3 letters it shows, such as ligatures")
    ]
    assert read("a.pdf", data)[2] == []


def test_raised_letters_of_a_cell(read: Read) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(["count", "106 cells"])
    spreadsheet = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    texts = (
        f"<sst xmlns='{spreadsheet}'><si><r><t>10</t></r><r><rPr><vertAlign val='superscript'/>"
        "</rPr><t>6</t></r><r><t xml:space='preserve'> cells</t></r></si></sst>"
    )

    def change(name: str, text: str) -> str:
        if name == "[Content_Types].xml":
            kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
            part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/>'
            return text.replace("</Types>", f"{part}</Types>")
        return re.sub(r't="inlineStr"><is><t>106 cells</t></is>', 't="s"><v>0</v>', text)

    data = rewritten(saved(book), change, {"xl/sharedStrings.xml": texts})
    assert "| count | 10^6 cells |" in read("a.xlsx", data)[1]


BOOK = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"
 xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:h="http://www.w3.org/TR/REC-html40">
<Styles><Style ss:ID="p"><NumberFormat ss:Format="Percent"/></Style></Styles>
<Worksheet ss:Name="Fees"><Table>
<Row><Cell><Data ss:Type="String">Zone</Data></Cell><Cell><Data ss:Type="String">Day</Data></Cell>
<Cell><Data ss:Type="String">Fee</Data></Cell><Cell><Data ss:Type="String">Share</Data></Cell></Row>
<Row><Cell ss:MergeDown="1"><Data ss:Type="String">A</Data></Cell>
<Cell><Data ss:Type="DateTime">2024-03-05T00:00:00.000</Data></Cell>
<Cell ss:Index="4" ss:StyleID="p"><Data ss:Type="Number">0.075</Data></Cell></Row>
<Row><Cell ss:Index="2"><Data ss:Type="String"><h:B>Sun</h:B>day</Data></Cell>
<Cell ss:MergeAcross="1"><Data ss:Type="Number">14</Data></Cell></Row>
</Table></Worksheet></Workbook>"""


@pytest.mark.parametrize("name", ["a.xls", "a.xml"])
def test_a_workbook_in_one_xml_file_is_a_table(read: Read, name: str) -> None:
    assert [row for row in read(name, BOOK.encode())[1].splitlines() if row] == [
        "# Fees",
        "| Zone | Day | Fee | Share |",
        "|---|---|---|---|",
        "| A | 2024-03-05 |  | 7.50% |",
        "| A | Sunday | 14 |  |",
    ]
