"""PDF files for tests, written by hand."""

from __future__ import annotations

__all__ = ("pdf", "pdf_pages")


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
