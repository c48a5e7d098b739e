"""PDF files, a scanned page and an Outlook message for `make.py`."""

from __future__ import annotations

import io
import struct
from typing import Any, Final

import content
from content import Section

PAGES: Final = ((0,), (1, 2), (3,), (4,))
"""The sections of the annual report by page; two are side by side."""


def pdf(sections: list[Section], title: str, author: str = "") -> bytes:
    """A PDF of one page."""
    return _pdf([sections], title, author)


def report() -> bytes:
    """Four pages with running lines, two columns, a table and bookmarks."""
    pages = [[content.REPORT[row] for row in rows] for rows in PAGES]
    return _pdf(pages, "Jahresbericht 2024", "Jonas Brandt", content.REPORT_HEADER)


def half_scanned() -> bytes:
    """A page of text, and a page that is only a picture."""
    text = Section("Lagerplan", ["Der Plan der Halle 4 folgt auf der nächsten Seite."])
    return _pdf([[text]], "Lagerplan", scan=picture(content.SCANNED))


def picture(text: str) -> bytes:
    """A PNG with a line of text."""
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("L", (1240, 400), 255)
    ImageDraw.Draw(image).text((80, 150), text, fill=0, font=ImageFont.load_default(40))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def _pdf(
    pages: list[list[Section]], title: str, author: str = "", header: str = "", scan: bytes = b""
) -> bytes:
    from reportlab.lib.pagesizes import A4
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    data = io.BytesIO()
    canvas = Canvas(data, A4, invariant=True)
    canvas.setTitle(title)
    canvas.setAuthor(author)
    width, height = A4
    for number, sections in enumerate(pages, start=1):
        if header:
            canvas.setFont("Helvetica", 9)
            canvas.drawString(60, height - 40, header)
            canvas.drawCentredString(width / 2, 30, f"Seite {number} von {len(pages)}")
        each = (width - 120) / len(sections)
        for column, section in enumerate(sections):
            canvas.bookmarkPage(section.heading)
            canvas.addOutlineEntry(section.heading, section.heading)
            _column(canvas, section, 60 + column * each, height - 90, each - 20)
        canvas.showPage()
    if scan:
        canvas.drawImage(ImageReader(io.BytesIO(scan)), 0, height - 300, width, 200)
        canvas.showPage()
    canvas.save()
    return data.getvalue()


def _column(canvas: Any, section: Section, left: float, top: float, width: float) -> None:
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Frame, Paragraph, Table

    styles = getSampleStyleSheet()
    story: list[Any] = [Paragraph(section.heading, styles["Heading1"])]
    story += [Paragraph(text, styles["BodyText"]) for text in section.paragraphs]
    if section.table:
        grid = ("GRID", (0, 0), (-1, -1), 0.5, "black")
        story.append(Table([list(row) for row in section.table], style=[grid]))
    Frame(left, 60, width, top - 60, 0, 0, 0, 0).addFromList(story, canvas)


def msg(subject: str, sender: str, address: str, body: str) -> bytes:
    """An Outlook message: a compound file of properties, the smallest that readers accept."""
    properties = {
        "__substg1.0_001A001F": "IPM.Note",
        "__substg1.0_0037001F": subject,
        "__substg1.0_0C1A001F": sender,
        "__substg1.0_0C1F001F": address,
        "__substg1.0_1000001F": body,
    }
    sizes = struct.pack("<32x")
    for name, text in properties.items():
        tag = int(name[-8:], 16)
        sizes += struct.pack("<IIII", tag, 6, len(text) * 2 + 2, 0)
    streams = {name: text.encode("utf-16-le") for name, text in properties.items()}
    return _compound_file({"__properties_version1.0": sizes, **streams})


def _compound_file(streams: dict[str, bytes]) -> bytes:
    """A compound file (MS-CFB, version 3) whose streams all lie in the short-stream container."""
    sector, short, end, free = 512, 64, 0xFFFFFFFE, 0xFFFFFFFF
    # Names are in a binary tree, shorter names first; a list to the right is a tree too.
    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    container, chains, entries = b"", list[int](), list[bytes]()
    for row, name in enumerate(names, start=1):
        data, first = streams[name], len(chains)
        count = -(-len(data) // short)
        chains += [*range(first + 1, first + count), end]
        container += data.ljust(count * short, b"\0")
        right = row + 1 if row < len(names) else free
        entries.append(_entry(name, 2, right=right, start=first, size=len(data)))
    directory_sectors = -(-(len(names) + 1) * 128 // sector)
    container_sectors = -(-len(container) // sector)
    if len(chains) > sector // 4:
        raise ValueError("too long for one sector of the short-stream table")
    # The sectors: allocation table, directory, short-stream table, container.
    place = 1 + directory_sectors + 1
    table = [0xFFFFFFFD, *range(2, directory_sectors + 1), end, end]
    table += [*range(place + 1, place + container_sectors), end]
    root = _entry("Root Entry", 5, child=1, start=place, size=len(container))
    directory = b"".join([root, *entries]).ljust(directory_sectors * sector, b"\0")
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)
    header += struct.pack("<HHHHH6xIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1)
    header += struct.pack("<IIIIIII", 0, 4096, 1 + directory_sectors, 1, end, 0, 0)
    return (
        header.ljust(sector, b"\xff")
        + _numbers(table, sector)
        + directory
        + _numbers(chains, sector)
        + container.ljust(container_sectors * sector, b"\0")
    )


def _numbers(values: list[int], sector: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values).ljust(sector, b"\xff")


def _entry(
    name: str,
    kind: int,
    right: int = 0xFFFFFFFF,
    child: int = 0xFFFFFFFF,
    start: int = 0,
    size: int = 0,
) -> bytes:
    written = name.encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16xI8x8xIQ",
        *(written, len(written) + 2, kind, 1, 0xFFFFFFFF, right, child, 0, start, size),
    )
