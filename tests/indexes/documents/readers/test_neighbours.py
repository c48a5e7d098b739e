"""Kinds of inputs that public reports about other tools name, rebuilt as small files."""

from __future__ import annotations

import io
import json
from base64 import encodebytes
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.documents.loaders import load
from hopyard.indexes.documents.readers.archives import read_mbox
from hopyard.indexes.documents.readers.base import Allowance, Source
from hopyard.state.errors import CorpusError

from ..zips import saved
from .conftest import Read
from .docxs import cell, docx, item, paragraph, row, run
from .pdfs import drawn, raised

LEVELS = "".join(
    f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
    f'<w:lvlText w:val="{text}"/></w:lvl>'
    for level, form, text in ((0, "decimal", "%1."), (1, "lowerLetter", "%2)"), (2, "bullet", "•"))
)
LISTS = {
    "numbering.xml": f'<w:abstractNum w:abstractNumId="0">{LEVELS}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
}
PICTURE = (
    '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
    'wordprocessingDrawing"><wp:docPr id="1" name="Picture 1" descr="{}"/></wp:inline>'
    "</w:drawing></w:r>"
)
BOX = (
    "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>{0}"
    "</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>"
    "<w:txbxContent>{0}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent>"
    "</w:r>"
)
LONG = "Der Kran über Gate 5 hebt 480 kg. Bitte räumen Sie den Kai bis 9 Uhr morgens."
HEAD = "Subject: S\nFrom: ann@a.example\nContent-Type: text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param(  # docling-project/docling#3950: a cover page is a control with a picture
            f"<w:sdt><w:sdtContent>{paragraph(PICTURE.format('A crane'))}{paragraph('Cover')}"
            "</w:sdtContent></w:sdt>" + paragraph("Text"),
            "[A crane]\n\nCover\n\nText", id="a control with a picture"),
        pytest.param(
            paragraph(PICTURE.format("A pier&#10;&#10;Description automatically generated"))
            + paragraph(PICTURE.format("scan 1.png") + run("Text")),
            "[A pier]\n\n[scan] Text", id="descriptions by programs"),
        pytest.param(  # docling-project/docling#4185
            item("A", 1) + item("B", 2) + item("C", 1) + item("D"),
            "  a) A\n    - B\n  b) C\n1. D", id="a list that begins inside"),
        pytest.param(  # a box in a cell is beside the heads of its row and column
            f"<w:tbl>{row('Item', 'Fee')}"
            f"{row(cell(paragraph(BOX.format(paragraph('Crane 7')))), '40')}</w:tbl>",
            "| Item | Fee |\n| --- | --- |\n| Crane 7 | 40 |", id="a box in a cell"),
        pytest.param(  # docling-project/docling#528: rows and cells within controls
            f"<w:tbl>{row('Item', 'Fee')}<w:sdt><w:sdtContent>{row('Rope', '5')}</w:sdtContent>"
            f"</w:sdt><w:tr><w:sdt><w:sdtContent>{cell('Bolt')}</w:sdtContent></w:sdt>{cell('6')}"
            "</w:tr></w:tbl>",
            "| Item | Fee |\n| --- | --- |\n| Rope | 5 |\n| Bolt | 6 |", id="a row in a control"),
    ],
)  # fmt: skip
def test_word(read: Read, body: str, text: str) -> None:
    assert read("a.docx", docx(body, LISTS))[1] == text


def test_pages_within_a_feed(read: Read) -> None:
    feed = (
        "<rss><channel><item><title>Ebb</title><description>&lt;p&gt;Dry &lt;b&gt;pier&lt;/b&gt;, "
        "R&amp;amp;D&lt;/p&gt;</description><body><![CDATA[<ul><li>one</li><li>two</li></ul>]]>"
        "</body><note>5 &lt; 6</note></item></channel></rss>"
    )
    assert read("a.rss", feed.encode())[1] == (
        "title: Ebb\ndescription: Dry **pier**, R&D\nbody: - one\n- two\nnote: 5 < 6\n\n"
    )


def test_headers_of_sheets_are_read_once(read: Read) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet("Two")):
        sheet.append([sheet.title])
        sheet.oddHeader.center.text = '&"Arial,Bold"Tide && ebb of 2024'
        sheet.oddFooter.right.text = "Page &P of &N"
    book.active.evenFooter.left.text = "Draft"
    text = read("a.xlsx", saved(book))[1]
    words = " ".join(text.split())
    assert words == "# Sheet Sheet Tide & ebb of 2024 Page of Draft # Two Two"


