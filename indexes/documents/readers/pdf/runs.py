"""Runs of characters without a space: their places, asked and compared at once for a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hopyard.indexes.documents.readers.pdf.native import Boxes, places

Span = tuple[int, int]
"""The number of the first character of a run, and of the one after it."""
SMALLER: Final = 0.85
"""The height of raised letters beside that of the others, at most."""
SAME: Final = 0.25
"""How far a copy of a word is from it, in its widths or heights, at most: it is drawn twice."""
NEAR: Final = 0.12
"""The gap within a word, in heights of its letters, at most."""


def placed(page: Any, text: str, spans: Sequence[Span]) -> tuple[Boxes, npt.NDArray[np.bool_]]:
    """The place of each run, and whether it is upright and in letters of one height.

    A single character is turned as the run before it is.
    """
    ends = places(page, [place for first, end in spans for place in (first, end - 1)])
    start, close = ends[::2], ends[1::2]
    heights = ends[:, 3] - ends[:, 1]
    low = np.minimum(heights[::2], heights[1::2])
    high = np.maximum(heights[::2], heights[1::2])
    marked = [
        (number, last)
        for number, (first, end) in enumerate(spans)
        if not text[end - 1].isalnum() and (last := last_letter(text, first, end)) > first
    ]
    if marked:  # raised letters before a full stop
        numbers, letters = map(list, zip(*marked, strict=True))
        inner = places(page, letters)
        inner = inner[:, 3] - inner[:, 1]
        low[numbers] = np.minimum(low[numbers], inner)
        high[numbers] = np.maximum(high[numbers], inner)
    across, up = (close[:, :2] + close[:, 2:] - start[:, :2] - start[:, 2:]).T
    single = np.array([end - first == 1 for first, end in spans])
    boxes = np.hstack(
        [np.minimum(start[:, :2], close[:, :2]), np.maximum(start[:, 2:], close[:, 2:])]
    )
    plain = (single | (across > 2 * np.abs(up))) & (low > SMALLER * high)
    return boxes, plain & (boxes[:, 2:] > boxes[:, :2]).all(axis=1)


def are_near(boxes: Boxes) -> npt.NDArray[np.bool_]:
    """Whether a word may continue the one before it."""
    left, bottom, right, top = boxes.T
    height = np.maximum(top - bottom, np.roll(top - bottom, 1))
    gap = left - np.roll(right, 1)
    near: npt.NDArray[np.bool_] = (gap < NEAR * height) & (gap >= -height)
    return near


def may_have_copies(text: str, spans: Sequence[Span], boxes: Boxes) -> bool:
    """Whether some words are drawn twice: those of equal text are compared in their order."""
    names = np.array([hash(text[first:end]) for first, end in spans])
    order = np.lexsort((boxes[:, 0], boxes[:, 3], names))
    left, bottom, right, top = boxes[order].T
    same = names[order][1:] == names[order][:-1]
    for shift, size in ((np.diff(left), right - left), (np.diff(top), top - bottom)):
        same &= np.abs(shift) < SAME * size[1:]
    return bool(same.any())


def last_letter(text: str, first: int, end: int) -> int:
    """The place of the last letter or digit of a run, or the place before a run without any."""
    while end > first and not text[end - 1].isalnum():
        end -= 1
    return end - 1
