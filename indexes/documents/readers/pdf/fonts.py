"""The fonts of words: their size, and whether they are bold."""

from __future__ import annotations

import ctypes
import math
import re
from typing import Any, Final

import pypdfium2.raw as pdfium

from hopyard.indexes.documents.readers.pdf.places import Word

_BOLD: Final = 600
_BOLD_NAME: Final = re.compile(
    r"bold|black|heavy|demi|^(?:cm|sf|ec)(?:ss)?b(?:x\w*)?\d", re.IGNORECASE
)
_PLAIN_NAME: Final = re.compile(
    r"regular|roman|italic|slant|oblique|book|light|^(?:cm|sf|ec)[a-z]+\d", re.IGNORECASE
)


def em(page: Any, word: Word) -> float:
    """The size of the font of a word's first letter, in points."""
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFText_GetMatrix(page.raw, word.first, ctypes.byref(matrix))
    size = float(pdfium.FPDFText_GetFontSize(page.raw, word.first))
    return size * math.hypot(matrix.c, matrix.d)


def is_bold(page: Any, word: Word) -> bool:
    """Whether the word's first letter is bold."""
    if word.first < 0:
        return False
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(page.raw, word.first, name, 128, ctypes.byref(flags))
    weight = pdfium.FPDFText_GetFontWeight(page.raw, word.first)
    return bold_font(name.value.decode("latin-1"), weight)


def bold_font(name: str, weight: int) -> bool:
    """Whether a font is bold: by its name, or by its weight if the name does not say.

    A file may have no weight, and PDFium then takes one from the width of the stems. LaTeX's usual
    font gets 744.
    """
    if _BOLD_NAME.search(name):
        return True
    return weight >= _BOLD and not _PLAIN_NAME.search(name)
