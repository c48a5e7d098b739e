"""Files of many formats with words that are there once, made by hypothesis."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any
from xml.sax.saxutils import escape

# ruff: noqa: E501, PLR0911 - markup in long lines
from ..zips import saved, zipped

STEMS = ("pier", "Kran", "löwe", "мост", "ácido", "κύμα", "don't", "gate-way", "naïve", "øre")
LATIN = ("pier", "Kran", "löwe", "ácido", "don't", "gate-way", "naïve", "øre")


class Words:
    """Words that are there once, chosen with a seed that hypothesis gives.

    Attributes:
        made: All of them, in order.
    """

    def __init__(self, chance: random.Random, stems: tuple[str, ...] = STEMS) -> None:
        self.chance = chance
        self.made: list[str] = []
        self.stems = stems

    def __call__(self, most: int = 4) -> str:
        """One word or more."""
        some = [f"{self.chance.choice(self.stems)}q{len(self.made) + k}z"
                for k in range(self.chance.randint(1, most))]  # fmt: skip
        self.made += some
        return " ".join(some)

    def one(self, *makes: Callable[[], Any]) -> Any:
        """One of several parts."""
        return self.chance.choice(makes)()

    def some(self, make: Callable[[], str], most: int = 4) -> str:
        """Some parts, one after the other."""
        return "".join(make() for _ in range(self.chance.randint(1, most)))


def html(words: Words) -> bytes:
    """Nested lists and tables, merged cells, mixed content, omitted end tags, fields."""

    def block(depth: int = 3) -> str:
        kind = words.chance.choice(
            ("p", "mixed", "table", "list", "details", "div", "head", "field")
        )
        if depth == 0 or kind == "p":
            return f"<p>{words()}"
        if kind == "mixed":
            return f"{words()} <b>{words()}</b><i>,</i> <a href=x>{words(1)}</a>10<sup>6</sup><br>{words()}"
        if kind == "table":
            return (
                f"<table>{words.some(row)}</table>"
                if depth < 3
                else f"<table><tr><td>{block(depth - 1)}<td>{words()}</table>"
            )
        if kind == "list":
            return f"<ul>{words.some(lambda: f'<li>{block(depth - 1)}')}</ul>"
        if kind == "details":
            return f"<details><summary>{words()}</summary>{block(depth - 1)}</details>"
        if kind == "head":
            return f"<h2>{words()}</h2>"
        if kind == "field":
            return f'<label>{words(1)}</label> <input value="{words(1)}"> <input type=checkbox checked>'
        return f"<div>{words()} {block(depth - 1)}</div>"

    def row() -> str:
        return f"<tr>{words.some(cell)}"

    def cell() -> str:
        spans = words.chance.choice(("", " rowspan=2", " colspan=2", " colspan=3 rowspan=2"))
        return f"<{words.chance.choice(('td', 'th'))}{spans}>{words()}"

    page = f"<!DOCTYPE html><title>{words()}</title><style>p {{}}</style><main>{words.some(block, 6)}</main>"
    declared = words.chance.choice(("utf-8", "utf-16"))
    return page.encode(declared)


def xml(words: Words) -> bytes:
    """Mixed content, attributes, entities, CDATA, namespaces, several encodings."""

    def element(depth: int = 3) -> str:
        name = words.chance.choice(("item", "n:part", "p"))
        about = f' id="{words(1)}"' if words.chance.random() < 0.3 else ""
        if about and words.chance.random() < 0.5:
            return f"<{name}{about}/> "
        if about:
            return f"<{name}><q{about}><r>{words()}</r></q></{name}> "
        inner = words.some(lambda: element(depth - 1), 3) if depth else words()
        text = words.one(
            words,
            lambda: f"{words()} &amp; {words()}",
            lambda: f"<![CDATA[{words()} < 3]]>",
            str,
        )
        return f"<{name}>{text} {inner}{words.one(str, words)}</{name}> "

    encoding = words.chance.choice(("utf-8", "utf-16", "utf-8-sig"))
    declared = "utf-16" if encoding == "utf-16" else "utf-8"
    return (
        f'<?xml version="1.0" encoding="{declared}"?>\n<!-- {words.chance.random()} -->\n'
        f'<root xmlns:n="urn:x">{words.some(element)}</root>'
    ).encode(encoding)


def json_(words: Words) -> bytes:
    """Nested objects and lists, lists of flat objects, numbers, escapes."""

    def value(depth: int = 3) -> Any:
        kind = words.chance.choice(("text", "number", "list", "object", "rows", "null"))
        count = words.chance.randint(1, 3)
        if kind == "text" or depth == 0:
            return words()
        if kind == "number":
            return words.chance.choice((12.5, 987654321.98, -3, 1e-7))
        if kind == "list":
            return [value(depth - 1) for _ in range(count)]
        if kind == "object":
            return {words(1): value(depth - 1) for _ in range(count)}
        if kind == "rows":
            names = [words(1), words(1)]
            return [{name: words() for name in names} for _ in range(count)]
        return None

    found = {words(1): value() for _ in range(4)}
    return json.dumps(found, ensure_ascii=words.chance.random() < 0.5).encode()


def csv(words: Words) -> bytes:
    """Any delimiter, quoted cells with delimiters and line ends, several encodings."""
    between = words.chance.choice(",;\t|")

    def cell() -> str:
        return words.one(
            lambda: words(1),
            lambda: f'"{words()}{between} {words()}"',
            lambda: f'"{words()}\n{words()}"',
            lambda: "7",
        )

    width = words.chance.randint(2, 5)
    lines = [between.join(words(1) for _ in range(width))]
    lines += [between.join(cell() for _ in range(width)) for _ in range(words.chance.randint(2, 8))]
    return "\r\n".join(lines).encode(words.chance.choice(("utf-8", "utf-8-sig", "utf-16")))


def text(words: Words) -> bytes:
    """A text in an encoding of Europe, or with a wrong byte."""
    words.stems = LATIN
    encoding = words.chance.choice(
        ("utf-8", "utf-16", "cp1252", "iso8859_15", "utf-8-sig", "mac_roman")
    )
    lines = "\r\n".join(words(8) for _ in range(12)).encode(encoding)
    return lines + b" caf\xe9" if encoding == "utf-8" else lines


def markdown(words: Words) -> bytes:
    """Front matter of several kinds, then text."""
    front = words.one(
        lambda: f"---\ntitle: {words()}\ntags: [{words(1)}, {words(1)}]\nempty:\n---\n",
        lambda: f"---\ntitle: {words()}: {words()}\nby: @{words(1)}\nlist:\n\t- {words()}\n---\n",
        lambda: f'+++\ntitle = "{words()}"\n[place]\ncity = "{words()}"\n+++\n',
        lambda: f"---\nnested:\n  deep: {{a: {words()}}}\n  other: {words()} # no\n---\n",
        str,
    )
    return f"{front}# {words()}\n\n{words()} *{words()}*\n\n- {words()}\n".encode()


def mail(words: Words) -> bytes:
    """Texts, pages, alternatives, attachments and forwarded mails, nested in any way."""

    words.stems = LATIN

    def part(depth: int = 2) -> EmailMessage:
        made = EmailMessage(policy=SMTP)
        made["Subject"], made["From"] = words(), "ann@example.org"
        made["Date"] = "Mon, 02 Mar 2026 10:00:00 +0100"
        charset = words.chance.choice(("utf-8", "cp1252"))
        body = words(12)
        made.set_content(f"{body}\n{words()}", charset=charset, cte="base64")
        if words.chance.random() < 0.5:
            made.add_alternative(f"<p>{body} <b>{words()}</b></p>", subtype="html")
        for _ in range(words.chance.randint(0, 2)):
            kind = words.chance.choice(("text", "mail", "page"))
            if kind == "mail" and depth:
                made.add_attachment(part(depth - 1))
            elif kind == "page":
                made.add_attachment(f"<p>{words()}</p>", subtype="html", filename="a.html")
            else:
                made.add_attachment(words().encode(), "text", "plain", filename="a.txt")
        return made

    return part().as_bytes()


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


def rtf(words: Words) -> bytes:
    """Letters beyond ASCII as Unicode, tables, silent groups."""

    def coded(content: str) -> str:
        return "".join(each if each.isascii() else f"\\u{ord(each)}?" for each in content)

    lines = "".join(f"{coded(words())} {{\\b {coded(words())}}}\\par\n" for _ in range(6))
    cells = "".join(f"{coded(words())}\\cell " for _ in range(3))
    return (
        "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\*\\generator none;}"
        f"\\uc1 {lines}\\trowd {cells}\\row}}"
    ).encode()


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


def notebook(words: Words) -> bytes:
    """Text, code, printed texts, values and errors."""
    code = {
        "cell_type": "code",
        "source": [f"{words()}\n", words()],
        "outputs": [
            {"output_type": "stream", "text": [words()]},
            {"output_type": "execute_result", "data": {"text/plain": words(), "image/png": "aGVq"}},
            {"output_type": "error", "ename": words(1), "evalue": words(), "traceback": []},
        ],
    }
    cells = [{"cell_type": "markdown", "source": words()}, code]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}).encode()


MAKERS: dict[str, tuple[Callable[[Words], bytes], int]] = {
    "a.html": (html, 40), "a.xml": (xml, 40), "a.json": (json_, 40), "a.csv": (csv, 30),
    "a.txt": (text, 25), "a.md": (markdown, 25), "a.eml": (mail, 25), "a.docx": (docx, 25),
    "a.xlsx": (xlsx, 15), "a.odt": (odt, 25), "a.epub": (epub, 10), "a.rtf": (rtf, 10),
    "a.pptx": (pptx, 4), "a.pdf": (pdf, 8), "a.ipynb": (notebook, 5),
}  # fmt: skip
"""Makes a file of each format; how many are made."""
