"""The straight lines that are drawn on a page."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from itertools import compress
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium

from hopyard.indexes.documents.readers.pdf.native import are_stroked, drawings
from hopyard.indexes.documents.readers.pdf.places import Box, Turn, turned

THIN: Final = 3.0
"""The width of a ruled line in points, at most; also how far ends of lines may be apart."""
MOST_RULES: Final = 5000
"""A page with more lines is a drawing."""


def lines_drawn(page: Any, turn: Turn) -> list[Box]:
    """The straight lines of the drawings of a page, as boxes; thin rectangles are lines.

    None if they run in one direction only, as on most pages.
    """
    handles, boxes = drawings(page)
    sizes = boxes[:, 2:] - boxes[:, :2]
    thin = sizes.min(axis=1) <= THIN
    stroked = ~thin  # the others are backgrounds
    stroked[stroked] = are_stroked([*compress(handles, stroked.tolist())])
    if not stroked.any() and not (sizes[thin] > THIN).any(axis=0).all():
        return []
    found: list[Box] = []
    for number in np.flatnonzero(thin | stroked).tolist():
        if thin[number]:
            found.append(turned(turn, *boxes[number].tolist()))
        else:
            path = ctypes.cast(handles[number], pdfium.FPDF_PAGEOBJECT)
            found += [turned(turn, *part) for part in _segments(path)]
    return found


def _segments(drawing: Any) -> Iterator[Box]:
    """The straight lines of a path, as left, bottom, right, top on the page."""
    count = pdfium.FPDFPath_CountSegments(drawing)
    if not 2 <= count <= MOST_RULES:
        return
    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(drawing, ctypes.byref(matrix))
    x, y = ctypes.c_float(), ctypes.c_float()
    begin = before = (0.0, 0.0)
    for number in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(drawing, number)
        pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        point = (
            matrix.a * x.value + matrix.c * y.value + matrix.e,
            matrix.b * x.value + matrix.d * y.value + matrix.f,
        )
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == pdfium.FPDF_SEGMENT_MOVETO:
            begin = point
        elif kind == pdfium.FPDF_SEGMENT_LINETO:
            yield _between(before, point)
        before = point
        if pdfium.FPDFPathSegment_GetClose(segment):
            yield _between(point, begin)
            before = begin


def _between(one: tuple[float, float], other: tuple[float, float]) -> Box:
    return (
        min(one[0], other[0]),
        min(one[1], other[1]),
        max(one[0], other[0]),
        max(one[1], other[1]),
    )
