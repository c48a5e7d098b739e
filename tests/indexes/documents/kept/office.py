# ruff: noqa: E501 - markup in long lines
"""Documents of office programs with words that are there once, made by hypothesis."""

from __future__ import annotations

import io
from typing import Any
from xml.sax.saxutils import escape

from ..zips import saved, zipped
from .words import LATIN, Words

WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def docx(words: Words) -> bytes:
    """Runs that divide words, nested tables, merged cells, links, deleted text, fields."""

    def paragraph() -> str:
        cut = words(2)
        at = words.chance.randint(1, len(cut) - 1)
        more = words.one(
            lambda: f'<w:hyperlink w:anchor="x">{run(words())}</w:hyperlink>',
            lambda: "<w:del w:id='1'><w:r><w:delText>gone</w:delText></w:r></w:del>",
            lambda: f"<w:ins w:id='2'>{run(words())}</w:ins>",
            lambda: f"<w:smartTag>{run(words())}</w:smartTag>",
        )
        return f"<w:p>{run(cut[:at])}{run(cut[at:])}{run(' ')}{more}</w:p>"

    def run(content: str) -> str:
        return f"<w:r><w:t xml:space='preserve'>{escape(content)}</w:t></w:r>"

    def table(depth: int = 1) -> str:
        rows = words.chance.randint(1, 3)
        return f"<w:tbl>{''.join(row(number, depth) for number in range(rows))}</w:tbl>"

    def row(number: int, depth: int) -> str:
        merged = '<w:vMerge w:val="restart"/>' if number == 0 else "<w:vMerge/>"
        first = paragraph() if number == 0 else "<w:p/>"
        inner = table(depth - 1) if depth and words.chance.random() < 0.4 else ""
        return (
            f"<w:tr><w:tc><w:tcPr>{merged}</w:tcPr>{first}</w:tc>"
            f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{inner}{paragraph()}</w:tc></w:tr>'
        )

    body = words.some(lambda: words.one(paragraph, table), 6)
    return zipped({
        "[Content_Types].xml": (
            f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType='
            '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
            '<Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/></Types>'
        ),
        "_rels/.rels": (
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
        ),
        "word/document.xml": f"<w:document {WORD}><w:body>{body}<w:sectPr/></w:body></w:document>",
    })  # fmt: skip


def xlsx(words: Words) -> bytes:
    """Texts, numbers in many formats, dates, merged cells, empty rows, several sheets."""
    import openpyxl

    book = openpyxl.Workbook()
    for sheet in (book.active, book.create_sheet(words(1))):
        for row in range(1, words.chance.randint(3, 8)):
            for column in range(1, words.chance.randint(2, 5)):
                if (row, column) == (2, 1) or words.chance.random() < 0.2:  # merged, or empty
                    continue
                cell = sheet.cell(row, column)
                cell.value = words.one(
                    words,
                    lambda: words.chance.randint(-99999, 99999),
                    lambda: True,
                    lambda: round(words.chance.uniform(-1e9, 1e9), 2),
                    words.chance.random,
                )
                cell.number_format = words.chance.choice(
                    ("General", "#,##0.00", "0.0%", '0.0,,"M"', "0.00E+00")
                )
        sheet.merge_cells(start_row=1, end_row=2, start_column=1, end_column=1)
    return saved(book)


def odt(words: Words) -> bytes:
    """Headings, nested lists, tables, spans, spaces, footnotes."""
    names = {"office": "office", "text": "text", "table": "table"}
    spaces = " ".join(
        f'xmlns:{key}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for key, name in names.items()
    )

    def block(depth: int = 2) -> str:
        kind = words.chance.choice(("h", "p", "list", "table", "span"))
        if kind == "h":
            return f'<text:h text:outline-level="2">{words()}</text:h>'
        if kind == "list" and depth:
            items = words.some(lambda: f"<text:list-item>{block(depth - 1)}</text:list-item>", 3)
            return f"<text:list>{items}</text:list>"
        if kind == "table" and depth:
            cells = words.some(
                lambda: f"<table:table-cell><text:p>{words()}</text:p></table:table-cell>"
            )
            return f"<table:table><table:table-row>{cells}</table:table-row></table:table>"
        if kind == "span":
            return f"<text:p>{words()} <text:span>{words()}</text:span><text:s/>{words()}</text:p>"
        return f"<text:p>{words()}</text:p>"

    body = words.some(block, 8)
    return zipped({
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": f"<office:document-content {spaces}><office:body><office:text>{body}"
        "</office:text></office:body></office:document-content>",
    })  # fmt: skip


def epub(words: Words) -> bytes:
    """Chapters in the order of the spine, with spaces in a path."""
    names = [f"part {number}.xhtml" for number in range(words.chance.randint(1, 3))]
    about = '<dc:title xmlns:dc="http://purl.org/dc/elements/1.1/">Book</dc:title>'
    items = "".join(
        f'<item id="i{n}" href="part%20{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(len(names))
    )
    spine = "".join(f'<itemref idref="i{number}"/>' for number in range(len(names)))
    parts: dict[str, str | bytes] = {
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        "OPS/book.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><metadata>{about}</metadata>'
        f"<manifest>{items}</manifest><spine>{spine}</spine></package>",
    }
    for name in names:
        parts[f"OPS/{name}"] = (
            f"<html><head><title>x</title></head><body><h1>{words()}</h1><p>{words()} <em>{words()}</em></p>"
            f"<table><tr><td>{words()}</td><td>{words()}</td></tr></table></body></html>"
        )
    return zipped(parts)


def pptx(words: Words) -> bytes:
    """Boxes, a table with merged cells, notes."""
    from pptx import Presentation
    from pptx.util import Cm

    deck = Presentation()
    for _ in range(2):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = words()
        slide.placeholders[1].text = f"{words()}\n{words()}"
        table = slide.shapes.add_table(2, 2, Cm(1), Cm(9), Cm(9), Cm(3)).table
        for cell in (table.cell(0, 0), table.cell(0, 1), table.cell(1, 1)):
            cell.text = words()
        table.cell(0, 0).merge(table.cell(1, 0))
        slide.notes_slide.notes_text_frame.text = words()
    return saved(deck)


def pdf(words: Words) -> bytes:
    """Prose that is hyphenated, and tables with and without lines."""
    from reportlab.lib import colors
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table

    words.stems = LATIN
    usual = getSampleStyleSheet()["Normal"]
    flow: list[Any] = [Paragraph(words(60), usual), Spacer(1, 12)]
    for lines in words.chance.sample([True, False], 2):
        rows = [[words(1) for _ in range(3)] for _ in range(words.chance.randint(2, 6))]
        flow.append(
            Table(rows, style=[("GRID", (0, 0), (-1, -1), 1, colors.black)] if lines else None)
        )
        flow += [Spacer(1, 30), Paragraph(words(40), usual), Spacer(1, 30)]
    stream = io.BytesIO()
    SimpleDocTemplate(stream).build(flow)
    return stream.getvalue()
