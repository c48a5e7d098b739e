"""The words of a page with their places, from PDFium's characters.

PDFium says where a word ends. Only the first and last character of a word are asked for their
place, because each such question costs about as much as reading a character.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import pypdfium2.raw as pdfium

from hopyard.indexes.documents.readers.pdf.native import Boxes, characters, places
from hopyard.indexes.documents.readers.pdf.places import Frame, Turn, Word, is_right_to_left, turned
from hopyard.indexes.documents.readers.pdf.runs import (
    NEAR,
    SAME,
    SMALLER,
    are_near,
    last_letter,
    may_have_copies,
    placed,
    runs_of,
)
from hopyard.state.text.unicode import valid_unicode

_FORMS: Final = re.compile(r"[\ufb00-\ufdff\ufe70-\ufeff]+")
"""Ligatures, and the forms that letters take within a word."""
_TWICE: Final = re.compile(r"(?<![(ivx])([ij,;])\1(?![)ivx.])")
"""Narrow signs that words seldom have twice, but in Roman numbers. If each letter is drawn twice,
PDFium leaves out the copies of wide letters."""
_ALEF_LAM: Final = re.compile(r"[\u0622\u0623\u0625\u0627]\u0644")
"""The letters of one sign of Arabic, which PDFium turns round with the line."""
_PAIR: Final = re.compile(r"(.)\1")
_COPIED: Final = 0.6
"""How far a letter's copy is from it, in its widths or heights, at most."""
_HYPHENS: Final = str.maketrans({"\ufffe": "-", "\x02": "-", "\u00ad": "-"})
"""PDFium's signs for a hyphen at the end of a line, and the name that fonts give the sign."""
_BEFORE_MARK: Final = ".,;:!?)]”’\"'»%‰€"
"""Signs that the mark of a footnote may follow."""
_RAISED: Final = 0.12
"""How far above the line raised letters end, in heights of the line's letters, at least."""
_KERNED: Final = 0.05
"""The gap within a word that PDFium may take for a space, at most."""
_WITHIN: Final = 0.3
"""The gap between letters beyond ASCII of a word, in heights of the letters, at most."""
_SLANT: Final = 10
"""Degrees by which text may be off a quarter turn."""


def words_of(page: Any, frame: Frame, copies: list[str], beyond: list[str]) -> list[Word]:
    """The words of a text page (`PdfTextPage`), in PDFium's order.

    `copies` takes the words that are drawn on others that are equal; those are read once. `beyond`
    takes those that no viewer shows, because the page was cut.
    """
    text = characters(page)
    runs = runs_of(text)
    if not runs.texts:
        return []
    boxes, plain = placed(page, runs)
    if not (here := frame.holds(boxes)).all():
        beyond += [runs.texts[number] for number in np.flatnonzero(~here).tolist()]
        runs, boxes, plain = runs.only(here), boxes[here], plain[here]
    has_copies = may_have_copies(runs.texts, boxes)
    collected = _Collected(page, copies, has_copies=has_copies)
    odd = runs.odd | (_TWICE.search(text) is not None)
    special = odd | ~plain | are_near(boxes) | has_copies
    if not plain.all():  # single characters are turned as those before them
        special |= runs.sizes == 1
    sides = (boxes * (1, -1, 1, -1))[:, [0, 3, 2, 1]].T.tolist()
    words = list(map(Word, *sides, runs.texts, runs.starts))
    turn = Turn.UPRIGHT
    done = 0
    for number in np.flatnonzero(special).tolist():
        if number > done:
            collected.words += words[done:number]  # nearly every word
            turn = Turn.UPRIGHT
        done = number + 1
        word = words[number]
        run, first = word.text, word.first
        if plain[number] and (turn is Turn.UPRIGHT or len(run) > 1):
            turn = Turn.UPRIGHT
            if odd[number]:
                word.text = _once(page, run, first)
            collected.add(word, first)
            continue
        for piece in _pieces_of_run(page, run, first, turn):
            turn = piece.turn
            collected.add(piece, first)
    collected.words += words[done:]
    return collected.words


def _pieces_of_run(page: Any, run: str, first: int, before: Turn) -> Iterator[Word]:
    """The words of a run without spaces: one for each stretch of letters of equal height."""
    boxes = places(page, range(first, first + len(run)))
    turn = _turn(page, run, first, boxes) if len(run) > 1 else before
    side = 0 if turn in (Turn.LEFT, Turn.RIGHT) else 1
    heights = (boxes[:, side + 2] - boxes[:, side]).tolist()
    letter = max(last_letter(run), 0)
    ends = (heights[0], heights[letter], heights[-1])
    begin = 0
    for end in range(1, len(run) + 1):
        if end < len(run) and (
            _alike(heights[begin], heights[end]) or _alike(min(ends), max(ends))
        ):
            continue
        outer = boxes[[begin, begin + max(last_letter(run[begin:end]), 0), end - 1]]
        around = (*outer[:, :2].min(0), *outer[:, 2:].max(0))
        left, top, right, bottom = turned(turn, *map(float, around))
        if right > left and bottom > top:
            piece = _once(page, run[begin:end], first + begin)
            yield Word(left, top, right, bottom, piece, first + begin, turn)
        begin = end


def _alike(one: float, other: float) -> bool:
    return one > SMALLER * other and other > SMALLER * one


