"""The places of the words of a page's Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from operator import attrgetter
from typing import Final

import numpy as np
import numpy.typing as npt

from hopyard.indexes.corpus.boxes import pack_boxes, without_space
from hopyard.indexes.documents.readers.pdf.layout import Part
from hopyard.indexes.documents.readers.pdf.places import Frame, Word, turned
from hopyard.state.text.unicode import HYPHENS

_AHEAD: Final = 200
"""Characters that Markdown puts between two words at most: bars, and the line below a head."""
_SIDES: Final = attrgetter("turn", "left", "top", "right", "bottom")
_MARKS: Final = "|-#\\"


def packed_positions(parts: Iterable[Part], frame: Frame) -> bytes:
    """The places of the words of a page's Markdown, for `corpus.boxes.unpack_boxes`."""
    starts: list[int] = []
    ends: list[int] = []
    words: list[Word] = []
    begin = 0
    for text, lines in parts:
        flat = without_space(text)
        place = 0
        for line in lines:
            line_begin = place
            texts = [word.text for word in line.words]
            if flat.startswith("".join(texts), place):  # nearly every line of prose
                places = list(accumulate(map(len, texts), initial=begin + place))
                starts += places[:-1]
                ends += places[1:]
                words += line.words
                place = places[-1] - begin
            else:
                for word in line.words:
                    if span := _span(flat, place, word.text):
                        place = span[1]
                        starts.append(begin + span[0])
                        ends.append(begin + place)
                        words.append(word)
            if not line.words or line.text.startswith("|"):  # a row is in the text as it is
                place = line_begin + len(without_space(line.text))
        begin += len(flat)
    return pack_boxes(starts, ends, _shares(words, frame)) if starts else b""


def _span(flat: str, place: int, text: str) -> tuple[int, int] | None:
    """Where a word begins and ends, if nothing but marks of Markdown are before it."""
    if flat.startswith(text, place):
        return place, place + len(text)
    text = without_space(text)
    # A word may be divided at the end of a line, or dots may lead from it.
    for shown in (text, text.strip(HYPHENS), text.rstrip(".")):
        start = flat.find(shown, place, place + len(shown) + _AHEAD)
        if shown and start >= 0 and not flat[place:start].strip(_MARKS):
            return start, start + len(shown)
    return None


def _shares(words: Sequence[Word], frame: Frame) -> npt.NDArray[np.float64]:
    """The boxes of words as shares of the page as it is shown, from its top left corner."""
    sides = np.fromiter(chain.from_iterable(map(_SIDES, words)), np.float64, 5 * len(words))
    boxes, turns = sides.reshape(-1, 5)[:, 1:], sides[::5]
    boxes = boxes[:, [0, 3, 2, 1]] * (1, -1, 1, -1)
    for number in np.flatnonzero(turns).tolist():
        word = words[number]
        boxes[number] = turned(word.turn, word.left, word.top, word.right, word.bottom)
    corner, right, down = np.array(frame)
    to_shares = np.linalg.inv([right - corner, down - corner])
    one, other = ((boxes[:, sides] - corner) @ to_shares for sides in ((0, 1), (2, 3)))
    return np.hstack([np.minimum(one, other), np.maximum(one, other)])
