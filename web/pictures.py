"""Pages of PDF files as pictures, and whether words are where an index says that they are.

PDFium may run in one thread at a time.
"""

from __future__ import annotations

import ctypes
import io
import re
import threading
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from hopyard.indexes.documents.files import shown
from hopyard.indexes.passages.marks import Mark

__all__ = ("WIDTHS", "PictureError", "count_pages", "draw_page", "is_there")

WIDTHS: Final = (1000, 2000)
"""Widths in pixels that a page is drawn in: as it is read, and larger."""
_MOST_PIXELS: Final = 8_000_000
"""Of a picture: a page may be far higher than wide."""
_HIGHEST: Final = 16_000
"""Pixels of a picture's height; WebP has at most 16,383."""
_QUALITIES: Final = (10, 1)
"""Of WebP: of a page as it is read, and of one that would be too large (`benchmarks/pictures.py`).
Small figures in tables stay legible."""
_LARGE: Final = 100_000
"""Bytes of a page as it is read."""
_MARGINS: Final = ((0.0, 0.25), (0.0, 0.4), (0.25, 0.0))
"""Shares of a box's width and height that are left out at both sides: the letters of other lines
reach into it from above and below, on a page of turned text from left and right."""
_STEPS: Final = 1 << 15
_NUMBER: Final = re.compile(r"\d+")
_pdfium: Final = threading.Lock()


class PictureError(Exception):
    """A file is no PDF that can be drawn, or it lacks the page."""


def draw_page(path: Path, number: int, width: int) -> bytes:
    """A page as a WebP picture.

    Args:
        path: The PDF file.
        number: The page, from 1.
        width: Pixels; fewer for a page that is very high.

    Raises:
        PictureError: The file cannot be drawn, or has no such page.
    """
    with _opened(path) as document, _page_of(document, number) as page:
        across, down = page.get_size()
        scale = min(width / across, (_MOST_PIXELS / (across * down)) ** 0.5, _HIGHEST / down)
        picture = page.render(scale=scale, prefer_bgrx=True).to_pil()
    for quality in _QUALITIES:
        written = io.BytesIO()
        picture.save(written, "WEBP", quality=quality, method=0)
        if written.tell() < _LARGE or width > WIDTHS[0]:
            break
    return written.getvalue()


def count_pages(path: Path) -> int:
    """How many pages a PDF file has.

    Raises:
        PictureError: The file cannot be read.
    """
    with _opened(path) as document:
        return len(document)


def is_there(path: Path, words: str, marks: Sequence[Mark]) -> bool:
    """Whether a file has exactly these words in the boxes of the marks.

    The letters and digits are compared, so a file that changed since it was indexed is noticed.

    Args:
        path: The PDF file.
        words: The words, in the order of the boxes.
        marks: Where an index has the words.

    Raises:
        PictureError: The file cannot be read, or lacks one of the pages.
    """
    with _opened(path) as document:
        return any(
            _same(words, " ".join(_texts_in(document, marks, *margins))) for margins in _MARGINS
        )


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    import pypdfium2

    with _pdfium:
        try:
            document = pypdfium2.PdfDocument(path)
            document.init_forms()  # the values of fields are drawn
        except (pypdfium2.PdfiumError, OSError) as error:
            raise PictureError(f"{shown(Path(path.name))} cannot be drawn ({error}).") from error
        try:
            yield document
        finally:
            document.close()


@contextmanager
def _page_of(document: Any, number: int) -> Iterator[Any]:
    import pypdfium2

    if not 1 <= number <= len(document):
        raise PictureError(f"The file has {len(document)} pages, and no page {number}.")
    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError as error:
        raise PictureError(f"Page {number} cannot be drawn ({error}).") from error
    try:
        yield page
    finally:
        page.close()


def _texts_in(document: Any, marks: Sequence[Mark], beside: float, above: float) -> Iterator[str]:
    """The text in each box without its margins, which are shares of its width and height."""
    from hopyard.indexes.documents.readers.pdf.forms import notes_on
    from hopyard.indexes.documents.readers.pdf.places import Turn

    for mark in marks:
        with _page_of(document, mark.page) as page:
            text, fields = page.get_textpage(), notes_on(document, page, Turn.UPRIGHT)[0]
            for left, top, right, bottom in mark.boxes:
                across, down = beside * (right - left), above * (bottom - top)
                ends = (
                    _point(page, left + across, top + down),
                    _point(page, right - across, bottom - down),
                )
                (x, x_end), (y, y_end) = map(sorted, zip(*ends, strict=True))
                yield text.get_text_bounded(x, y, x_end, y_end)
                for field in fields:  # the values of a form are no part of its text
                    middle, height = (field.left + field.right) / 2, (field.top + field.bottom) / -2
                    if x < middle < x_end and y < height < y_end:
                        yield field.text
            text.close()


def _point(page: Any, across: float, down: float) -> tuple[float, float]:
    import pypdfium2.raw as pdfium

    x, y = ctypes.c_double(), ctypes.c_double()
    place = (round(across * _STEPS), round(down * _STEPS), ctypes.byref(x), ctypes.byref(y))
    pdfium.FPDF_DeviceToPage(page.raw, 0, 0, _STEPS, _STEPS, 0, *place)
    return x.value, y.value


def _same(wanted: str, found: str) -> bool:
    """Whether two texts have the same letters and digits. Lines of a turned page may be mixed."""
    letters, others = _letters(wanted), _letters(found)
    if letters == others:
        return letters != ""
    numbers = (sorted(_NUMBER.findall(text)) for text in (wanted, found))
    return sorted(letters) == sorted(others) and next(numbers) == next(numbers)


def _letters(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())
