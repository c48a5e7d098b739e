"""Tables of web pages: a cell for each column, and one row as the header."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Final

from hopyard.indexes.documents.readers.web.tree import CELL, length_of

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_WIDEST_SPAN: Final = 100
_MOST_ADDED: Final = 20_000
"""Cells that are added to a table beside twice as many as it has, at most."""
_BLOCKS: Final = ["p", "div", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "blockquote"]


def prepare_tables(soup: BeautifulSoup) -> None:
    """Prepare the tables of a page for Markdown; tables that only place things become blocks."""
    for table in soup("table"):  # the outer tables first
        if _is_layout(table):
            _take_apart(table)
    for table in reversed(soup("table")):
        _move_out(table)
        if table.find_parent(CELL):
            _flatten(table)
        else:
            _complete(table)


def _is_layout(table: Tag) -> bool:
    """Whether a table only places what is in it: other tables, or one cell or row of blocks."""
    if table.get("role") in ("presentation", "none"):
        return True
    rows = _rows(table)
    if any(row.find("th", recursive=False) for row in rows) or table.find("caption"):
        return False
    inner = [item for item in table("table") if item.find_parent("table") is table]
    if inner and 2 * sum(map(length_of, inner)) >= length_of(table):
        return True
    cells = [cell for row in rows for cell in row(CELL, recursive=False)]
    return len(cells) == 1 or (len(rows) == 1 and any(cell.find(_BLOCKS) for cell in cells))


def _take_apart(table: Tag) -> None:
    for cell in table(CELL):
        if cell.find_parent("table") is table:
            cell.name = "div"
    for row in table(["tr", "tbody", "thead", "tfoot"]):
        if row.find_parent("table") is table:
            row.unwrap()
    table.name = "div"


def _flatten(table: Tag) -> None:
    """A table in a cell of another: its rows one after the other."""
    rows = [", ".join(filter(None, map(_words, row(CELL)))) for row in _rows(table)]
    table.replace_with(f" {'; '.join(filter(None, rows))} ")


def _words(tag: Tag) -> str:
    return " ".join(tag.get_text(" ").split())


def _move_out(table: Tag) -> None:
    """Move the caption, and text that is in no cell, before the table."""
    for caption in table(["caption", "colgroup", "col"]):
        if caption.find_parent("table") is table:
            caption.name = "p"
            table.insert_before(caption.extract())
    for part in (table, *table(["tbody", "thead", "tfoot", "tr"])):
        if part is not table and part.find_parent("table") is not table:
            continue
        for text in part.find_all(string=True, recursive=False):
            if text.strip() and type(text).__name__ == "NavigableString":
                table.insert_before(text.extract())


def _rows(table: Tag) -> list[Tag]:
    return [row for row in table("tr") if row.find_parent("table") is table]


def _complete(table: Tag) -> None:
    """Prepare a table for Markdown: bars do not end cells, and the first row is the header.

    Office programs seldom mark the header. A cell over several rows is in each of them, and a
    header over several columns in each. The rows of a header become one.
    """
    for text in table.find_all(string=lambda text: "|" in text):
        text.replace_with(text.replace("|", "\\|"))
    for foot in table("tfoot"):  # a browser shows it last
        if foot.find_parent("table") is table:
            table.append(foot.extract())
            foot.name = "tbody"
    rows = _rows(table)
    if not rows:
        return
    _spread(rows)
    heads = [row for row in rows if _in_head(row) or not row.find("td")]
    for row in heads[1:] if heads and rows[: len(heads)] == heads else ():
        tops, cells = heads[0](CELL, recursive=False), row(CELL, recursive=False)
        for cell in cells[len(tops) :]:
            heads[0].append(cell.extract())
        for above, cell in zip(tops, cells, strict=False):
            if (name := cell.get_text().strip()) and name != above.get_text().strip():
                above.append(f" {name}")
        row.extract()
    if not table.find("th"):
        for cell in rows[0]("td", recursive=False):
            cell.name = "th"


def _in_head(row: Tag) -> bool:
    return row.parent is not None and row.parent.name == "thead"


def _spread(rows: Sequence[Tag]) -> None:
    """Give each row a cell for every column."""
    below: dict[int, tuple[int, Tag]] = {}
    left = _MOST_ADDED
    for row in rows:
        cells = row(CELL, recursive=False)
        left += 2 * len(cells) - len(below)
        if left < 0:
            below.clear()
        is_head = _in_head(row)
        column = 0
        for cell in cells:
            column = _copy_down(below, column, cell.insert_before)
            across, down = _span(cell, "colspan", 1), _span(cell, "rowspan", len(rows))
            if (left := left - across) < 0:
                across = down = 1
            for added in range(across):
                if added:
                    repeated = is_head or cell.name == "th"
                    cell.insert_after(copy(cell) if repeated else _blank(cell))
                if down > 1:
                    below[column] = (
                        down - 1,
                        cell if not added or cell.name == "th" else _blank(cell),
                    )
                column += 1
        while below and column <= max(below):
            column = _copy_down(below, column, row.append) if column in below else column + 1


def _copy_down(below: dict[int, tuple[int, Tag]], column: int, add: Callable[[Tag], Any]) -> int:
    """Add the cells that reach from above into these columns; the column after them."""
    while column in below:
        left, cell = below.pop(column)
        add(copy(cell))
        if left > 1:
            below[column] = (left - 1, cell)
        column += 1
    return column


def _span(cell: Tag, name: str, whole: int) -> int:
    """The number of columns or rows of a cell; the attribute goes. 0 means all that follow."""
    value = str(cell.attrs.pop(name, "1")).strip()
    return min(int(value) or whole, _WIDEST_SPAN) if value.isdecimal() else 1


def _blank(cell: Tag) -> Tag:
    blank = copy(cell)
    blank.clear()
    return blank
