"""Runs of capitalised words: what keywords of questions and names of passages have in common.

A run is one or more words with a capital anywhere in them (`iPhone`), with white space between
them, joined over `of`, `of the`, `de`, `van` and their like. A number before or after a
capitalised word belongs to the run (`12 Angry Men`, `Apollo 11`). A year does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from hopyard.indexes.text.english import JOINERS

QUOTES: Final = str.maketrans({"‘": "'", "’": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"'})
"""Curly quotes and their plain forms, one character for one."""

YEAR: Final = r"(?:1\d{3}|20\d{2})"

MARKS: Final = "".join(
    mark for mark in map(chr, range(0x300, 0x2000)) if unicodedata.category(mark)[0] == "M"
)
"""Accents, and the vowels and tones of scripts such as Hindi and Thai: parts of their letters."""
SIGNS: Final = r"(?:\+\+?|#)"
"""Signs at the end of a name that tell it from another: `C++`, `C#`, `A+`."""

# A word may hold inner apostrophes, hyphens and points: O'Brien, half-brother, U.S.A.
_INNER: Final = r"[.'&-]"
_NUMBER: Final = r"\d+(?:[.,]\d+)+"
_LETTERS: Final = rf"\w[\w{MARKS}]*+"
_PLAIN: Final = rf"{_LETTERS}(?:{_INNER}{_LETTERS})*+(?:{SIGNS}(?![\w+#]))?+"
WORD: Final = re.compile(rf"{_NUMBER}|{_PLAIN}")

_CASED: Final = (range(0x2E00), range(0xA640, 0xA800), range(0xFF21, 0xFF3B))
"""The code points of the scripts with capitals."""
_CAPITALS: Final = "".join(
    letter for codes in _CASED for letter in map(chr, codes) if letter.lower() != letter
)
# Short words whose point ends no name.
_SHORT: Final = r"(?:(?:[^\W\d_]\.)*[^\W\d_]|St|Mr|Mrs|Ms|Dr|Jr|Sr|Mt|Ft|Lt|Gen|Prof|No)"
_ABBREVIATION: Final = re.compile(rf"(?<!\w)(?<!\w{_INNER}){_SHORT}\Z")
_CAPITAL_AHEAD: Final = rf"(?!{_NUMBER})(?:\w|(?<=\w){_INNER}(?=\w))*?[{_CAPITALS}]"
_NAME_WORD: Final = rf"(?={_CAPITAL_AHEAD})(?:{_SHORT}\.(?= )|{_PLAIN})"
_NUMERAL: Final = rf"(?=\d)(?>{_NUMBER}|{_PLAIN})"
_NOT_YEAR: Final = rf"(?!{YEAR}(?!\w|{_INNER}\w|[.,]\d))"
_OVER: Final = rf"\s+(?:(?:{'|'.join(sorted(JOINERS))})\s+)*"
_RUN: Final = re.compile(
    # Before the run: words without a capital.
    rf"\W*+(?:(?!\d|{_CAPITAL_AHEAD}){_PLAIN}\W*+)*+(?P<run>"
    rf"(?:{_NOT_YEAR}{_NUMERAL}{_OVER})?{_NAME_WORD}"
    rf"(?:{_OVER}{_NAME_WORD}|\s+{_NOT_YEAR}{_NUMERAL})*"
    rf"|{_NUMERAL})"
)
_GAP: Final = re.compile(r"\W*\Z")
_SENTENCE_END: Final = re.compile(r"[.!?:;]")
_LOOK_BACK: Final = 40
"""Characters before a word that may tell whether it begins a sentence."""
_QUOTED: Final = re.compile(r'"([^"]+)"|«([^»]+)»|(?<!\w)\'([^\']+)\'(?!\w)')
# Longer quotations are sentences that somebody said; as one name they would match nothing.
_QUOTED_WORDS: Final = 8


def next_run(text: str, start: int = 0) -> tuple[int, int] | None:
    """The span of the next run, the next year, or the next number that stands alone.

    Args:
        text: With plain quotes (see `QUOTES`).
        start: Where to look from: where a word begins, or where one ends.
    """
    found = _RUN.match(text, start)
    return found.span("run") if found else None


def begins_sentence(text: str, start: int) -> bool:
    """Whether the word that begins there is the first word of a sentence, or follows a colon."""
    found = _GAP.search(text, max(0, start - _LOOK_BACK), start)
    end = found.start() if found else start
    return not end or bool(_SENTENCE_END.search(gap_between(text, end, start)))


def gap_between(text: str, end: int, start: int) -> str:
    """The text between two words, without the point of an initial or a title (`J. R.`, `St.`)."""
    gap = text[end:start]
    if gap.startswith(". ") and _ABBREVIATION.search(text, max(0, end - _LOOK_BACK), end):
        return gap[1:]
    return gap


def quoted_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each short quotation begins and ends, without its quotes.

    Args:
        text: With plain quotes (see `QUOTES`).
    """
    for found in _QUOTED.finditer(text):
        start, end = found.span(found.lastindex or 0)
        if len(text[start:end].split()) <= _QUOTED_WORDS:
            yield start, end
