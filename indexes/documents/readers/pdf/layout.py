"""From the lines of a PDF's pages to Markdown: headings, and lines that run through the pages.

Bookmarks are the headings. In a file without bookmarks, lines in larger letters are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from hopyard.indexes.documents.readers.pdf.line_ends import LineEnds, compounds_in

if TYPE_CHECKING:
    from hopyard.indexes.documents.readers.pdf.places import Frame, Word

_EDGE: Final = 3
"""Lines at either end of a page that may run through."""
_LEAST_PAGES: Final = 3
_LARGER: Final = 1.15
"""How much larger than the usual letters a heading's are."""
_LEVELS: Final = 3
"""Different sizes of headings, at most; smaller headings have the level of the last."""
_LONGEST_HEADING: Final = 120
_PAGE_NUMBER: Final = re.compile(
    r"(?:page|seite|página|pagina|sivu|side|strona|стр\.?|p\.|s\.)?\s*"
    r"[-–—(\[|]*\s*(?:[A-Z]{1,2}-)?(\d{1,5})\s*"
    r"(?:(?:of|von|de|di|av|z|из|/)\s*\d{1,5})?\s*[-–—)\]|]*",
    re.IGNORECASE,
)
_ROMAN: Final = re.compile(r"[-–—]?\s*[ivxl]{1,7}\s*[-–—]?")
_NUMBERING: Final = re.compile(r"\s*(?:[^\W\d_]+\s+(?:\d+|[A-Z])|[A-Z]|\d+)(?:\.\d+)*[.:)]?\s")
"""The number of a heading, as in "4.2" or "Chapter 4"."""
_CHAPTER: Final = re.compile(r"[^\W\d_]+\s+(?:\d+|[A-Z])[.:]?")
_FORMULA: Final = re.compile(r"[=−<>≤≥≈∈∂∇∑∏∫√ˆ˜\x00-\x08\x0e-\x1f]|\^[^\d*†‡§]")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_NUMBERED: Final = re.compile(r"\d{1,2}(?:\.\d{1,2})*\.?\s.*[^\W\d_]{4}")
"""A heading such as "3.1 p-values < 0.05"."""


class Line(NamedTuple):
    """A line of text, or a row of a table in Markdown."""

    text: str
    size: float = 0.0
    """The height of its letters; 0 for a row."""
    bold: bool = False
    """Whether it is bold and alone, as a heading is."""
    cells: tuple[str, ...] = ()
    """Its parts, if wide gaps are between them."""
    words: tuple[Word, ...] = ()
    """Its words with a place on the page, in the order of the text."""


class Page(NamedTuple):
    """A page as it was read."""

    number: int
    blocks: list[list[Line]]
    """Paragraphs and tables."""
    pictured: bool
    """Whether it shows a picture and no text."""
    head: Sequence[str] = ()
    """The head of the table that it ends with."""
    bold_head: bool = False
    """Whether this head is bold, and the row below it is not."""
    frame: Frame | None = None
    """Its corners in a viewer; None if it could not be read."""
    said: str = ""
    """All its characters, as PDFium gives them."""
    copies: Sequence[str] = ()
    """Words that are drawn on others that are equal."""
    beyond: Sequence[str] = ()
    """Words that are outside what a viewer shows of the page."""
    nameless: int = 0
    """Letters whose font does not say what they are."""


class Part(NamedTuple):
    """A heading, a paragraph or a table of a page's Markdown."""

    text: str
    lines: Sequence[Line]
    """The lines that it was made of; none for a bookmark's title."""


class Bookmark(NamedTuple):
    """An entry of the outline."""

    level: int
    title: str


class Layout(NamedTuple):
    """The running lines and sizes of headings that some pages show."""

    running: frozenset[str]
    """Lines at the edges of most pages, with the number of the page taken off (`_shape`)."""
    sizes: tuple[float, ...]
    """The sizes of headings, the largest first."""
    compounds: frozenset[str] = frozenset()
    """As `compounds_in` gives them."""

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Layout:
        """Look at some pages."""
        edges: Counter[str] = Counter()
        letters: Counter[float] = Counter()
        compounds: set[str] = set()
        filled = 0
        for page in pages:
            lines = [line for block in page.blocks for line in block]
            filled += bool(lines)
            edges.update({_shape(line, page.number) for line in _edges(lines)})
            for line in lines:
                if line.size and not _is_formula(line.text):
                    letters[round(line.size, 1)] += len(line.text)
                compounds.update(compounds_in(line.text))
        running = (line for line, times in edges.items() if times > filled / 2)
        usual = max(letters, key=lambda size: letters[size], default=0.0)
        sizes = sorted((size for size in letters if size > _LARGER * usual), reverse=True)
        return cls(
            frozenset(running) if filled >= _LEAST_PAGES else frozenset(),
            tuple(sizes) if usual else (),
            frozenset(compounds),
        )

    def level(self, line: Line) -> int:
        """The level of a line as a heading; 0 if it is no heading."""
        size = round(line.size, 1)
        large = bool(self.sizes) and size >= self.sizes[-1]
        if not (large or line.bold) or len(line.text) > _LONGEST_HEADING:
            return 0
        if not any(map(str.isalpha, line.text)) or _is_formula(line.text):
            return 0
        if large and size in self.sizes:
            return min(self.sizes.index(size) + 1, _LEVELS)
        return min(len(self.sizes), _LEVELS) + 1 if line.bold else 0


