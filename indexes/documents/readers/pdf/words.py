"""The words of a page with their places, from PDFium's characters.

PDFium says where a word ends. Only the first and last character of a word are asked for their
place, because each such question costs about as much as reading a character.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import pypdfium2.raw as pdfium

from hopyard.state.text.unicode import valid_unicode

__all__ = ("Box", "Turn", "Word", "is_bold", "turned", "words_of")

Box = tuple[float, float, float, float]
"""Left, top, right, bottom in points, as the text is read: y grows downwards."""

_RUN: Final = re.compile(r"[^\s\u200b\ufeff\x00\ufffe\x02]+[\ufffe\x02]?")
"""Characters without a space. PDFium marks a hyphen at the end of a line, and writes on."""
_RIGHT_TO_LEFT: Final = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_FORMS: Final = re.compile(r"[\ufb00-\ufdff\ufe70-\ufeff]+")
"""Ligatures, and the forms that letters take within a word."""
_DOUBLED: Final = re.compile(r"(?:(.)\1){2,}")
_LAST_BUT_ENDING: Final = re.compile(r"\w(?=\W+$)")
_HYPHENS: Final = str.maketrans({"\ufffe": "-", "\x02": "-", "\u00ad": ""})
_SMALLER: Final = 0.85
"""The height of raised letters beside that of the others, at most."""
_RAISED: Final = 0.12
"""How far above the line raised letters end, in heights of the line's letters, at least."""
_SAME: Final = 0.25
"""How far a copy of a word is from it, in its widths or heights, at most: it is drawn twice."""
_NEAR: Final = 0.12
"""The gap within a word, in heights of its letters, at most."""
_KERNED: Final = 0.05
"""The gap within a word that PDFium may take for a space, at most."""
_SLANT: Final = 10
"""Degrees by which text may be off a quarter turn."""
_BOLD: Final = 600


class Turn(IntEnum):
    """How text is turned on its page."""

    UPRIGHT = 0
    LEFT = 1
    OVER = 2
    RIGHT = 3
    ASKEW = 4


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

    @property
    def right_to_left(self) -> bool:
        """Whether it is Hebrew, Arabic or the like."""
        return _RIGHT_TO_LEFT.search(self.text) is not None


def turned(turn: Turn, left: float, bottom: float, right: float, top: float) -> Box:
    """A box of the page, whose y grows upwards, as it lies before someone who reads the text."""
    match turn:
        case Turn.LEFT:
            return bottom, left, top, right
        case Turn.OVER:
            return -right, bottom, -left, top
        case Turn.RIGHT:
            return -top, -right, -bottom, -left
        case _:
            return left, -top, right, -bottom


def words_of(page: Any) -> list[Word]:
    """The words of a text page (`PdfTextPage`), in PDFium's order; words drawn twice once."""
    text = _characters(page.raw)
    place = _places(page.raw)
    words: list[Word] = []
    drawn: dict[str, list[Word]] = {}
    turn = Turn.UPRIGHT
    for match in _RUN.finditer(text):
        for word in _words_of_run(page.raw, match, place, turn):
            turn = word.turn
            copies = drawn.setdefault(word.text, [])
            if _is_among(word, copies):
                continue
            copies.append(word)
            if words and word.left - words[-1].right < _NEAR * word.height:
                in_run = word.first > match.start()
                if _continues(page.raw, words[-1], word, in_run=in_run):
                    continue
            words.append(word)
    return words


def is_bold(page: Any, word: Word) -> bool:
    """Whether the word's first letter is bold, by its font's weight or name."""
    if word.first < 0:
        return False
    if pdfium.FPDFText_GetFontWeight(page.raw, word.first) >= _BOLD:
        return True
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(page.raw, word.first, name, 128, ctypes.byref(flags))
    return b"bold" in name.value.lower()


def _characters(page: Any) -> str:
    """The characters of a page, each at its number."""
    count = pdfium.FPDFText_CountChars(page)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    if pdfium.FPDFText_GetText(page, 0, count, buffer) == count + 1:
        text = bytes(buffer)[:-2].decode("utf-16-le", "replace")
        if len(text) == count:
            return text
    codes = (pdfium.FPDFText_GetUnicode(page, number) for number in range(count))
    return "".join(map(chr, codes))


Place = Callable[[int], Box]


def _places(page: Any) -> Place:
    """Left, bottom, right, top of a character by its number, where y grows upwards."""
    box = pdfium.FS_RECTF()
    reference = ctypes.byref(box)

    def place(number: int) -> Box:
        pdfium.FPDFText_GetLooseCharBox(page, number, reference)
        return box.left, box.bottom, box.right, box.top

    return place


