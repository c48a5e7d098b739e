"""Further faults that users of other document tools reported, each with a small input of our own.

The reports: docling 3923, mammoth.js 161 and 332, python-mammoth 161 (Word); xlsx-format 92,
openxlsx2 1038, markitdown 2484 and 2498 (Excel); trafilatura 599, 837 and 890 (web pages); epubx.dart
26, xberg 1489, onyx 14773, bookworm 419 (books); ripMIME 26, mail 1213, mail-api 74, mailcore2 1744,
ailang 678 (mails); markitdown 1161, docling 584 (slides); pypdf 2138 (PDF).
"""

from __future__ import annotations

# ruff: noqa: E501 - markup in long lines
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.documents.loaders import load

from ..zips import rewritten, saved
from .conftest import Read
from .docxs import docx, paragraph, run
from .test_books import book, page


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (run("Fee: ") + f"<w:sdt><w:sdtPr/><w:sdtContent>{run('40 euros')}</w:sdtContent></w:sdt>"
         + run("."), "Fee: 40 euros."),
        (f"{run('Dampf')}<w:r><w:softHyphen/></w:r>{run('schiff')}", "Dampfschiff"),
        ('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK http://x.example '
         'normal</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
         + run("tide table") + '<w:r><w:fldChar w:fldCharType="end"/></w:r>' + run(" for May"),
         "tide table for May"),
        ('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "http://x.example"'
         '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>' + run("tides")
         + '<w:del w:id="0"><w:r><w:fldChar w:fldCharType="end"/></w:r></w:del>' + run(" of May"),
         "tides of May"),
    ],
)  # fmt: skip
def test_controls_hyphens_and_fields_within_a_line(read: Read, runs: str, text: str) -> None:
    _, found, _ = read("a.docx", docx(paragraph(runs) + paragraph(run("After it."))))
    assert found.replace("\xad", "") == f"{text}\n\nAfter it."


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def sheet(rows: str) -> bytes:
    openpyxl = pytest.importorskip("openpyxl")

    def change(name: str, text: str) -> str:
        if name != "xl/worksheets/sheet1.xml":
            return text
        return f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'

    return rewritten(saved(openpyxl.Workbook()), change)


def test_cells_whose_text_is_in_the_sheet_itself(read: Read) -> None:
    cell = '<c r="{}" t="inlineStr">{}</c>'
    rows = "".join(
        f'<row r="{number}">{"".join(cells)}</row>'
        for number, cells in enumerate(
            (
                [cell.format("A1", "<is><t>item</t></is>"), cell.format("B1", "<is><t>note</t></is>")],
                [cell.format("A2", "<is><r><t>First </t></r><r><t>second</t></r></is>"),
                 cell.format("B2", "")],
                [cell.format("A3", "<is><t>NA</t></is>"), '<c r="B3"><v>2</v></c>'],
                [cell.format("A4", "<is><t>None</t></is>"), '<c r="B4" t="str"><v>NULL</v></c>'],
                [cell.format("A5", "<is><t>漢字</t><rPh sb='0' eb='2'><t>カンジ</t></rPh></is>"),
                 '<c r="B5"/>'],
            ),
            start=1,
        )
    )  # fmt: skip
    _, text, _ = read("a.xlsx", sheet(rows), whole=False)
    assert [line for line in text.splitlines() if line.startswith("|")] == [
        "| item | note |", "|---|---|", "| First second |  |", "| NA | 2 |", "| None | NULL |", "| 漢字 |  |",
    ]  # fmt: skip


LINKS = '</p><h1>Further Reading</h1><ul><li><a href="http://a.example">Ebb by Ann Ash</a></li>' \
    '<li><a href="http://b.example">Flow by Ben Croft</a></li></ul><p>'  # fmt: skip


def test_books_are_read_in_the_order_of_their_spine(read: Read) -> None:
    nav = '<html xmlns:e="http://www.idpf.org/2007/ops"><body><nav e:type="toc"><a href="b.xhtml">Two' \
        "</a></nav></body></html>"  # fmt: skip
    files: dict[str, str | bytes] = {
        "OEBPS/a.xhtml": page("Comes last."), "OEBPS/b.xhtml": page("Comes first."),
        "OEBPS/c.xhtml": page(LINKS), "OEBPS/nav.xhtml": nav, "OEBPS/d.xhtml": page("Not in the spine."),
    }  # fmt: skip
    items = {"n": "nav.xhtml properties='nav'", "a": "a.xhtml", "b": "b.xhtml", "c": "c.xhtml",
             "d": "d.xhtml"}  # fmt: skip
    _, text, _ = read("a.epub", book(files, items, ["b", "gone", "c", "a"]))
    places = [
        text.index(each)
        for each in (
            "Comes first.",
            "Further Reading",
            "Ebb by Ann Ash",
            "Comes last.",
            "Not in the spine.",
        )
    ]
    assert places == sorted(places)  # fmt: skip


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
        f"--b\n{header}\n\nGate 4.\n--b\nContent-Type: message/rfc822\nContent-Disposition: attachment"
        "\n\nFrom: a@b\n\nInner.\n--b--\n"
    )
    sources = {each.source.partition(" › ")[2]: str(each.text) for each in load([path]).documents}
    assert sources == {"": "Text.", name: "Gate 4.", "attachment 2.eml": "Inner."}


def test_slides_whose_boxes_have_no_place(read: Read) -> None:
    pptx = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Fees"
    slide.placeholders[1].text = "Berth 7"
    inches = pptx.util.Inches
    slide.shapes.add_textbox(inches(1), inches(6), inches(2), inches(1)).text_frame.text = "Placed"
    _, text, _ = read("a.pptx", saved(deck))
    assert [line for line in text.splitlines() if line.strip(" \f")] == [
        "# Fees",
        "Berth 7",
        "Placed",
    ]


def test_texts_whose_place_is_in_two_matrices(read: Read) -> None:
    from .pdfs import drawn

    pytest.importorskip("pypdfium2")
    parts = [
        ("Company:", 2, 800),
        ("EAGLE OUTFITTERS", 90, 800),
        ("Period:", 2, 785),
        ("May 2024", 90, 785),
    ]

    def draw(canvas: Any) -> None:
        canvas.transform(1, 0, 0, -1, 0, 842)
        for words, x, y in parts:
            canvas.saveState()
            canvas.translate(x, 842 - y)
            line = canvas.beginText()
            line.setTextTransform(1, 0, 0, -1, 0, 9)
            line.textOut(words)
            canvas.drawText(line)
            canvas.restoreState()

    _, text, _ = read("a.pdf", drawn(draw))
    assert " ".join(text.split()) in (
        "Company: EAGLE OUTFITTERS Period: May 2024",
        "| Company: | EAGLE OUTFITTERS | | --- | --- | | Period: | May 2024 |",
        "| | | | --- | --- | | Company: | EAGLE OUTFITTERS | | Period: | May 2024 |",
    )
