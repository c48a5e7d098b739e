"""Where the words of a page stand, packed into some bytes beside its text.

Offsets count the characters of the page's text that are no white space (`without_space`). So line
ends, blanks and the form feed of a page may change without a loss of the places.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Box = tuple[float, float, float, float]
"""Left, top, right, bottom as shares of the page's width and height, from its top left corner, as a
viewer shows the page: turned and cut as the file says."""

_STEPS: Final = 2048
"""Steps of a share: 0.3 points on a page of 612 points."""
_LEVEL: Final = 1


class PageText(NamedTuple):
    """A page of a document, as an index has it."""

    number: int
    """From 1."""
    text: str
    boxes: bytes
    """The places of its words (`pack_boxes`)."""


class WordBoxes(NamedTuple):
    """The places of the words of a page, in the order of its text."""

    starts: npt.NDArray[np.integer]
    """Where each word begins, without white space; shape [n]. A word may be there twice."""
    ends: npt.NDArray[np.integer]
    """Where it ends; shape [n]."""
    boxes: npt.NDArray[np.float64]
    """Its `Box`; shape [n, 4]."""


def without_space(text: str) -> str:
    """The characters of a text that are no white space."""
    return "".join(text.split())


def pack_boxes(
    starts: Sequence[int], ends: Sequence[int], boxes: npt.NDArray[np.floating]
) -> bytes:
    """The places of words as bytes: about 3 a word.

    Args:
        starts: Where each word begins in the text, without white space.
        boxes: The `Box` of each; shape [n, 4].
    """
    import numpy as np

    places = np.rint(boxes.clip(0, 1) * _STEPS).astype(np.int32)
    spans = np.column_stack([starts, ends])
    columns = (spans.ravel(), places[:, [0, 2]].ravel(), places[:, 1], places[:, 3])
    steps = np.concatenate([np.diff(column, prepend=0) for column in columns])
    folded = (2 * np.abs(steps) - (steps < 0)).astype("<u2")  # 0, -1, 1, -2, … as 0, 1, 2, 3, …
    return zlib.compress(folded.view(np.uint8).reshape(-1, 2).T.tobytes(), _LEVEL)


def unpack_boxes(data: bytes) -> WordBoxes:
    """The places that `pack_boxes` packed."""
    import numpy as np

    planes = np.frombuffer(zlib.decompress(data) if data else b"", np.uint8).reshape(2, -1)
    folded = np.ascontiguousarray(planes.T).view("<u2").ravel().astype(np.int32)
    steps = np.where(folded % 2, -(folded + 1) // 2, folded // 2)
    count = len(steps) // 6
    spans = steps[: 2 * count].cumsum().reshape(-1, 2)
    across = steps[2 * count : 4 * count].cumsum().reshape(-1, 2)
    top, bottom = steps[4 * count :].reshape(2, -1).cumsum(axis=1)
    boxes = np.column_stack([across[:, 0], top, across[:, 1], bottom]) / _STEPS
    return WordBoxes(spans[:, 0], spans[:, 1], boxes)
