"""Where words are on a page, and how they are turned."""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pypdfium2.raw as pdfium

from hopyard.indexes.documents.readers.pdf.native import Boxes

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in points, as the text is read: y grows downwards."""

_RIGHT_TO_LEFT: Final = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")


class Turn(IntEnum):
    """How text is turned on its page."""

    UPRIGHT = 0
    LEFT = 1
    OVER = 2
    RIGHT = 3
    ASKEW = 4


class Frame(NamedTuple):
    """Corners of a page as a viewer shows it, in points of the page, where y grows upwards."""

    top_left: tuple[float, float]
    top_right: tuple[float, float]
    bottom_left: tuple[float, float]

    @classmethod
    def of(cls, page: Any) -> Frame:
        """The frame of a page (`PdfPage`), which the file may cut and turn."""
        x, y = ctypes.c_double(), ctypes.c_double()
        corners = []
        for across, down in ((0, 0), (1, 0), (0, 1)):
            place = (0, 0, 1, 1, 0, across, down, ctypes.byref(x), ctypes.byref(y))
            pdfium.FPDF_DeviceToPage(page.raw, *place)
            corners.append((x.value, y.value))
        return cls(*corners)

    def holds(self, boxes: Boxes) -> npt.NDArray[np.bool_]:
        """Whether the middle of each box is on the page; all are, where none is."""
        edge = np.array([self.top_left, self.top_right, self.bottom_left])
        middle = (boxes[:, :2] + boxes[:, 2:]) / 2
        here: npt.NDArray[np.bool_] = (
            (middle >= edge.min(axis=0)) & (middle <= edge.max(axis=0))
        ).all(axis=1)
        return here if here.any() else ~here


@dataclass(slots=True)
class Word:
    """A word, or the value of a form's field.

    Attributes:
        left, top, right, bottom: Its place as it is read, in points.
        text: Its characters.
        first: The number of its first character on the page, or -1 for a field's value.
        turn: How it is turned on its page.
    """

    left: float
    top: float
    right: float
    bottom: float
    text: str
    first: int = -1
    turn: Turn = Turn.UPRIGHT

    @property
    def height(self) -> float:
        """The height of its letters with ascenders and descenders, in points."""
        return self.bottom - self.top


def is_right_to_left(text: str) -> bool:
    """Whether a text has letters of Hebrew, Arabic or the like."""
    return _RIGHT_TO_LEFT.search(text) is not None


def turned(turn: Turn, left: float, bottom: float, right: float, top: float) -> Box:
    """A box of the page, whose y grows upwards, as it lies before someone who reads the text.

    The way back is the same: `turned(turn, *turned(turn, *box))` is the box.
    """
    match turn:
        case Turn.LEFT:
            return bottom, left, top, right
        case Turn.OVER:
            return -right, bottom, -left, top
        case Turn.RIGHT:
            return -top, -right, -bottom, -left
        case _:
            return left, -top, right, -bottom
