"""Write one sample of each format: the papers of an invented tea cooperative.

    python examples/office/make.py samples
    hopyard index build samples --out office-index

The texts are Korean, German and English (`content.py`). `questions.jsonl` asks about them, with the
document, section and page that answer each question. Needs `pip install python-docx reportlab`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable
from datetime import datetime
from email.message import EmailMessage
from pathlib import Path
from typing import Any, Final

import content
import papers
from content import Rows, Section

WHEN: Final = datetime(2025, 2, 3, 9, 0)


def docx() -> bytes:
    """A handbook with headings of two levels and a table."""
    from docx import Document

    document = Document()
    properties = document.core_properties
    properties.title, properties.author = "Staff Handbook", "Ruth Pell"
    properties.created = properties.modified = WHEN
    document.add_heading("Staff Handbook", 1)
    for section in content.HANDBOOK:
        document.add_heading(section.heading, section.level + 1)
        for paragraph in section.paragraphs:
            document.add_paragraph(paragraph)
        if section.table:
            table = document.add_table(len(section.table), len(section.table[0]))
            for row, cells in zip(table.rows, section.table, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
    return _saved(document.save)


def pptx() -> bytes:
    """Slides with bullets, a table and a speaker's note."""
    from pptx import Presentation
    from pptx.util import Inches

    deck = Presentation()
    properties = deck.core_properties
    properties.title, properties.author = "Roadmap 2026", "Jonas Brandt"
    properties.created = properties.modified = WHEN
    for section in content.SLIDES:
        slide = deck.slides.add_slide(deck.slide_layouts[5 if section.table else 1])
        slide.shapes.title.text = section.heading
        if section.table:
            size = len(section.table), len(section.table[0])
            box = Inches(1), Inches(2), Inches(6), Inches(2)
            table = slide.shapes.add_table(*size, *box).table
            for row, cells in zip(table.rows, section.table, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
            slide.notes_slide.notes_text_frame.text = content.NOTES
        else:
            slide.placeholders[1].text = "\n".join(section.paragraphs)
    return _saved(deck.save)


def xlsx() -> bytes:
    """Two sheets, the first too long for one passage."""
    from openpyxl import Workbook

    book = Workbook()
    book.properties.title, book.properties.creator = "Stock", "Seo Ha-rin"
    book.properties.created = WHEN
    for name, rows in (("Teas", content.TEAS), ("Suppliers", content.SUPPLIERS)):
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append([int(cell) if cell.isdecimal() else cell for cell in row])
    book.remove(book.worksheets[0])
    # openpyxl writes the time of saving, with which the sample would change every time.
    with zipfile.ZipFile(io.BytesIO(_saved(book.save))) as made:
        files = {name: made.read(name) for name in made.namelist()}
    core = files["docProps/core.xml"].decode()
    now = re.search(r"modified[^>]*>([^<]*)<", core)
    files["docProps/core.xml"] = core.replace(now[1] if now else "", f"{WHEN:%FT%TZ}").encode()
    return _zipped(files)


def odt() -> bytes:
    """Minutes with numbered headings and a table."""
    body = ""
    for section in content.MINUTES:
        body += f'<text:h text:outline-level="1">{section.heading}</text:h>'
        body += "".join(f"<text:p>{paragraph}</text:p>" for paragraph in section.paragraphs)
        rows = "".join(
            "<table:table-row>"
            + "".join(
                f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row
            )
            + "</table:table-row>"
            for row in section.table
        )
        body += f"<table:table>{rows}</table:table>" if rows else ""
    office = "urn:oasis:names:tc:opendocument:xmlns"
    names = (
        f'xmlns:office="{office}:office:1.0" xmlns:text="{office}:text:1.0" '
        f'xmlns:table="{office}:table:1.0" xmlns:meta="{office}:meta:1.0" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"'
    )
    about = (
        "<dc:title>Protokoll der Vorstandssitzung</dc:title>"
        "<meta:initial-creator>Jonas Brandt</meta:initial-creator>"
        "<dc:date>2025-12-05T10:00:00</dc:date>"
    )
    return _zipped(
        {
            "mimetype": b"application/vnd.oasis.opendocument.text",
            "content.xml": f"<office:document-content {names}><office:body><office:text>{body}"
            "</office:text></office:body></office:document-content>".encode(),
            "meta.xml": f"<office:document-meta {names}><office:meta>{about}</office:meta>"
            "</office:document-meta>".encode(),
        }
    )


def rtf() -> bytes:
    """A contract; letters outside ASCII are written as RTF's escapes."""
    lines = [r"{\rtf1\ansi\ansicpg1252\deff0{\info{\title Mietvertrag}{\author Jonas Brandt}}"]
    for section in content.CONTRACT:
        lines.append(rf"\pard\b {_escape(section.heading)}\b0\par")
        lines += [rf"\pard {_escape(text)}\par" for text in section.paragraphs]
    return "\n".join([*lines, "}"]).encode("ascii")


def html() -> bytes:
    """A Korean page in EUC-KR, between a menu, a cookie notice and a footer."""
    body = "".join(
        f"<h2>{section.heading}</h2>" + "".join(f"<p>{text}</p>" for text in section.paragraphs)
        for section in content.ABOUT
    )
    menu = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("홈", "가게", "로그인"))
    page = (
        '<!doctype html><html lang="ko"><head><meta charset="euc-kr">'
        f"<title>{content.ABOUT_TITLE}</title>"
        '<meta name="author" content="오경란"></head><body>'
        f'<nav><ul>{menu}</ul></nav><div class="cookie-banner">쿠키를 허용하시겠습니까?</div>'
        f"<main><article><h1>{content.ABOUT_TITLE}</h1>{body}</article></main>"
        "<footer>개인정보 처리방침 · 이용약관</footer></body></html>"
    )
    return page.encode("euc-kr")


