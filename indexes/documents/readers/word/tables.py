"""Tables with a cell for every column: merged cells, several header rows, titles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile
from typing import Final, NamedTuple
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.sheets import joined_heads
from hopyard.indexes.documents.readers.word.package import is_on, value
from hopyard.indexes.documents.readers.word.text import chosen_branch

_WIDEST_SPAN: Final = 100


class _Cell(NamedTuple):
    text: str
    columns: int = 1
    is_below: bool = False
    """Whether the cell above reaches down to it."""


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
    header rows in each. The rows of a header become one: those that the table repeats on each
    page, or that look like it.

    Returns:
        Texts over the whole width above the table, and its rows of equal length, the header first.
    """
    found = [*rows_of(table)]
    rows = [_row(row, text_of) for row in found]
    heads = sum(1 for _ in takewhile(lambda row: is_on(row, "trPr/tblHeader"), found))
    columns = max((sum(cell.columns for cell in row) for row in rows), default=0)
    titles = []
    while len(rows) > 1 and columns > 1 and [columns] == [cell.columns for cell in rows[0]]:
        titles.append(rows.pop(0)[0].text)
        heads -= 1
    filled: list[list[str]] = []
    for row in rows:
        is_head = len(filled) < max(heads, 1)
        filled.append(_filled(row, filled[-1] if filled else [], is_head=is_head))
    return titles, joined_heads(filled, heads)


def _inside(parent: Element, tag: str) -> Iterator[Element]:
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag == "mc_AlternateContent":
            if (branch := chosen_branch(child)) is not None:
                yield from _inside(branch, tag)
        elif not child.tag.endswith("Pr"):
            yield from _inside(child, tag)


def _row(row: Element, text_of: Callable[[Element], str]) -> list[_Cell]:
    before = _count(row, "trPr/gridBefore", 0)
    cells = [_Cell("", before)] if before else []
    for element in cells_of(row):
        columns = _count(element, "tcPr/gridSpan", 1)
        if cells and value(element, "tcPr/hMerge") not in ("", "restart"):
            cells[-1] = cells[-1]._replace(columns=cells[-1].columns + columns)
            continue
        merged = element.find("tcPr/vMerge")
        is_below = merged is not None and merged.get("val", "continue") == "continue"
        cells.append(_Cell("" if is_below else text_of(element), columns, is_below))
    return cells


def _filled(cells: list[_Cell], above: list[str], *, is_head: bool) -> list[str]:
    texts: list[str] = []
    for cell in cells:
        reaching = above[len(texts) : len(texts) + cell.columns] if cell.is_below else [cell.text]
        more = cell.text if is_head else ""
        texts += reaching + [more] * (cell.columns - len(reaching))
    return texts


def _count(element: Element, path: str, usual: int) -> int:
    given = value(element, path)
    return min(int(given), _WIDEST_SPAN) if given.isdecimal() else usual
