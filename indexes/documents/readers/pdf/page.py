"""One page of a PDF: paragraphs and tables in reading order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from statistics import median
from typing import Any, Final, NamedTuple

import pypdfium2.raw as pdfium

from hopyard.indexes.documents.readers.pdf.accents import join_accents
from hopyard.indexes.documents.readers.pdf.cells import Cell, TextLine, is_bullet
from hopyard.indexes.documents.readers.pdf.fonts import em, is_bold
from hopyard.indexes.documents.readers.pdf.forms import notes_on, said_on
from hopyard.indexes.documents.readers.pdf.layout import Line, Page
from hopyard.indexes.documents.readers.pdf.lines import TABLE, lines_of
from hopyard.indexes.documents.readers.pdf.places import Frame, Turn, Word
from hopyard.indexes.documents.readers.pdf.rules import Grid, grids_of, is_whole, rows_in
from hopyard.indexes.documents.readers.pdf.tables import holds_values, joined_head, table_at
from hopyard.indexes.documents.readers.pdf.words import words_of
from hopyard.indexes.passages.markdown import table_lines

_NAMELESS: Final = re.compile("[\ufffd\ue000-\uefff\uf100-\uf8ff]")
"""Letters that a font gives no meaning; those between are the bullets of Symbol and Wingdings."""
_PARAGRAPH: Final = 0.6
"""The gap between two paragraphs, in heights of the letters, at least."""
_PITCH: Final = 1.25
"""How far apart two lines of a paragraph are, in distances of most lines, at most."""
_FULL: Final = 0.85
"""The width of a line that continues in the next line, as a share of the widest, at least."""
_LEAST_PITCHES: Final = 3
_ENDS: Final = tuple(".:;!?。！？：；।։።།")
_OTHER_SCRIPT: Final = re.compile(r"[\u0530-\u1cff\u2c80-\udfff\uf900-\U0003ffff]")
_OF_EM: Final = 1.2
"""The height of Latin letters in most fonts, in sizes of the font. Fonts of other scripts seldom
say it, so that PDFium gives the height of each letter with its marks."""
_LONGEST_BOLD: Final = 110
_MOST_BOLD_LINES: Final = 2
"""More bold lines in a row are a bold paragraph, not a heading."""


def read_page(document: Any, number: int, before: Page | None = None) -> Page:
    """Read the page of a number, from 1.

    A table that begins the page has the head of that with which the page `before` ends, if it has
    as many columns and no head of its own: none at all, a first row of values, or one that is not
    bold as the head before is.
    """
    page = document[number - 1]
    text = page.get_textpage()
    try:
        frame, copies, beyond = Frame.of(page), list[str](), list[str]()
        words = words_of(text, frame, copies, beyond)
        accents = join_accents(text, words)
        turn = _usual_turn(words)
        typed, comments = notes_on(document, page, turn, words)
        words += typed
        builder = _Blocks(text, before or Page(0, [], False))
        for group in _by_turn(words, turn):
            builder.add(group, grids_of(page, turn) if group[0].turn is turn else [])
        blocks = [*builder.blocks, *([Line(f"Comment: {comment}")] for comment in comments)]
        said = said_on(document, page, text)
        for pair, letter in accents.items():
            said = said.replace(pair, letter)
        pictured = not words and _has_picture(page)
        lost = len(_NAMELESS.findall("".join([word.text for word in words])))
        head, bold = builder.head, builder.bold_head
        return Page(number, blocks, pictured, head, bold, frame, said, copies, beyond, lost)
    finally:
        text.close()
        page.close()


def _usual_turn(words: Sequence[Word]) -> Turn:
    turns = Counter([word.turn for word in words])
    return turns.most_common(1)[0][0] if turns else Turn.UPRIGHT


def _by_turn(words: Sequence[Word], usual: Turn) -> Iterator[list[Word]]:
    """The words that are turned as most are, then the others."""
    groups: dict[Turn, list[Word]] = {usual: []}
    for word in words:
        groups.setdefault(word.turn, []).append(word)
    yield from filter(None, groups.values())


def _has_picture(page: Any) -> bool:
    return any(True for _ in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=3))


class _Blocks:
    """Collects the paragraphs and tables of a page.

    Attributes:
        blocks: Those found so far.
        head: The head of the table that ends the page; empty if none does.
        bold_head: Whether it is bold, and the row below it is not.
    """

    def __init__(self, text: Any, before: Page) -> None:
        self.blocks: list[list[Line]] = []
        self.head: Sequence[str] = ()
        self.bold_head = False
        self._text = text
        self._before = before

    def add(self, words: Sequence[Word], grids: Sequence[Grid]) -> None:
        """Add the words of one turn, with the ruled tables that they are in."""
        tables: dict[str, list[list[Cell]]] = {}
        others = list(words)
        for number, grid in enumerate(grids):
            inside = [word for word in others if grid.holds(word)]
            others = [word for word in others if not grid.holds(word)]
            rows = rows_in(grid, inside) if is_whole(grid, inside, others) else []
            if len(rows) > 1:
                tables[name := f"{TABLE}{number}"] = joined_head(rows)
                others.append(Word(*grid.band, name))
            else:
                others += inside
        lines = lines_of(others)
        for line in lines:
            self._set_height(line)
        spacing = _Spacing.of(lines)
        start = 0
        paragraph: list[TextLine] = []
        while start < len(lines):
            line = lines[start]
            named = next((cell.text for cell in line.cells if cell.text in tables), None)
            if named:
                self._end(paragraph)
                self._table(tables[named])
                paragraph = [line] if len(line.cells) > 1 else []
                line.cells = [cell for cell in line.cells if cell.text != named]
            elif table := table_at(lines, start, len(paragraph)):
                self._end(paragraph[: len(paragraph) - table.above])
                paragraph = []
                self._table(table.rows)
                start = table.end
                continue
            else:
                if paragraph and spacing.is_apart(paragraph[-1], line):
                    self._end(paragraph)
                    paragraph = []
                paragraph.append(line)
            start += 1
        self._end(paragraph)

    def _table(self, rows: list[list[Cell]]) -> None:
        before = [Cell(text) for text in self._before.head]
        bold = self._is_bold_row(rows[0]) and not any(map(self._is_bold_row, rows[1:2]))
        is_first = sum(map(len, self.blocks)) <= 3
        if is_first and len(before) == len(rows[0]):
            if not any(cell.text for cell in rows[0]):
                rows = [before, *rows[1:]]
            elif holds_values(before):
                pass
            elif holds_values(rows[0]) or (
                self._before.bold_head and not self._is_bold_row(rows[0])
            ):
                rows = [before, *rows]
                bold = self._before.bold_head
        head, *body = rows
        self.head, self.bold_head = [cell.text for cell in head], bold
        lines = table_lines([[cell.text for cell in row] for row in (head, *body)])
        words = [tuple(chain.from_iterable(cell.words for cell in row)) for row in (head, *body)]
        words.insert(1, ())
        self.blocks.append(
            [Line(row, words=those) for row, those in zip(lines, words, strict=True)]
        )

    def _end(self, lines: Sequence[TextLine]) -> None:
        """Add a paragraph."""
        if not lines:
            return
        bold = [self._is_bold(line) for line in lines]
        headings = bold if sum(bold) <= _MOST_BOLD_LINES else [False] * len(bold)
        self.blocks.append(
            [
                Line(
                    line.text,
                    line.height,
                    heading,
                    tuple([cell.text for cell in line.cells]),
                    tuple(chain.from_iterable([cell.words for cell in line.cells])),
                )
                for line, heading in zip(lines, headings, strict=True)
            ]
        )
        if len(lines) > 1:
            self.head = ()

    def _set_height(self, line: TextLine) -> None:
        """The height of the letters of other scripts than Latin, by the size of the font."""
        text = line.text
        if not text.isascii() and line.first.first >= 0 and _OTHER_SCRIPT.search(text):
            line.height = _OF_EM * em(self._text, line.first)
            line.top = min(line.top, line.bottom - line.height)

    def _is_bold_row(self, row: Sequence[Cell]) -> bool:
        """Whether all cells of a row that have words are bold."""
        firsts = [cell.words[0] for cell in row if cell.words]
        return bool(firsts) and all(is_bold(self._text, word) for word in firsts)

    def _is_bold(self, line: TextLine) -> bool:
        return (
            len(line.cells) == 1
            and len(line.text) <= _LONGEST_BOLD
            and not line.text.endswith((".", ",", ";", ":"))
            and sum(map(str.isalpha, line.text)) > 2
            and is_bold(self._text, line.first)
            and is_bold(self._text, line.last)
        )


class _Spacing(NamedTuple):
    """How the lines of a page are set.

    Attributes:
        pitch: The distance between two lines of a column, for most lines; 0 for a few lines.
        widths: The width of the widest line of each column.
    """

    pitch: float
    widths: dict[int, float]

    @classmethod
    def of(cls, lines: Sequence[TextLine]) -> _Spacing:
        """Look at the lines of a page."""
        pitches = [
            below.bottom - line.bottom
            for line, below in pairwise(lines)
            if line.column == below.column and below.bottom > line.bottom
        ]
        widths: dict[int, float] = {}
        for line in lines:
            widths[line.column] = max(widths.get(line.column, 0.0), _width(line))
        return cls(median(pitches) if len(pitches) >= _LEAST_PITCHES else 0.0, widths)

    def is_apart(self, before: TextLine, line: TextLine) -> bool:
        """Whether a line begins a paragraph.

        Where all lines are far apart, as in manuscripts and Thai, a full line continues below.
        """
        if before.column != line.column or line.bottom < before.bottom:
            return True
        if line.top - before.bottom <= _PARAGRAPH * min(before.height, line.height):
            return False
        return (
            line.bottom - before.bottom > _PITCH * self.pitch
            or _width(before) < _FULL * self.widths[before.column]
            or before.text.endswith(_ENDS)
            or is_bullet(line.first.text)
        )


def _width(line: TextLine) -> float:
    return max(cell.right for cell in line.cells) - min(cell.left for cell in line.cells)
