"""The words of a text, so that two ways to read a file give the same words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from typing import Final

from hopyard.state.text.unicode import HYPHENS

_MARKS: Final = re.compile(r"[*_^~`\\\u00ad\u200b-\u200f\u2060-\u2069\ufeff]+|\[[ xX]\]")
"""Signs that a reader adds or leaves out within a word, and boxes."""
_DIVIDED: Final = re.compile(rf"(?<=[^\W_])[{HYPHENS}\ufffe\x02]\s*(?=[^\W_])")
"""A hyphen, and the end of the line after it: a divided word is whole on both sides."""
_ALONE: Final = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts without spaces between words: each letter counts as a word."""
_WORD: Final = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
_RIGHT_TO_LEFT: Final = re.compile(r"[\u0590-\u08ff]")
_DOUBLED: Final = re.compile(r"([^\W\d_])\1+")
_NUMBER: Final = re.compile(r"\d(?:[\d.,'’\u00a0\u202f]*\d)?(?:[eE][+-]?\d+)?")
_EXPONENT: Final = re.compile(r"[eE][+-]?\d+$")


def words_of(text: str) -> Counter[str]:
    """How often each word is in a text, without case, marks and hyphens.

    A word in Hebrew or Arabic stands with its letters sorted: some programs keep it backwards.
    """
    found = Counter(words_in_order(text))
    if _RIGHT_TO_LEFT.search(text):
        backwards = [word for word in found if _RIGHT_TO_LEFT.search(word)]
        for word, count in [(word, found.pop(word)) for word in backwards]:
            found["".join(sorted(word))] += count
    return found


def words_in_order(text: str) -> list[str]:
    """The words of a text, without case, marks and hyphens."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _WORD.findall(_DIVIDED.sub("", _MARKS.sub("", text)).casefold())


def undoubled(word: str) -> str:
    """A word with each letter once where it follows itself, as if it were drawn twice."""
    return _DOUBLED.sub(r"\1", word)


def numbers_in(text: str) -> Counter[str]:
    """How often each number is in a text, by its digits (see `digits_of`)."""
    return Counter(
        _EXPONENT.sub("", found).translate(_NO_DIGITS).strip("0") for found in _NUMBER.findall(text)
    )


def digits_of(number: float) -> str:
    """The digits of a number without point, sign and outer zeros: those of 0.075 are 75.

    They are the same for 7.50% and 75, so that it does not count how a cell shows its number.
    """
    written = f"{abs(number):.15g}".partition("e")[0]
    return written.replace(".", "").strip("0")


_NO_DIGITS: Final = {ord(sign): None for sign in ".,'’\u00a0\u202f"}