def _words_of_run(page: Any, match: re.Match[str], place: Place, before: Turn) -> Sequence[Word]:
    """The words of a run without spaces: one for each stretch of letters of equal height.

    A single character is turned as the run before it is.
    """
    first, last = match.start(), match.end() - 1
    run = match.group()
    start = place(first)
    end = start if first == last else place(last)
    up = end[1] + end[3] - start[1] - start[3]
    if (
        end[0] + end[2] - start[0] - start[2] > 2 * abs(up)
        and _alike(start[3] - start[1], end[3] - end[1])
        and run[-1].isalnum()
    ):  # nearly every word
        if not run.isascii() or run[0] == run[1]:
            run = _once(run, first, place)
        top, bottom = max(start[3], end[3]), min(start[1], end[1])
        return (Word(start[0], -top, end[2], -bottom, run, first),)
    turn = before if first == last else _turn(page, run, first, start, end)
    height = _width if turn in (Turn.LEFT, Turn.RIGHT) else _height
    heights = [height(start), height(end)]
    if (ending := _LAST_BUT_ENDING.search(run)) and first < last:
        heights.append(height(place(first + ending.start())))
    pieces = [(first, last)]
    if not _alike(min(heights), max(heights)):
        pieces = list(_pieces([height(place(number)) for number in range(first, last + 1)], first))
    found: list[Word] = []
    for begin, close in pieces:
        left_end = start if begin == first else place(begin)
        right_end = end if close == last else left_end if close == begin else place(close)
        left, top, right, bottom = turned(turn, *_around(left_end, right_end))
        if right > left and bottom > top:
            piece = _once(run[begin - first : close - first + 1], begin, place)
            found.append(Word(left, top, right, bottom, piece, begin, turn))
    return found


def _alike(one: float, other: float) -> bool:
    return one > _SMALLER * other and other > _SMALLER * one


def _once(piece: str, first: int, place: Place) -> str:
    """The characters as they are read; letters that are each drawn twice, once."""
    if _DOUBLED.fullmatch(piece) and _is_same(place(first), place(first + 1)):
        piece = piece[::2]
    piece = piece.translate(_HYPHENS)
    if not piece.isascii():
        piece = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), piece)
        piece = valid_unicode(piece)
    return piece


def _around(one: Box, other: Box) -> Box:
    return (
        min(one[0], other[0]),
        min(one[1], other[1]),
        max(one[2], other[2]),
        max(one[3], other[3]),
    )


def _height(box: Box) -> float:
    return box[3] - box[1]


def _width(box: Box) -> float:
    return box[2] - box[0]


def _pieces(heights: list[float], first: int) -> Iterator[tuple[int, int]]:
    """First and last character of each stretch of equal height."""
    start = 0
    for number in range(1, len(heights)):
        low, high = sorted((heights[start], heights[number]))
        if not _alike(low, high):
            yield first + start, first + number - 1
            start = number
    yield first + start, first + len(heights) - 1


def _turn(page: Any, run: str, first: int, start: Box, end: Box) -> Turn:
    across = end[0] + end[2] - start[0] - start[2]
    up = end[1] + end[3] - start[1] - start[3]
    if across > 2 * abs(up):
        return Turn.UPRIGHT
    if across < -2 * abs(up) and _RIGHT_TO_LEFT.search(run):
        return Turn.UPRIGHT
    # PDFium counts angles clockwise.
    angle = math.degrees(pdfium.FPDFText_GetCharAngle(page, first)) % 360
    quarter, rest = divmod(angle + 45, 90)
    if abs(rest - 45) > _SLANT:
        return Turn.ASKEW
    return (Turn.UPRIGHT, Turn.RIGHT, Turn.OVER, Turn.LEFT)[int(quarter) % 4]


def _continues(page: Any, before: Word, word: Word, *, in_run: bool) -> bool:
    """Add to a word what belongs to it: raised letters, small capitals, letters moved together."""
    gap = word.left - before.right
    taller = max(word.height, before.height)
    if before.turn is not word.turn or gap < -taller:
        return False
    if not in_run and not pdfium.FPDFText_IsGenerated(page, word.first - 1):
        return False  # a space or the end of a line, as the file has it
    if _lifted(word, before) and before.text[-1].isalnum():
        before.text += f"^{word.text}"
    elif in_run and _lifted(before, word) and before.text.isdigit():
        before.text = f"^{before.text} {word.text}"
    elif in_run or max(abs(before.bottom - word.bottom), gap) < _KERNED * taller:
        before.text += word.text
    else:
        return False
    before.right = max(before.right, word.right)
    before.top = min(before.top, word.top)
    before.bottom = max(before.bottom, word.bottom)
    return True


def _lifted(word: Word, other: Word) -> bool:
    """Whether a word in smaller letters is above the foot of the other, and beside it."""
    return (
        word.height < _SMALLER * other.height
        and other.bottom - word.bottom > _RAISED * other.height
        and word.bottom > other.top
    )


def _is_among(word: Word, copies: Sequence[Word]) -> bool:
    """Whether the same word was drawn at nearly the same place."""
    across, down = _SAME * (word.right - word.left), _SAME * word.height
    for other in copies:
        if abs(word.top - other.top) < down and abs(word.left - other.left) < across:
            return True
    return False


def _is_same(one: Box, other: Box) -> bool:
    return all(
        abs(mine - its) < _SAME * (one[3] - one[1]) for mine, its in zip(one, other, strict=True)
    )
