"""Tables with a cell for every column: merged cells, several header rows, titles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import accumulate, takewhile
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.word.package import is_on, value
from hopyard.indexes.documents.readers.word.text import chosen_branch

_WIDEST_SPAN: Final = 100


class _Cell(NamedTuple):
    text: str
    columns: int = 1
    down: str = ""
    """`restart` where a cell reaches down, `continue` where the cell above does, else ""."""


class _Row(NamedTuple):
    cells: list[_Cell]
    is_head: bool
    """Whether the table repeats it on each page."""

    @property
    def columns(self) -> int:
        return sum(cell.columns for cell in self.cells)

    def merged(self, down: str) -> set[int]:
        """The columns of cells that reach down, or that are reached from above."""
        ends = accumulate(cell.columns for cell in self.cells)
        return {
            end - cell.columns
            for cell, end in zip(self.cells, ends, strict=True)
            if cell.down == down
        }


def rows_of(table: Element) -> Iterator[Element]:
    """The rows of a table that are not deleted, whatever elements are around them."""
    for row in _inside(table, "tr"):
        if row.find("trPr/del") is None:
            yield row


def cells_of(row: Element) -> Iterator[Element]:
    """The cells of a row that are not deleted."""
    for cell in _inside(row, "tc"):
        if cell.find("tcPr/cellDel") is None:
            yield cell


def grid_of(table: Element, text_of: Callable[[Element], str]) -> tuple[list[str], list[list[str]]]:
    """A table with a text in each cell.

    A cell over several rows is in each of them; a cell over several columns is in the first, in
    header rows in each. The rows of a header become one.

    Returns:
        Texts over the whole width above the table, and its rows of equal length, the header first.
    """
    rows = [_row(row, text_of) for row in rows_of(table)]
    columns = max((row.columns for row in rows), default=0)
    titles = []
    while len(rows) > 1 and columns > 1 and [columns] == [node.columns for node in rows[0].cells]:
        titles.append(rows.pop(0).cells[0].text)
    heads = _header_rows(rows)
    above: list[str] = []
    filled = []
    for number, row in enumerate(rows):
        above = _filled(row.cells, above, number < heads)
        filled.append([*above, *[""] * (columns - len(above))])
    header = [
        " ".join(dict.fromkeys(filter(None, names))) for names in zip(*filled[:heads], strict=True)
    ]
    return titles, [header, *filled[heads:]]


def _inside(parent: Element, tag: str) -> Iterator[Element]:
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag == "mc_AlternateContent":
            if (branch := chosen_branch(child)) is not None:
                yield from _inside(branch, tag)
        elif not child.tag.endswith("Pr"):
            yield from _inside(child, tag)


def _row(row: Element, text_of: Callable[[Element], str]) -> _Row:
    before = _count(row, "trPr/gridBefore", 0)
    cells = [_Cell("", before)] if before else []
    for element in cells_of(row):
        properties = element.find("tcPr")
        columns = _count(element, "tcPr/gridSpan", 1)
        if cells and value(properties, "hMerge") not in ("", "restart"):
            cells[-1] = cells[-1]._replace(columns=cells[-1].columns + columns)
            continue
        reaches = properties is not None and properties.find("vMerge") is not None
        down = (value(properties, "vMerge") or "continue") if reaches else ""
        cells.append(_Cell(text_of(element), columns, down))
    return _Row(cells, bool(is_on(row, "trPr/tblHeader")))


def _filled(cells: list[_Cell], above: list[str], is_head: bool) -> list[str]:
    texts: list[str] = []
    for cell in cells:
        place = len(texts)
        if cell.down == "continue":
            reaching = above[place : place + cell.columns]
            texts += reaching + [""] * (cell.columns - len(reaching))
        else:
            texts += [cell.text, *[cell.text if is_head else ""] * (cell.columns - 1)]
    return texts


def _header_rows(rows: list[_Row]) -> int:
    """How many rows are the header: those that are marked, or as far as its merged cells reach."""
    marked = sum(1 for _ in takewhile(lambda row: row.is_head, rows))
    if marked or not rows:
        return marked
    reaching = rows[0].merged("restart")
    if not reaching or all(cell.columns == 1 for cell in rows[0].cells):
        return 1
    below = sum(1 for _ in takewhile(lambda row: reaching & row.merged("continue"), rows[1:]))
    return 1 + below if below + 1 < len(rows) else 1


def _count(element: Element, path: str, usual: int) -> int:
    given = value(element, path)
    return min(int(given), _WIDEST_SPAN) if given.isdecimal() else usual