def _once(page: Any, piece: str, first: int) -> str:
    """The characters as they are read; letters that are each drawn twice, once."""
    for found in _ALEF_LAM.finditer(piece) if not piece.isascii() else ():
        alef, lam = places(page, (first + found.start(), first + found.start() + 1))
        if (alef == lam).all():
            piece = f"{piece[: found.start()]}{found[0][::-1]}{piece[found.end() :]}"
    if _PAIR.search(piece):
        boxes = places(page, range(first, first + len(piece)))
        kept = [0]
        for number in range(1, len(piece)):
            size = _COPIED * (boxes[number, 2:] - boxes[number, :2])
            moved = np.abs(boxes[number, :2] - boxes[kept[-1], :2])
            is_ligature = (
                not moved.any()
            )  # such as "tt"; PDFium leaves out a copy at the same place
            if piece[number] != piece[kept[-1]] or is_ligature or (moved >= size).any():
                kept.append(number)
        piece = "".join([piece[number] for number in kept])
    piece = piece.translate(_HYPHENS)
    if not piece.isascii():
        piece = _FORMS.sub(lambda found: unicodedata.normalize("NFKC", found[0]), piece)
        piece = valid_unicode(piece)
    return piece


def _turn(page: Any, run: str, first: int, boxes: Boxes) -> Turn:
    start, end = boxes[0], boxes[-1]
    across, up = end[:2] + end[2:] - start[:2] - start[2:]
    if across > 2 * abs(up) or (across < -2 * abs(up) and is_right_to_left(run)):
        return Turn.UPRIGHT
    # PDFium counts angles clockwise.
    angle = math.degrees(pdfium.FPDFText_GetCharAngle(page.raw, first)) % 360
    quarter, rest = divmod(angle + 45, 90)
    if abs(rest - 45) > _SLANT:
        return Turn.ASKEW
    return (Turn.UPRIGHT, Turn.RIGHT, Turn.OVER, Turn.LEFT)[int(quarter) % 4]


class _Collected:
    """Collects the words of a page.

    Attributes:
        words: Those found so far.
        copies: Words that are drawn on others.
        has_copies: Whether there may be any.
    """

    def __init__(self, page: Any, copies: list[str], *, has_copies: bool) -> None:
        self.words: list[Word] = []
        self.copies = copies
        self.has_copies = has_copies
        self._page = page
        self._drawn: dict[str, list[Word]] = {}

    def add(self, word: Word, run: int) -> None:
        """Add a word, or letters to the last word; its run without spaces begins at a character."""
        if self.has_copies:
            equal = self._drawn.setdefault(word.text, [])
            if _is_among(word, equal):
                self.copies.append(word.text)
                return
            equal.append(word)
        before = self.words[-1] if self.words else None
        in_run = word.first > run
        if before and _continues(self._page.raw, before, word, in_run=in_run):
            return
        self.words.append(word)


def _continues(page: Any, before: Word, word: Word, *, in_run: bool) -> bool:
    """Add to a word what belongs to it: raised letters, small capitals, letters moved together."""
    gap = word.left - before.right
    if word.left < before.left and is_right_to_left(before.text):
        gap = before.left - word.right
    taller = max(word.height, before.height)
    near = _WITHIN if in_run and not word.text.isascii() else NEAR
    if before.turn is not word.turn or not -taller <= gap < near * word.height:
        return False
    if not in_run and not pdfium.FPDFText_IsGenerated(page, word.first - 1):
        return False  # a space or the end of a line, as the file has it
    if (before.text[-1].isalnum() or before.text[-1] in _BEFORE_MARK) and _is_raised(
        page, word, before
    ):
        before.text += f"^{word.text}"
    elif in_run and before.text.isdigit() and _is_raised(page, before, word):
        before.text = f"^{before.text} {word.text}"
    elif (
        in_run
        or max(abs(before.bottom - word.bottom), gap) < _KERNED * taller
        or (not word.text.isascii() and _is_set_beside(page, word, before))
    ):
        before.text += word.text
    else:
        return False
    before.left = min(before.left, word.left)
    before.right = max(before.right, word.right)
    before.top = min(before.top, word.top)
    before.bottom = max(before.bottom, word.bottom)
    return True


def _is_raised(page: Any, word: Word, other: Word) -> bool:
    """Whether a word in smaller letters is above the foot of the other, and beside it.

    Letters may be small and high as they are, such as Chinese 二; digits are not.
    """
    return (
        word.height < SMALLER * other.height
        and other.bottom - word.bottom > _RAISED * other.height
        and word.bottom > other.top
        and (
            word.text.isdigit()
            or _origin(page, other)[1] - _origin(page, word)[1] > _RAISED * other.height
        )
    )


def _is_set_beside(page: Any, word: Word, before: Word) -> bool:
    """Whether a word begins where the one before it ends, on one line, or with a vowel sign."""
    left, foot = _origin(page, word)
    slack = _KERNED * max(word.height, before.height)
    return unicodedata.category(word.text[0]) in ("Mc", "Mn") or (
        left - before.right < slack and abs(foot - _origin(page, before)[1]) < slack
    )


def _origin(page: Any, word: Word) -> tuple[float, float]:
    """Where a word's first letter is set: left, and the foot without tails; y grows downwards."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(page, word.first, ctypes.byref(x), ctypes.byref(y))
    return turned(word.turn, x.value, y.value, x.value, y.value)[:2]


def _is_among(word: Word, copies: Sequence[Word]) -> bool:
    """Whether the same word was drawn at nearly the same place."""
    across, down = SAME * (word.right - word.left), SAME * word.height
    for other in copies:
        if abs(word.top - other.top) < down and abs(word.left - other.left) < across:
            return True
    return False