def page_parts(page: Page, layout: Layout, bookmarks: Sequence[Bookmark] | None) -> Iterator[Part]:
    """A page as Markdown, part by part; `bookmarks` are None if the whole file has none."""
    edges = {id(line) for line in running_lines(page, layout)}
    blocks = [[line for line in block if id(line) not in edges] for block in page.blocks]
    ends = LineEnds.of((line.words for block in blocks for line in block), layout.compounds)
    if bookmarks is None:
        for block in blocks:
            yield from _under_large_lines(block, layout, ends)
    else:
        yield from _under_bookmarks(blocks, list(bookmarks), ends)


def running_lines(page: Page, layout: Layout) -> list[Line]:
    """The lines of a page that run through the pages; none if nothing else is on the page."""
    lines = [line for block in page.blocks for line in block]
    edges = [line for line in _edges(lines) if _shape(line, page.number) in layout.running]
    return [] if len(edges) == len(lines) else edges


def _is_formula(text: str) -> bool:
    """Whether a line has a sign of a formula, and less than half of it are words."""
    if not _FORMULA.search(text) or _NUMBERED.match(text):
        return False
    return 2 * sum(map(len, _WORD.findall(text))) < len("".join(text.split()))


def _edges(lines: Sequence[Line]) -> Sequence[Line]:
    count = min(_EDGE, len(lines) // 3)
    return [line for line in (*lines[:count], *lines[len(lines) - count :]) if line.size]


def _shape(line: Line, page: int) -> str:
    """The line, with the number of its page as the distance to the page's place in the file."""
    cells = line.cells or (line.text,)
    return " ".join(_distance(cell, page) for cell in cells)


def _distance(cell: str, page: int) -> str:
    if found := _PAGE_NUMBER.fullmatch(cell):
        return f"#{int(found[1]) - page}"
    return "#" if _ROMAN.fullmatch(cell) else cell


def _under_large_lines(block: list[Line], layout: Layout, ends: LineEnds) -> Iterator[Part]:
    kept: list[Line] = []
    heading: list[Line] = []
    last = 0
    for line in [*block, Line("")]:
        level = layout.level(line)
        if heading and level != last:
            title = " ".join([line.text for line in heading])
            yield Part(f"{'#' * last} {title}", heading)
            heading = []
        if level:
            yield from _joined(kept, ends)
            kept = []
            heading.append(line)
        elif line.text:
            kept.append(line)
        last = level
    yield from _joined(kept, ends)


def _under_bookmarks(
    blocks: Sequence[list[Line]], waiting: list[Bookmark], ends: LineEnds
) -> Iterator[Part]:
    for number, block in pairwise(list(blocks)):  # "Chapter 4" above its title
        if len(number) == 1 and _CHAPTER.fullmatch(number[0].text) and _head(block, waiting):
            block[:0] = number
            number.clear()
    # A title that the page does not show is put before the next title that it shows, else first.
    if not any(_head(block, waiting) for block in blocks):
        yield from map(_titled, waiting)
        waiting = []
    for block in blocks:
        kept = block
        while head := _head(kept, waiting):
            yield from map(_titled, waiting[: head.place])
            yield _titled(waiting[head.place], head.number)
            waiting, kept = waiting[head.place + 1 :], kept[head.lines :]
        yield from _joined(kept, ends)
    yield from map(_titled, waiting)


def _titled(mark: Bookmark, number: str = "") -> Part:
    return Part(f"{'#' * mark.level} {number}{mark.title}", ())


class _Head(NamedTuple):
    """Lines of a page that are the title of a bookmark.

    Attributes:
        place: Which of the bookmarks.
        lines: How many lines.
        number: The number before the title, if the bookmark leaves it out.
    """

    place: int
    lines: int
    number: str


def _head(lines: Sequence[Line], waiting: Sequence[Bookmark]) -> _Head | None:
    """The title that the first lines are, if they are one."""
    begun = [_title_of(" ".join(line.text for line in lines[:end])) for end in (1, 2, 3)]
    for place, mark in enumerate(waiting):
        own = _title_of(mark.title)
        for taken, said in enumerate(begun[: len(lines)], 1):
            if own.whole and own.whole in (said.whole, said.rest):
                return _Head(place, taken, said.number if own.whole != said.whole else "")
            if own.rest and own.rest in (said.whole, said.rest if own.label == said.label else ""):
                return _Head(place, taken, "")
    return None


class _Title(NamedTuple):
    """The letters and digits of a title, for spaces and quotation marks differ.

    Attributes:
        whole: All of them.
        rest: Those after its number.
        label: Those of the number; a word such as "Chapter" is left out.
        number: The number as it is written.
    """

    whole: str
    rest: str
    label: str
    number: str


@lru_cache(1 << 12)
def _title_of(text: str) -> _Title:
    number = found[0] if (found := _NUMBERING.match(text)) else ""
    parts = (text, text[len(number) :], "".join(number.split()[-1:]))
    whole, rest, label = ("".join(re.findall(r"[^\W_]", part)).casefold() for part in parts)
    return _Title(whole, rest, label, number)


def _joined(lines: Sequence[Line], ends: LineEnds) -> Iterator[Part]:
    if lines:
        # A line of code that begins as a heading does is none.
        texts = [f"    {line.text}" if line.text.startswith("#") else line.text for line in lines]
        words = [() if line.text.startswith("|") else line.words for line in lines]
        yield Part(ends.text_of(list(zip(texts, words, strict=True))), lines)
