"""Blocks of a Word file as Markdown: headings, paragraphs, items of lists, tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.drawings.charts import chart_tables, chart_titles
from hopyard.indexes.documents.readers.drawings.text import diagram_texts
from hopyard.indexes.documents.readers.word.numbers import Numbering
from hopyard.indexes.documents.readers.word.package import Package, is_on, value
from hopyard.indexes.documents.readers.word.styles import Style, Styles
from hopyard.indexes.documents.readers.word.tables import cells_of, grid_of, rows_of
from hopyard.indexes.documents.readers.word.text import Attached, Marks, Text, chosen_branch
from hopyard.indexes.passages.markdown import table_lines

_DEEPEST: Final = 6
"""The level of a heading in Markdown, at most."""
_SILENT: Final = frozenset(
    ("sectPr", "tblPr", "tblGrid", "tcPr", "sdtPr", "sdtEndPr", "del", "moveFrom")
)


class Block(NamedTuple):
    """A piece of a document."""

    text: str
    level: int = 0
    """Of a heading; 0 for others."""
    label: str = ""
    """The number of a heading or of an item of a list, "- " for an item without one."""
    depth: int = -1
    """Of an item of a list, from 0; -1 for others."""
    is_title: bool = False
    rows: list[list[str]] = []  # noqa: RUF012
    """Of a table."""

    @property
    def line(self) -> str:
        """On one line, as in a cell."""
        if self.rows:
            return "; ".join(", ".join(filter(None, row)) for row in self.rows)
        return " ".join(f"{self.label}{self.text}".split())

    @property
    def markdown(self) -> str:
        """As Markdown."""
        if self.rows:
            header, _, *rows = table_lines(self.rows)
            return "\n".join([header, f"|{' --- |' * len(self.rows[0])}", *rows])  # as of web pages
        if self.level:
            return f"{'#' * min(self.level, _DEEPEST)} {self.line}"
        return f"{'  ' * max(self.depth, 0)}{self.label}{self.text}"


def joined(blocks: Iterable[Block]) -> str:
    """Blocks as a text. Items of a list follow each other without an empty line."""
    pieces: list[str] = []
    before = Block("")
    for block in blocks:
        close = before.depth >= 0 and block.depth >= 0
        pieces += ["\n" if close else "\n\n", block.markdown]
        before = block
    return "".join(pieces[1:])


@dataclass(slots=True)
class Book:
    """The things that all parts of a file share."""

    package: Package
    styles: Styles
    numbering: Element | None
    marks: Marks
    notes: dict[str, tuple[str, dict[str, Element]]]
    """For footnotes, endnotes and comments: their part, and each by its id."""
    imported: Callable[[str], Iterable[Block]]
    """Reads a file that is a part, by the part's name."""
    used: set[tuple[str, str]] = field(default_factory=set)
    """The notes that were read, by kind and id."""


def blocks_of(
    book: Book, part: str, root: Element, numbering: Numbering | None = None
) -> Iterator[Block]:
    """The blocks of a part, or of an element of it. Boxes, notes and comments follow their block.

    Lists begin to count if `numbering` does not say how far they are counted.
    """
    yield from _Blocks(book, part, root, numbering).of(root)


