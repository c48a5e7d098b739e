"""The cells of a table of OpenDocument, which are written once where they are repeated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Unread
from hopyard.indexes.documents.readers.odf.styles import OFFICE, TABLE
from hopyard.indexes.documents.readers.parts import local

_MOST_REPEATS: Final = 1000
"""Times that a cell or row with text is repeated, at most."""
_MOST_BLANKS: Final = 50
"""Blank cells in a row that are kept, at most."""
_OWN_NAMES: Final = ("date", "time", "boolean", "string")
"""Types whose value has an attribute of its own."""


def rows_of(
    table: Element, text_of: Callable[[Element], str], left_out: list[Unread]
) -> Iterator[tuple[bool, list[str]]]:
    """Whether each row is in the header, and its cells. A cell over several rows is in each.

    Args:
        table: Its inner tables belong to their cells.
        left_out: Takes repetitions that are too many.
    """
    below: dict[int, tuple[int, str]] = {}
    for is_head, row in _rows(table):
        cells: list[str] = []
        for cell in (node for node in row if node.tag.startswith(TABLE)):
            repeats = int(cell.get(f"{TABLE}number-columns-repeated", "1"))
            if local(cell) == "covered-table-cell":
                _cover(min(repeats, _MOST_REPEATS), cells, below)
                continue
            text = text_of(cell) or value_of(cell)
            down = int(cell.get(f"{TABLE}number-rows-spanned", "1"))
            if down > 1 and text:
                below[len(cells)] = down - 1, text
            cells += [text] * min(repeats, _MOST_REPEATS if text else _MOST_BLANKS)
        while cells and not cells[-1]:
            cells.pop()
        repeats = int(row.get(f"{TABLE}number-rows-repeated", "1"))
        if cells and repeats > _MOST_REPEATS:
            name = table.get(f"{TABLE}name", "table")
            left_out.append(Unread(name, f"{repeats - _MOST_REPEATS} repetitions of a row"))
        for _ in range(min(repeats, _MOST_REPEATS) if cells else 1):
            yield is_head, list(cells)


def value_of(cell: Element) -> str:
    """The value of a cell whose shown text is not in the file; "" if it has no value."""
    kind = cell.get(f"{OFFICE}value-type", "")
    return cell.get(f"{OFFICE}{kind}-value" if kind in _OWN_NAMES else f"{OFFICE}value", "")


def _cover(count: int, cells: list[str], below: dict[int, tuple[int, str]]) -> None:
    """Add cells that others cover: with the text of the one above, if that is where it begins."""
    for _ in range(count):
        left, text = below.pop(len(cells), (0, ""))
        if left > 1:
            below[len(cells)] = left - 1, text
        cells.append(text if left else "")


def _rows(table: Element, is_head: bool = False) -> Iterator[tuple[bool, Element]]:
    for node in table:
        kind = local(node)
        if kind == "table-row":
            yield is_head, node
        elif kind in ("table-header-rows", "table-rows", "table-row-group"):
            yield from _rows(node, is_head or kind == "table-header-rows")