def epub() -> bytes:
    """A short history in two chapters."""
    names = [f"chapter{number}.xhtml" for number, _ in enumerate(content.HISTORY, start=1)]
    manifest = "".join(
        f'<item id="c{row}" href="{name}" media-type="application/xhtml+xml"/>'
        for row, name in enumerate(names)
    )
    spine = "".join(f'<itemref idref="c{row}"/>' for row, _ in enumerate(names))
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Short History</dc:title>'
        "<dc:creator>Oh Gyeong-ran</dc:creator><dc:date>2024-05-01</dc:date></metadata>"
        f"<manifest>{manifest}</manifest><spine>{spine}</spine></package>"
    )
    container = (
        '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0">'
        '<rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    )
    files = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": container,
        "OEBPS/book.opf": package,
    }
    for name, section in zip(names, content.HISTORY, strict=True):
        text = "".join(f"<p>{paragraph}</p>" for paragraph in section.paragraphs)
        files[f"OEBPS/{name}"] = (
            f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{section.heading}</title>'
            f"</head><body><h1>{section.heading}</h1>{text}</body></html>"
        )
    return _zipped({name: text.encode() for name, text in files.items()})


def eml() -> bytes:
    """A complaint with a PDF attached."""
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Fehlende Kartons", "Marlene Voß <voss@lindenhof.example>"
    mail["To"], mail["Date"] = "bremen@dasan.example", "Thu, 05 Jun 2025 08:15:00 +0200"
    mail.set_content(content.COMPLAINT)
    note = papers.pdf(content.DELIVERY_NOTE, "Lieferschein")
    mail.add_attachment(note, maintype="application", subtype="pdf", filename="lieferschein.pdf")
    return mail.as_bytes()


def ipynb() -> bytes:
    """A notebook with text, code and what the code printed."""
    head, text, code, printed, doubts, why = content.TASTING
    stream = {"output_type": "stream", "name": "stdout", "text": [printed]}
    cells: list[dict[str, Any]] = [
        {"cell_type": "markdown", "metadata": {}, "source": [head, "\n", text]},
        {"cell_type": "code", "metadata": {}, "source": code, "outputs": [stream]},
        {"cell_type": "markdown", "metadata": {}, "source": [doubts, "\n", why]},
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def archive() -> bytes:
    """A ZIP archive with a recipe, and an archive inside it."""
    table = _table(content.VISITORS, ",").encode()
    inner = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=inner, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        entry = tarfile.TarInfo("2025/visitors.csv")
        entry.size = len(table)
        tar.addfile(entry, io.BytesIO(table))
    return _zipped({"recipes/biscuits.md": content.RECIPE.encode(), "old.tar.gz": inner.getvalue()})


SAMPLES: Final[dict[str, Callable[[], bytes]]] = {
    "handbook.docx": docx,
    "roadmap.pptx": pptx,
    "stock.xlsx": xlsx,
    "protokoll.odt": odt,
    "mietvertrag.rtf": rtf,
    "jahresbericht.pdf": papers.report,
    "lagerplan.pdf": papers.half_scanned,
    "about.html": html,
    "history.epub": epub,
    "beschwerde.eml": eml,
    "letter.msg": lambda: papers.msg(
        "Your bowls", "Ilse Tamm", "ilse@tamm.example", content.LETTER
    ),
    "tasting.ipynb": ipynb,
    "archive.zip": archive,
    "preise.csv": lambda: _table(content.PRICES, ";").encode("cp1252"),
    "근무표.tsv": lambda: _table(content.SHIFTS, "\t").encode("utf-16"),
    "brewing.md": content.BREWING.encode,
    "notiz.txt": lambda: content.NOTE.encode("latin-1"),
    "공지.txt": lambda: content.NOTICE.encode("utf-16"),
    "reorder.py": content.CODE.encode,
    "certificates.json": lambda: json.dumps(content.CERTIFICATES, indent=2).encode(),
    "deliveries.jsonl": lambda: "".join(
        f"{json.dumps(line, ensure_ascii=False)}\n" for line in content.DELIVERIES
    ).encode(),
    "catalogue.xml": content.CATALOGUE.encode,
    "logo.png": lambda: papers.picture(""),
}


def make(folder: Path) -> list[Path]:
    """Write every sample into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, sample in SAMPLES.items():
        (folder / name).write_bytes(sample())
    return [folder / name for name in SAMPLES]


def _saved(save: Callable[[io.BytesIO], object]) -> bytes:
    data = io.BytesIO()
    save(data)
    return data.getvalue()


def _zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive_:
        for name, text in files.items():
            archive_.writestr(zipfile.ZipInfo(name), text)
    return data.getvalue()


def _table(rows: Rows, delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue()


def _escape(text: str) -> str:
    return "".join(letter if letter.isascii() else f"\\u{ord(letter)}?" for letter in text)


__all__ = ("SAMPLES", "Section", "make")

if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path, help="Where the files go; it is made if need be.")
    print(*make(arguments.parse_args().folder), sep="\n")