class _Blocks:
    def __init__(self, book: Book, part: str, root: Element, numbering: Numbering | None) -> None:
        self._book = book
        self._part = part
        self._numbering = numbering or Numbering(book.numbering, book.styles)
        self._text = Text(root, book.styles, book.marks, book.package.left_out)
        self._attached: list[Attached] = []
        self._carried = ""
        """The text of a paragraph whose end is deleted, so that the next continues it."""

    def of(self, parent: Element, in_cell: bool = False) -> Iterator[Block]:
        """The blocks that an element holds; in a cell without what is attached to them."""
        outer, self._carried = self._carried, ""
        yield from self._read(parent, in_cell)
        if carried := self._carried.strip():
            yield Block(carried)
        self._carried = outer

    def _read(self, parent: Element, in_cell: bool) -> Iterator[Block]:
        for child in parent:
            if child.tag == "p":
                yield from self._paragraph(child, list(child), in_cell)
            elif child.tag == "tbl":
                yield from self._table(child, in_cell)
            elif child.tag == "altChunk":
                name = self._book.package.linked(self._part, child.get("r_id", ""))
                yield from self._book.imported(name)
            elif child.tag == "mc_AlternateContent":
                if (branch := chosen_branch(child)) is not None:
                    yield from self._read(branch, in_cell)
            elif child.tag not in _SILENT:
                if any(node.tag in ("p", "tbl", "altChunk") for node in child.iter()):
                    yield from self._read(child, in_cell)
                else:
                    yield from self._paragraph(child, [child], in_cell)
            while self._attached and not in_cell:
                yield from self._beside(self._attached.pop(0))

    def _paragraph(
        self, paragraph: Element, elements: list[Element], in_cell: bool
    ) -> Iterator[Block]:
        properties = paragraph.find("pPr")
        style = self._book.styles.of_paragraph(value(properties, "pStyle"))
        text, attached = self._text.read(elements, style.look)
        self._attached += attached
        text, self._carried = self._carried + text, ""
        mark = properties.find("rPr") if properties is not None else None
        if mark is not None and (mark.find("del") is not None or mark.find("moveFrom") is not None):
            self._carried = text
            return
        if properties is not None and properties.find("framePr[@dropCap]") is not None:
            self._carried = text.strip()
            return
        text = text.strip(" \n")
        if not text and is_on(mark, "vanish"):
            return
        level = _level(properties, style)
        label, depth = "", -1
        if place := self._numbering.place(properties, style):
            label = self._numbering.label(*place)
            depth = place[1] if label and not level else -1
        if not text and not (in_cell and label):  # a column may hold numbers alone
            return
        if level:
            yield Block(text, level, label.removeprefix("- "), is_title=style.is_title)
        else:
            yield Block(text, 0, label, depth)

    def _table(self, table: Element, in_cell: bool) -> Iterator[Block]:
        for row in table.iter("tr"):
            if row.find("trPr/del") is not None:
                self._text.skip(row)
        cells = [[*cells_of(row)] for row in rows_of(table)]
        if not in_cell and _is_layout(cells, self._book.styles):
            for cell in (node for row in cells for node in row):
                yield from self.of(cell)
            return
        titles, rows = grid_of(table, self._cell)
        yield from (Block(title) for title in titles if title)
        if any(map(any, rows)):
            yield Block("", rows=rows)

    def _cell(self, cell: Element) -> str:
        """The text of a cell, and of the boxes in it."""
        before = len(self._attached)
        lines = [node.line for node in self.of(cell, in_cell=True)]
        attached, self._attached = self._attached[before:], self._attached[:before]
        for node in attached:
            if node.kind in ("box", "drawn"):
                lines += [block.line for block in self._beside(node)]
            else:
                self._attached.append(node)
        return " ".join(lines)

    def _beside(self, node: Attached) -> Iterator[Block]:
        package = self._book.package
        if node.kind == "box":
            yield from blocks_of(self._book, self._part, node.element, self._numbering)
        elif node.kind == "drawn":
            if text := _drawn_text(node.element):
                yield Block(text)
        elif node.kind in ("chart", "diagram"):
            given = node.element.get("r_id") or node.element.get("r_dm") or ""
            root = package.drawing(package.linked(self._part, given))
            if root is None:
                package.left_out[node.kind] += 1
            elif node.kind == "diagram":
                yield from (Block(text, 0, "- ", 0) for text in diagram_texts(root))
            else:
                yield from map(Block, chart_titles(root))
                yield from (Block("", rows=rows) for rows in chart_tables(root))
        else:
            yield from note_blocks(self._book, node.kind, node.element.get("id", ""), node.mark)


def _drawn_text(paragraph: Element) -> str:
    """The text of a paragraph in a drawing (`a:p`)."""
    pieces = (
        " " if node.tag == "a_br" else node.text or ""
        for node in paragraph.iter()
        if node.tag in ("a_t", "a_br")
    )
    return " ".join("".join(pieces).split())


def note_blocks(book: Book, kind: str, note_id: str, mark: str = "") -> Iterator[Block]:
    """A footnote, endnote or comment, with its mark or author before it."""
    part, notes = book.notes[kind]
    element = notes.get(note_id)
    if element is None or (kind, note_id) in book.used:
        return
    book.used.add((kind, note_id))
    before = f"[{mark}] " if mark else ""
    if kind == "comment":
        author = element.get("author", "").strip()
        before = f"Comment by {author}: " if author else "Comment: "
    for block in blocks_of(book, part, element):
        yield (
            block if block.rows else block._replace(text=f"{before}{block.line}", level=0, label="")
        )
        before = "" if not block.rows else before


def _level(properties: Element | None, style: Style) -> int:
    given = value(properties, "outlineLvl")
    return (int(given) + 1) % 10 if given.isdecimal() else style.level


def _is_layout(cells: list[list[Element]], styles: Styles) -> bool:
    """Whether a table only places text: one cell, or headings or tables side by side."""
    flat = [cell for row in cells for cell in row]
    if len(flat) == 1:
        return True
    if any(_has_section(cell, styles) for cell in flat):
        return True
    return min(len(cells), max(map(len, cells), default=0)) == 1 and any(
        cell.find(".//tbl") is not None for cell in flat
    )


def _has_section(cell: Element, styles: Styles) -> bool:
    """Whether a cell holds a heading with text below it."""
    texts = [node for node in cell.iter("p") if any(part.text for part in node.iter("t"))]
    return len(texts) > 1 and any(
        _level(node.find("pPr"), styles.of_paragraph(value(node, "pPr/pStyle"))) for node in texts
    )
