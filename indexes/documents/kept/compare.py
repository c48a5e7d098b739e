"""Compare the words of a file with those that its reader gave."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from hopyard.indexes.documents.kept.kept import EXAMPLES, Kept, merged, name_places
from hopyard.indexes.documents.kept.words import digits_of, numbers_in, undoubled, words_of
from hopyard.indexes.documents.readers.base import LeftOut

_NOT_READ: Final = 0.5
"""The share of the words of a place that are lost, above which the place counts as not read."""
_LONGEST: Final = 60
"""Letters of a word whose pieces are looked for, at most."""
_SHORTEST: Final = 2
"""Letters of a piece that is a word elsewhere, too, at least."""
_ADDED: Final = re.compile(r"\d{1,3}(?:st|nd|rd|th)?|([^\W\d])\1*|[ivxlc]+")
"""Numbers that readers write before the items of a list."""
_LABELS: Final = words_of(
    "about attendee begin by chart checked comment comments deleted end endnote event footer "
    "footnote header image inserted note notes on organiser page place slide speaker text unchecked"
).keys()
"""Words that readers write beside parts that have no words of their own."""
_CELL: Final = re.compile(r"(?<!\\)\|")
_BETWEEN: Final = re.compile("[,;]")
_RULE: Final = re.compile(r"\|(?: *:?-+:? *\|)+")


OTHER: Final = "\x1a"
"""The sign for a letter that the extractor does not know."""
_WITH_OTHER: Final = re.compile(rf"[^\W_]*{OTHER}[\w{OTHER}]*")


@dataclass(slots=True)
class FileWords:
    """The words of a file as an extractor finds them.

    Attributes:
        words: All that a document has to keep.
        places: The words of each place that is named if it is not read.
        numbers: Numbers of cells, by their digits; a document may show them in any form.
        names: Words that a document may have, such as names of elements.
        open: Whether the document may have words that are not found, as in an unknown encoding.
    """

    words: Counter[str] = field(default_factory=Counter)
    places: list[tuple[str, Counter[str]]] = field(default_factory=list)
    numbers: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)
    open: bool = False

    def text(self, text: str, place: str = "") -> None:
        """Add a text, and where it is: a text box, page 3; "" for what every file has."""
        if OTHER in text:
            self.open = True
            text = _WITH_OTHER.sub(" ", text)
        words = words_of(text)
        self.words.update(words)
        if place and words:
            self.places.append((place, words))

    def once(self, text: str, place: str = "") -> None:
        """Add a text whose words may be said once where the file repeats them."""
        words = Counter(dict.fromkeys(words_of(text), 1))
        self.words |= words
        self.names.update(words)
        if place and words:
            self.places.append((place, words))

    def number(self, value: float) -> None:
        """Add the number of a cell."""
        self.numbers[digits_of(value)] += 1

    def name(self, text: str) -> None:
        """Add words that the document may have."""
        self.names.update(words_of(text))


def compare(
    found: FileWords, text: Iterable[str], about: str = "", left_out: Sequence[LeftOut] = ()
) -> Kept:
    """Compare two multisets of words.

    Args:
        found: The words of the file.
        text: The document's text, in parts that end between words.
        about: Its title and metadata; their words count as kept.
        left_out: Parts that the reader left out on purpose. Their words count neither as kept nor
            as lost.
    """
    own: Counter[str] = Counter()
    repeatable: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    for part in text:
        own.update(words_of(part))
        repeatable.update(words_of(" ".join(_repeatable(part))))
        if found.numbers:
            numbers.update(numbers_in(part))
    omitted = Counter[str]()
    for item in left_out:
        omitted.update(words_of(item.text))
    lost = found.words - own
    omitted &= lost
    lost = lost - omitted - words_of(about)
    gained = own - found.words
    _join(lost, gained, own)
    _join(gained, lost, found.words)
    known = found.names | _LABELS
    for word in gained.keys() & found.words.keys():
        gained[word] -= repeatable[word]
    new = Counter(
        {
            word: count
            for word, count in (+gained).items()
            if word not in known and not _ADDED.fullmatch(word)
            if not (found.numbers and any(map(str.isdecimal, word)))
        }
    )
    if found.open:
        new.clear()
    lost_numbers = _lost_numbers(found.numbers, numbers)
    return Kept(
        words=found.words.total() + found.numbers.total() - omitted.total(),
        lost=lost.total() + lost_numbers.total(),
        gained=new.total(),
        places=tuple(name_places(_unread(found.places, lost))) if lost else (),
        examples=(*lost, *lost_numbers)[:EXAMPLES],
        new=(*new,)[:EXAMPLES],
        left_out=merged(left_out),
    )


def _repeatable(text: str) -> Iterator[str]:
    """The words that a reader may repeat: of headings, heads of tables and merged cells."""
    above: set[str] = set()
    lines = text.splitlines() if "|" in text or "#" in text else []
    for whole, below in pairwise([*lines, ""]):
        line = whole.lstrip(" -")
        if line.startswith("#") or _RULE.match(below.lstrip()):
            yield line
        if not line.startswith("|"):
            above = set()
        elif not _RULE.match(line):
            cells = [cell.strip() for cell in _CELL.split(line)]
            beside: set[str] = set()
            for cell in cells:
                if cell in above or cell in beside:
                    yield cell
                elif len(words := _BETWEEN.sub(" ", cell).split()) > len(each := set(words)):
                    yield " ".join((Counter(words) - Counter(each)).elements())  # a table in it
                beside.add(cell)
            above = beside


def _join(wholes: Counter[str], pieces: Counter[str], known: Container[str]) -> None:
    """Take from both sides the words that are whole on one and divided on the other.

    A word that the other side knows and has more often may be a piece, too.
    """
    thinned = {undoubled(piece): piece for piece in pieces}
    for word in [*wholes]:
        while wholes[word] > 0:
            once = thinned.get(undoubled(word), word)  # letters that are drawn twice
            once = once if len(once) < len(word) <= 2 * len(once) else ""
            parts = [once] if pieces[once] > 0 else _pieces(word, pieces, ())
            parts = parts or _pieces(word, pieces, known)
            taken = [part for part in parts if pieces[part] > 0]
            if not taken:
                break
            wholes[word] -= 1
            pieces.subtract(taken)
    for side in (wholes, pieces):
        for word in [word for word, count in side.items() if count <= 0]:
            del side[word]


def _pieces(word: str, of: Mapping[str, int], known: Container[str]) -> list[str]:
    """The pieces that make a word, each as long as it can be; none if they do not."""
    if len(word) > _LONGEST:
        return []
    rests: dict[int, list[str]] = {len(word): []}
    for start in reversed(range(len(word))):
        for end in range(len(word), start, -1):
            piece = word[start:end]
            if end not in rests or piece == word:
                continue
            if of.get(piece, 0) > 0 or (len(piece) >= _SHORTEST and piece in known):
                rests[start] = [piece, *rests[end]]
                break
    return rests.get(0, [])


def _lost_numbers(wanted: Counter[str], given: Counter[str]) -> Counter[str]:
    """The numbers that a text has in no form: all digits, or rounded to fewer."""
    lost: Counter[str] = Counter()
    left = given.copy()
    for digits, count in wanted.items():
        for _ in range(count):
            shown = next((item for item in _rounded(digits) if left[item] > 0), None)
            if shown is None:
                lost[digits or "0"] += 1
            else:
                left[shown] -= 1
    return lost


def _rounded(digits: str) -> Iterator[str]:
    """The digits, then rounded to ever fewer of them; a small number may show as 0."""
    yield digits
    for count in range(len(digits) - 1, -1, -1):
        shift = 10 ** (len(digits) - count)
        yield str((int(digits) + shift // 2) // shift).strip("0")
    yield ""


def _unread(places: Iterable[tuple[str, Counter[str]]], lost: Counter[str]) -> Iterator[str]:
    for place, words in places:
        if (words & lost).total() > _NOT_READ * words.total():
            yield place