@pytest.mark.parametrize(
    ("mail", "text"),
    [
        pytest.param(
            f"{HEAD}\n\n{encodebytes(LONG.encode()).decode()}", LONG, id="base64 without its header"
        ),
        pytest.param(f"{HEAD}\n\n{'QUJD' * 20}", "QUJD" * 20, id="a key in base64"),
        pytest.param(f"{HEAD}\n\n{'0a8f' * 20}", "0a8f" * 20, id="a key"),
        pytest.param(
            f"{HEAD}; format=flowed\n\nGate \n5 lifts.\n> quoted \n> on\n>> deep \n  code\nend \n"
            "-- \nAnn",
            "Gate 5 lifts.\n> quoted on\n>> deep \n code\nend \n-- \nAnn", id="flowed"),
        pytest.param(
            f"{HEAD}; format=flowed; DelSp=yes\n\nDampf \nschiff and  \nmore\n",
            "Dampfschiff and more", id="flowed without the space"),
        pytest.param(f"{HEAD}; format=Flowed\n\nGate \n5\n", "Gate 5", id="flowed in capitals"),
        pytest.param(
            "Subject: S\nMIME-Version: 1.0\nContent-Type: multipart/alternative; boundary=b\n\n"
            "--b\n\nYour program shows no pages.\n--b\nContent-Type: text/html\n\n"
            "<p>The fee of gate 5 is 40 euros.</p>\n--b--\n",
            "The fee of gate 5 is 40 euros.", id="a plain text that says other things"),
        pytest.param(
            "Subject: S\nContent-Type: text/calendar\n\nBEGIN:VEVENT\nSUMMARY:Tide\n"
            'ATTENDEE;CN="Ann Ash";PARTSTAT=DECLINED:MAILTO:ann@a.example\nSTATUS:CANCELLED\n'
            "RRULE:FREQ=WEEKLY;COUNT=3\nCOMMENT:I am ill\nEND:VEVENT\n",
            "Event: Tide\nAttendee: ann@a.example (Ann Ash, DECLINED)\nStatus: CANCELLED\n"
            "Repeats: FREQ=WEEKLY;COUNT=3\nComment: I am ill", id="an answer to an invitation"),
    ],
)  # fmt: skip
def test_mails(read: Read, mail: str, text: str) -> None:
    assert read("a.eml", mail.encode())[1] == text


def test_a_mailbox(tmp_path: Path) -> None:
    path = tmp_path / "box.mbox"
    path.write_bytes(
        b"From ann@a Tue Mar  5 10:00:00 2024\r\nSubject: Ebb\r\n\r\nDry.\r\n>From noon on.\r\n\r\n"
        b"From here we saw it.\r\n\r\nFrom - Wed Mar  6 10:00:00 2024\n"
        b"Subject: =?utf-8?q?Fl=C3=B6t?=\n"
        b"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nTwo.\n--b\n"
        b"Content-Disposition: attachment; filename=n.txt\n\nThree.\n--b--\n\n"
        b"From bob@b Thu Mar  7 10:00:00 2024\nSubject: Ebb\n\nFour.\n"
    )
    report = load([path])
    assert not report.bad
    assert {each.source.partition(" › ")[2]: str(each.text) for each in report.documents} == {
        "Ebb.eml": "Dry.\nFrom noon on.\n\nFrom here we saw it.",
        "Flöt.eml": "Two.",
        "Flöt.eml › n.txt": "Three.",
        "Ebb.eml (2)": "Four.",
    }
    path.write_bytes(b"From a Tue Mar  5\nSubject: Fl\xc3\xb6t\n\n" + b"x" * 3_000_000)
    [source] = [each.source for each in load([path]).documents]
    assert source.endswith(" › Flöt.eml")
    path.write_bytes(b"Subject: Ebb\n\nNo mailbox.")
    [bad] = load([path]).bad
    assert "not a mailbox" in bad.reason


def test_a_mail_that_is_too_long_for_memory_is_not_collected() -> None:
    mail = b"From a Tue Mar  5\nSubject: Ebb\n\n" + b"Dry.\n" * 200
    source = Source("a.mbox", lambda: io.BytesIO(mail), allowance=Allowance(bytes_left=500))
    with pytest.raises(CorpusError, match="more than 1 GB"):
        list(read_mbox(source))
    assert source.allowance.bytes_left >= -5


@pytest.mark.parametrize("name", ["a.ndjson", "a.json"])
def test_a_wrong_line_among_values_is_named(read: Read, name: str) -> None:
    data = b'{"a": 1, "t": "x"}\n{"a": 2 "t"\n\n{"a": 3, "t": "z"}\nend'
    _, text, unread = read(name, data)
    assert text.splitlines()[2:4] == ["| 1 | x |", "| 3 | z |"]
    assert [each.place for each in unread] == ["line 2", "line 5"]


def test_outputs_of_a_notebook_in_other_forms(read: Read) -> None:
    shown = {"text/plain": "<IPython.core.display.HTML object>", "text/html": ["<p>Fee 4</p>"]}
    outputs = [
        {"data": shown},
        {"data": {"text/markdown": "**Toll**"}},
        {"data": {"text/plain": "7"}},
    ]
    cells = [{"cell_type": "code", "source": "x", "outputs": outputs}]
    text = read("a.ipynb", json.dumps({"cells": cells}).encode())[1]
    assert text == "```python\nx\n```\n\nFee 4\n\n```\n**Toll**\n```\n\n```\n7\n```"


def test_the_value_of_a_tall_field_is_beside_its_label(read: Read) -> None:
    pytest.importorskip("reportlab")

    def draw(canvas: Any) -> None:
        canvas.drawString(72, 530, "Berth")
        place = {"x": 150, "y": 500, "width": 100, "height": 60}
        canvas.acroForm.listbox(name="b", value="seven", options=["six", "seven"], **place)
        raised(canvas, (72, 440), [("Fee of 5 %", 10, 0), ("2", 6, 5)])

    words = " ".join(read("a.pdf", drawn(draw))[1].split())
    assert words == "Berth seven Fee of 5 %^2"
