"""PDFium's functions that are asked once for each character or drawing of a page.

`pypdfium2` makes an object of each argument and result. Here they are plain numbers, and `map`
calls the functions without a line of Python between: a call takes half the time. A page that is
asked for thousands of objects is one `c_void_p`, which saves a third of the rest.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Sequence
from ctypes import c_int, c_void_p
from itertools import compress, repeat
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

Boxes = npt.NDArray[np.float32]
"""Left, bottom, right, top in points, where y grows upwards; shape [n, 4]."""


def _native(function: Any, result: Any, *arguments: Any) -> Callable[..., int]:
    prototype = ctypes.PYFUNCTYPE(result, *arguments)
    return prototype(ctypes.cast(function, c_void_p).value or 0)


_HYPHEN: Final = "\ufffe"
_CALLS: Final = deque[int](maxlen=0)
_place: Final = _native(pdfium.FPDFText_GetLooseCharBox, c_int, c_void_p, c_int, c_void_p)
_object: Final = _native(pdfium.FPDFPage_GetObject, c_void_p)
_kind: Final = _native(pdfium.FPDFPageObj_GetType, c_int, c_void_p)
_bounds: Final = _native(pdfium.FPDFPageObj_GetBounds, c_int, c_void_p, *[c_void_p] * 4)
_mode: Final = _native(pdfium.FPDFPath_GetDrawMode, c_int, *[c_void_p] * 3)


def characters(page: Any) -> str:
    """The characters of a text page (`PdfTextPage`), each at its number.

    PDFium gives a letter without a meaning the sign of a hyphen at the end of a line. It is U+FFFD.
    """
    text = _characters(page)
    if _HYPHEN not in text:
        return text
    pieces = text.split(_HYPHEN)
    found = pieces[0]
    for piece in pieces[1:]:
        is_hyphen = pdfium.FPDFText_IsHyphen(page.raw, len(found)) == 1
        found += f"{_HYPHEN if is_hyphen else chr(0xFFFD)}{piece}"
    return found


def _characters(page: Any) -> str:
    count = pdfium.FPDFText_CountChars(page.raw)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    if pdfium.FPDFText_GetText(page.raw, 0, count, buffer) == count + 1:
        text = bytes(buffer)[:-2].decode("utf-16-le", "replace")
        if len(text) == count:
            return text
    codes = (pdfium.FPDFText_GetUnicode(page.raw, number) for number in range(count))
    return "".join(map(chr, codes))


def places(page: Any, numbers: Sequence[int]) -> Boxes:
    """The places of characters of a text page, by their numbers."""
    boxes = np.zeros((len(numbers), 4), np.float32)
    begin = boxes.ctypes.data  # FS_RECTF: left, top, right, bottom
    addresses = range(begin, begin + boxes.nbytes, 16)
    _CALLS.extend(map(_place, repeat(_address(page).value), numbers, addresses))
    return boxes[:, [0, 3, 2, 1]]


def drawings(page: Any) -> tuple[list[int], Boxes]:
    """The paths of a page (`PdfPage`) as PDFium's handles, and where they are."""
    count = pdfium.FPDFPage_CountObjects(page.raw)
    objects = [*map(_object, repeat(_address(page)), range(count))]
    paths = list(compress(objects, map(pdfium.FPDF_PAGEOBJ_PATH.__eq__, map(_kind, objects))))
    boxes = np.zeros((len(paths), 4), np.float32)
    begin = boxes.ctypes.data
    sides = (range(begin + side, begin + boxes.nbytes, 16) for side in (0, 4, 8, 12))
    _CALLS.extend(map(_bounds, paths, *sides))
    return paths, boxes


def are_stroked(paths: Sequence[int]) -> npt.NDArray[np.bool_]:
    """Whether the lines of paths are drawn; of others, only the inside is filled."""
    modes = np.zeros((len(paths), 2), np.int32)
    begin = modes.ctypes.data
    sides = (range(begin + side, begin + modes.nbytes, 8) for side in (0, 4))
    _CALLS.extend(map(_mode, paths, *sides))
    return modes[:, 1] > 0


def _address(handle: Any) -> c_void_p:
    return ctypes.cast(handle.raw, c_void_p)
