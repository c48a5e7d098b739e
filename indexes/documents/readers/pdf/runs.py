"""Runs of characters without a space: their places, asked and compared at once for a page."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import compress
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from hopyard.indexes.documents.readers.pdf.native import Boxes, places

SMALLER: Final = 0.85
"""The height of raised letters beside that of the others, at most."""
SAME: Final = 0.25
"""How far a copy of a word is from it, in its widths or heights, at most: it is drawn twice."""
NEAR: Final = 0.12
"""The gap within a word, in heights of its letters, at most."""

_MOST: Final = 0xFFFF
"""The last character of the basic plane; those behind it are signs as it is."""
_ASCII: Final = 0x7F
_HYPHEN, _SIGN, _LETTER = 1, 2, 3
"""Kinds of characters; 0 is between runs."""


class Runs(NamedTuple):
    """The runs of a page; arrays of shape [runs].

    Attributes:
        texts: Their characters.
        starts: The number of each one's first character.
        sizes: How many characters they have.
        lettered: Whether the last character is a letter or digit.
        odd: Whether characters are not as they are read: other than ASCII, or twice.
    """

    texts: list[str]
    starts: list[int]
    sizes: npt.NDArray[np.int64]
    lettered: npt.NDArray[np.bool_]
    odd: npt.NDArray[np.bool_]

    def only(self, here: npt.NDArray[np.bool_]) -> Runs:
        """Some of them."""
        texts, starts = compress(self.texts, here), compress(self.starts, here)
        return Runs([*texts], [*starts], self.sizes[here], self.lettered[here], self.odd[here])


def runs_of(text: str) -> Runs:
    """The runs of a page. PDFium marks a hyphen at the end of a line, and writes on."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = np.append(_kinds()[np.minimum(codes, _MOST)], 0)
    edges = np.flatnonzero(np.diff(kinds >= _SIGN, prepend=False))
    starts, ends = edges[::2], edges[1::2]
    ends = ends + (kinds[ends] == _HYPHEN)
    others = np.append(0, np.cumsum(codes > _ASCII))
    twice = (ends > starts + 1) & (codes[starts] == codes[np.minimum(starts + 1, len(codes) - 1)])
    last = kinds[ends - 1]
    firsts = starts.tolist()
    return Runs(
        [text[first:end] for first, end in zip(firsts, ends.tolist(), strict=True)],
        firsts,
        ends - starts,
        last == _LETTER,
        twice | (others[ends] > others[starts]) | (last == _HYPHEN),
    )


@cache
def _kinds() -> npt.NDArray[np.uint8]:
    """The kind of each character of the basic plane."""
    signs = map(chr, range(_MOST + 1))
    kinds = [_LETTER if sign.isalnum() else 0 if sign.isspace() else _SIGN for sign in signs]
    found = np.array(kinds, np.uint8)
    found[[0, 0x200B, 0xFEFF]] = 0
    found[[2, 0xFFFE]] = _HYPHEN
    return found


def placed(page: Any, runs: Runs) -> tuple[Boxes, npt.NDArray[np.bool_]]:
    """The place of each run, and whether it is upright and in letters of one height.

    A single character is turned as the run before it is.
    """
    starts = np.array(runs.starts)
    ends = places(page, np.stack([starts, starts + runs.sizes - 1], 1).ravel().tolist())
    start, close = ends[::2], ends[1::2]
    heights = ends[:, 3] - ends[:, 1]
    low = np.minimum(heights[::2], heights[1::2])
    high = np.maximum(heights[::2], heights[1::2])
    marked = [
        (number, runs.starts[number] + last)
        for number in np.flatnonzero(~runs.lettered & (runs.sizes > 1)).tolist()
        if (last := last_letter(runs.texts[number])) > 0
    ]
    if marked:  # raised letters before a full stop, or a mark above the last letter
        numbers, letters = map(list, zip(*marked, strict=True))
        inner = places(page, letters)
        close[numbers, :2] = np.minimum(close[numbers, :2], inner[:, :2])
        close[numbers, 2:] = np.maximum(close[numbers, 2:], inner[:, 2:])
        inner = inner[:, 3] - inner[:, 1]
        low[numbers] = np.minimum(low[numbers], inner)
        high[numbers] = np.maximum(high[numbers], inner)
    across, up = (close[:, :2] + close[:, 2:] - start[:, :2] - start[:, 2:]).T
    boxes = np.hstack(
        [np.minimum(start[:, :2], close[:, :2]), np.maximum(start[:, 2:], close[:, 2:])]
    )
    plain = ((runs.sizes == 1) | (across > 2 * np.abs(up))) & (low > SMALLER * high)
    return boxes, plain & (boxes[:, 2:] > boxes[:, :2]).all(axis=1)


def are_near(boxes: Boxes) -> npt.NDArray[np.bool_]:
    """Whether a word may continue the one before it."""
    left, bottom, right, top = boxes.T
    height = np.maximum(top - bottom, np.roll(top - bottom, 1))
    gap = left - np.roll(right, 1)
    near: npt.NDArray[np.bool_] = (gap < NEAR * height) & (gap >= -height)
    return near


def may_have_copies(texts: Sequence[str], boxes: Boxes) -> bool:
    """Whether some words are drawn twice: those of equal text are compared in their order."""
    names = np.fromiter(map(hash, texts), np.int64, len(texts))
    order = np.lexsort((boxes[:, 0], boxes[:, 3], names))
    left, bottom, right, top = boxes[order].T
    same = names[order][1:] == names[order][:-1]
    for shift, size in ((np.diff(left), right - left), (np.diff(top), top - bottom)):
        same &= np.abs(shift) < SAME * size[1:]
    return bool(same.any())


def last_letter(run: str) -> int:
    """The place of the last letter or digit of a run, or -1 for a run without any."""
    end = len(run)
    while end and not run[end - 1].isalnum():
        end -= 1
    return end - 1
