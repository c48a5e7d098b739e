"""The text between two lines of a PDF: a space, or nothing within a word.

A word may be divided with a mark, and some scripts have no spaces between words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import regex

from hopyard.state.text.unicode import HYPHENS

if TYPE_CHECKING:
    from hopyard.indexes.documents.readers.pdf.places import Word

_LETTER: Final = r"[\p{L}\p{M}\u200c\u200d]"
_END: Final = regex.compile(rf"[{HYPHENS}]\n|\n\u1806")
_DIVIDED: Final = regex.compile(
    rf"(?<!{_LETTER})({_LETTER}+)(?:([{HYPHENS}])\n([{HYPHENS}]?)|\n\u1806)(?=({_LETTER}+))"
)
"""A word and its rest. Polish writes the hyphen of a compound on both lines, Todo on the second."""
_KEEPS: Final = regex.compile(r"[\p{Hebrew}\p{Arabic}]|[\u05be\u2e17]")
"""Scripts that divide no words, and marks that only join them."""
_STRETCHED: Final = regex.compile(r"(?<=\p{Arabic}{2})\u0640+\n(?=\p{Arabic})")
"""A word that is divided after a stretched letter; a single such letter is an abbreviation."""
_COMPOUND: Final = regex.compile(rf"(?<!{_LETTER}){_LETTER}+(?:-{_LETTER}+)+")
_AND: Final = ("and", "und", "oder", "bzw", "sowie")
_SHORT_PART: Final = 4
_UNSPACED: Final = regex.compile(
    r"[[\p{ea=W}\p{ea=F}]--[\p{Hangul}\p{So}]]|\p{lb=SA}", regex.VERSION1
)
"""A letter or mark of Chinese, Japanese, Thai, Lao, Khmer, Burmese and the like."""
_COLUMN: Final = 12
"""The width of a column of text, in heights of its letters, at least."""
_INDENT: Final = 2.5
"""How far a line may begin from its column's left edge, in heights of its letters."""
_SHORT: Final = 1.5
"""How far a full line may end from its column's right edge; and where it ends with a word."""
_SHORT_OF_A_WORD: Final = 5

_IN_CELL: Final = 0.6
"""The width of a line that continues, as a share of its cell's, at least."""


class LineEnds(NamedTuple):
    """Joins the lines of a page.

    Attributes:
        compounds: As `compounds_in` gives them.
        edges: The left and right edges of the lines in scripts without spaces.
    """

    compounds: frozenset[str] = frozenset()
    edges: Sequence[tuple[float, float]] = ()

    @classmethod
    def of(cls, lines: Iterable[Sequence[Word]], compounds: frozenset[str]) -> LineEnds:
        """For a page with these lines."""
        wide = [words for words in lines if words and not words[-1].text.isascii()]
        return cls(compounds, [edges_of(words) for words in wide])

    def text_of(self, lines: Sequence[tuple[str, Sequence[Word]]]) -> str:
        """The text of a paragraph, from the text and the words of each line."""
        text = lines[0][0]
        for (_, words), (rest, below) in pairwise(lines):
            within = words and below and not text.isascii() and self._goes_on(words, below)
            text += rest if within else f"\n{rest}"
        return whole_words(text, self.compounds)

    def _goes_on(self, words: Sequence[Word], below: Sequence[Word]) -> bool:
        """Whether a line in a script without spaces is full, so that its text continues."""
        if not are_unspaced(words[-1].text, below[0].text):
            return False
        left, right = edges_of(words)
        height = words[-1].height
        inside = [end for start, end in self.edges if abs(start - left) < _INDENT * height]
        return right - left > _COLUMN * height and right > max(inside, default=right) - (
            short_of(words[-1].text) * height
        )


def lines_in_cell(lines: Sequence[tuple[str, Sequence[Word]]], width: float) -> str:
    """The text of a table's cell, from the text and the words of each line."""
    text = lines[0][0] if lines else ""
    for (_, words), (rest, below) in pairwise(lines):
        left, right = edges_of(words)
        full = right - left > _IN_CELL * width
        within = full and are_unspaced(words[-1].text, below[0].text)
        text += rest if within else f"\n{rest}"
    return whole_words(text)


def edges_of(words: Sequence[Word]) -> tuple[float, float]:
    """The left and the right edge of a line."""
    return min(word.left for word in words), max(word.right for word in words)


def are_unspaced(text: str, below: str) -> bool:
    """Whether no space belongs between two lines, by the letters at their ends."""
    return bool(_UNSPACED.fullmatch(text[-1:]) and _UNSPACED.fullmatch(below[:1]))


def short_of(text: str) -> float:
    """How far a full line with this end may be from the edge, in heights of its letters."""
    return _SHORT if regex.fullmatch(r"\p{ea=W}|\p{ea=F}", text[-1:]) else _SHORT_OF_A_WORD


def compounds_in(text: str) -> Iterator[str]:
    """Two parts of words with a hyphen, in lower case: `price-determining`."""
    for word in _COMPOUND.findall(text) if "-" in text else ():
        yield from map("-".join, pairwise(word.casefold().split("-")))


def whole_words(text: str, compounds: frozenset[str] = frozenset()) -> str:
    """Lines of text, with words that are divided at the end of a line on the first of the two.

    The hyphen stays before a capital, before "and" (`one- and two-sided`), in a compound, after its
    short second part (`over-the-counter`), and in scripts that divide no words.
    """

    def whole(found: regex.Match[str]) -> str:
        left, mark, again, right = found.groups()
        before = found.string[max(found.start() - 1, 0) : found.start()]
        if right in _AND or (right[0].isupper() and not _in_capitals(found, right)):
            return str(found[0])
        if (mark and _KEEPS.fullmatch(left[-1])) or _KEEPS.fullmatch(mark or ""):
            return f"{left}{mark}"
        third = before == "-" and left.islower() and len(left) < _SHORT_PART  # over-the-counter
        if again or third or f"{left}-{right}".casefold() in compounds:
            return f"{left}-"
        return str(left)

    if "\u0640\n" in text:
        text = _STRETCHED.sub("", text)
    return str(_DIVIDED.sub(whole, text)) if _END.search(text) else text


def _in_capitals(found: regex.Match[str], right: str) -> bool:
    """Whether a line and the next word are in capitals, as all of Cherokee is."""
    line = found.string[found.string.rfind("\n", 0, found.end(1)) + 1 : found.end(1)]
    return line.isupper() and right.isupper() and len(right) > 1
