"""PDF files for tests, written by hand or drawn with reportlab."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

Draw = Callable[[Any], None]


def pdf(text: str, title: str = "") -> bytes:
    """A PDF of one page with one line of text."""
    return pdf_pages([[text] if text else []], title)


def pdf_pages(pages: list[list[str]], title: str = "") -> bytes:
    """A PDF whose pages hold lines with space between, in 12 points or, `{18}Such`, in others."""
    count = len(pages)
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(count))
    font, about = 3 + 2 * count, 4 + 2 * count
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>",
    ]
    for number, lines in enumerate(pages):
        stream = ""
        for row, line in enumerate(lines):
            size, text = line[1:].split("}", 1) if line.startswith("{") else ("12", line)
            stream += f"BT /F1 {size} Tf 20 {760 - 40 * row} Td ({text}) Tj ET "
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {4 + 2 * number} 0 R"
            f" /Resources << /Font << /F1 {font} 0 R >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    objects += [
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        f"<< /Title ({title}) >>",
    ]
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    return (
        f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}"
        f"trailer\n<< /Size {size} /Root 1 0 R /Info {about} 0 R >>\n"
        f"startxref\n{len(body)}\n%%EOF\n"
    ).encode()


def drawn(*pages: Draw, **options: Any) -> bytes:
    """A PDF whose pages are drawn on a canvas of 595 by 842 points, whose y grows upwards."""
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(595, 842), **options)
    for draw in pages:
        canvas.setFont("Helvetica", 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def rows_at(
    canvas: Any, rows: list[list[str]], lefts: tuple[int, ...], top: int = 780, step: int = 14
) -> None:
    """Write rows without lines; figures end 40 points right of where their column begins."""
    for number, row in enumerate(rows):
        for left, text in zip(lefts, row, strict=False):
            if text[:1].isdigit() or text[:1] in "($—":
                canvas.drawRightString(left + 40, top - step * number, text)
            else:
                canvas.drawString(left, top - step * number, text)


def lines_at(canvas: Any, columns: tuple[int, ...], rows: tuple[int, ...]) -> None:
    for x in columns:
        canvas.line(x, rows[0], x, rows[-1])
    for y in rows:
        canvas.line(columns[0], y, columns[-1], y)


def raised(canvas: Any, place: tuple[int, int], runs: list[tuple[str, int, int]]) -> None:
    """Write runs one after the other, each with its size and how far it is raised, in points."""
    text = canvas.beginText(*place)
    for words, size, rise in runs:
        text.setFont("Helvetica", size)
        text.setRise(rise)
        text.textOut(words)
    canvas.drawText(text)


def table(text: str) -> list[list[str]]:
    """The cells of the only table of a text, without the line below its head."""
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert set(rows[1]) <= set("|-")
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in (rows[0], *rows[2:])]
