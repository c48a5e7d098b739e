"""Public reports about marks in pages, rebuilt: the red words of a page are marked, no others."""

from __future__ import annotations

import io
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hopyard
from hopyard.web.pictures import draw_page

from .test_pictures import Image, found, reds

pytest.importorskip("reportlab")
LINES = [
    (100, 700, "The north pier was closed for re-"),
    (100, 686, "pair in 1987, and opened again."),
]
WHOLE = "The north pier was closed for repair in 1987, and opened again."
COLUMNS = [
    (60, 569.5, "The ferry was built for post-in-"),
    (330, 700, "dependence trade on the river."),
]
ACROSS = "The ferry was built for post-in-\n\ndependence trade on the river."
PROSE = "ferries that carry goods and mail over the wide lake in every month of the year " * 2
LIGATURES = [(100, 700, "The \ufb01rst of\ufb01ce \ufb02oated in 1987.")]
FLOATED = "The first office floated in 1987."


def write_pdf(path: Path, red: list[tuple[float, float, str]], *, secret: str = "") -> None:
    """One page of two columns of black lines, with some lines in red."""
    import reportlab
    from reportlab.lib.pdfencrypt import StandardEncryption
    from reportlab.pdfbase import pdfmetrics, ttfonts
    from reportlab.pdfgen.canvas import Canvas

    vera = Path(reportlab.__file__).parent / "fonts" / "Vera.ttf"
    pdfmetrics.registerFont(ttfonts.TTFont("Vera", vera))
    locked = StandardEncryption("", ownerPassword=secret) if secret else None
    canvas = Canvas(str(path), pagesize=(595, 842), encrypt=locked)
    canvas.setFont("Vera", 10)
    if len(red) > 1 and red[0][0] != red[1][0]:
        for left, bottom in product((60, 330), range(10)):
            line = (left, 700 - 14.5 * bottom)
            if line not in {each[:2] for each in red}:
                words = PROSE[(bottom * 7 + left) % 40 :]
                canvas.drawString(*line, words[: words.rindex(" ", 0, 44)])
    for left, bottom, line in red:
        canvas.setFillColorRGB(1, 0, 0)
        canvas.drawString(left, bottom, line)
    canvas.showPage()
    canvas.save()


def boxed(**boxes: tuple[float, float, float, float]) -> Callable[[Path], None]:
    """Gives the page of a file other boxes."""

    def change(path: Path) -> None:
        import pypdfium2

        document = pypdfium2.PdfDocument(path.read_bytes())
        for name, box in boxes.items():
            getattr(document[0], f"set_{name}")(*box)
        document.save(path)

    return change


def enlarged(path: Path) -> None:
    """A page whose unit is two points."""
    data = path.read_bytes()
    path.write_bytes(data.replace(b"/Type /Page\n", b"/Type /Page /UserUnit 2\n", 1))


def stamped(path: Path) -> None:
    """A page with a turned line at its edge, as arXiv stamps it."""
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), pagesize=(595, 842))
    for left, bottom, line in LINES:
        canvas.setFillColorRGB(1, 0, 0)
        canvas.drawString(left, bottom, line)
    canvas.setFillColorRGB(0, 0, 0)
    canvas.rotate(90)
    canvas.drawString(200, -30, "arXiv:1987.00001v1 [harbours] 1 May 1987")
    canvas.save()


COMPOUND = [
    (100, 700, "In a non-local case the price-"),
    (100, 686, "determining factors apply."),
]
APPLY = "In a non-local case the pricedetermining factors apply."
"""As the index has it, which takes the hyphen at the end of a line for that of a divided word."""
HIDDEN = [(100, 700, "Nobody can see this line."), (100, 400, "The pier is open.")]
CASES: dict[str, tuple[Any, str, Callable[[Path], None] | None, str]] = {
    "zotero-mcp 381": (LINES, WHOLE, boxed(mediabox=(-60, 40, 535, 882)), ""),
    "docling-parse 125": (LINES, WHOLE, boxed(cropbox=(-50, -50, 700, 900)), ""),
    "pdfplumber 1054": (LINES, WHOLE, boxed(cropbox=(40, 300, 500, 760)), ""),
    "ragflow 13097": (LINES, WHOLE, enlarged, ""),
    "pdf_oxide 1340": (COLUMNS, ACROSS, None, ""),
    "pdf_oxide 1340, rejoined": (COLUMNS, ACROSS.replace("-\n\n", ""), None, ""),
    "pdf2txt 52": (LIGATURES, FLOATED, None, ""),
    "xberg 1543, pdf.js 19120": (COMPOUND, APPLY, None, ""),
    "liteparse 250": (LINES, WHOLE, stamped, ""),
    "an owner's password": (LINES, WHOLE, None, "secret"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_red_words_are_marked_and_no_others(tmp_path: Path, case: str) -> None:
    red, quote, change, secret = CASES[case]
    (tmp_path / "reports").mkdir()
    write_pdf(tmp_path / "reports" / "a.pdf", red, secret=secret)
    if change:
        change(tmp_path / "reports" / "a.pdf")
    hopyard.build_index(tmp_path / "index", tmp_path / "reports", kinds=["sparse"])
    file, place = found(tmp_path, "a.pdf", [quote])
    assert file is not None
    assert (place.why, list(place.marks)) == ("", [1])
    seen = reds(Image.open(io.BytesIO(draw_page(file, 1, 1000))))
    assert seen.sum() > 200
    height, width = seen.shape
    marked = np.zeros_like(seen)
    for left, top, right, bottom in place.marks[1]:
        rows = slice(int(top * height) - 2, int(bottom * height) + 3)
        marked[rows, int(left * width) - 2 : int(right * width) + 3] = True
    assert not (seen & ~marked).any()
    assert marked.sum() < 12 * seen.sum(), "much more than the words is marked"


def test_words_outside_the_visible_page_are_not_marked(tmp_path: Path) -> None:
    """pdf-inspector 318: a page is cut, and has text outside."""
    (tmp_path / "reports").mkdir()
    write_pdf(tmp_path / "reports" / "a.pdf", HIDDEN)
    boxed(cropbox=(50, 300, 500, 600))(tmp_path / "reports" / "a.pdf")
    hopyard.build_index(tmp_path / "index", tmp_path / "reports", kinds=["sparse"])
    for quote, seen in ((HIDDEN[0][2], []), (HIDDEN[1][2], [1])):
        _, place = found(tmp_path, "a.pdf", [quote])
        assert list(place.marks) == seen
        assert all(
            0 <= edge <= 1 for boxes in place.marks.values() for box in boxes for edge in box
        )
