"""Workbooks in one XML file, as Excel 2003 and many programs for accounts write them.

Source: Microsoft, XML Spreadsheet Reference, 2001.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

from hopyard.indexes.documents.readers.base import Source
from hopyard.indexes.documents.readers.number_format import shown
from hopyard.indexes.documents.readers.parts import local
from hopyard.indexes.documents.readers.sheets import sheet_text

SPREADSHEET: Final = "urn:schemas-microsoft-com:office:spreadsheet"
_NAMED_FORMATS: Final = {"Percent": "0.00%", "Fixed": "0.00", "Standard": "#,##0.00"}
_BEGIN: Final = 1024
"""Bytes in which a file says that it is a workbook."""
_MOST_REPEATED: Final = 2_000_000
"""Characters that merged cells of a sheet repeat below themselves, at most, with one a cell."""
_FARTHEST: Final = 1 << 14
"""Columns of a sheet, at most."""


def is_workbook(source: Source) -> bool:
    """Whether an XML file is a workbook."""
    with source.open() as stream:
        return SPREADSHEET.encode() in stream.read(_BEGIN)


def workbook_text(elements: Iterator[tuple[str, Element]]) -> Iterator[str]:
    """The sheets as Markdown, like those of other workbooks.

    Args:
        elements: The beginnings and ends of the file's elements, in order.
    """
    formats: dict[str, str] = {}
    name = ""
    for event, element in elements:
        kind = local(element)
        if event == "start" and kind == "Worksheet":
            name = _said(element, "Name")
        elif event == "end" and kind == "Style":
            for inner in (node for node in element if local(node) == "NumberFormat"):
                formats[_said(element, "ID")] = _said(inner, "Format")
        elif event == "start" and kind == "Table":
            comments: list[str] = []
            yield from sheet_text(name, _rows(elements, formats, comments))
            yield from (f"Comment: {comment}\n\n" for comment in comments)


def _rows(
    elements: Iterator[tuple[str, Element]], formats: Mapping[str, str], comments: list[str]
) -> Iterator[list[str]]:
    """The rows of a table; a merged cell's text is in each of its rows, in its first column.

    Rows without a cell between two others are one blank row, as `sheet_text` needs no more.
    """
    waiting: dict[int, tuple[int, str]] = {}
    number, repeated = 0, 0
    for event, row in elements:
        kind = local(row)
        if event == "end" and kind == "Table":
            return
        if event == "start" or kind != "Row":
            continue
        place = _number(row, "Index", number + 1)
        if place > number + 1:
            yield []
        number = place
        waiting = {column: each for column, each in waiting.items() if number <= each[0]}
        repeated += sum(len(text) + 1 for _, text in waiting.values())
        if repeated > _MOST_REPEATED:
            waiting = {}
        cells = {column: text for column, (_, text) in waiting.items()}
        column = 0
        for cell in (node for node in row if local(node) == "Cell"):
            column = min(_number(cell, "Index", column + 1), _FARTHEST)
            cells[column] = _text(cell, formats)
            comments += filter(None, map(_comment, cell))
            if down := _number(cell, "MergeDown", 0):
                waiting[column] = (number + down, cells[column])
            column += _number(cell, "MergeAcross", 0)
        yield [cells.get(at, "") for at in range(1, max(cells, default=0) + 1)]
        row.clear()


def _text(cell: Element, formats: Mapping[str, str]) -> str:
    data = next((node for node in cell if local(node) == "Data"), None)
    if data is None:
        return ""
    text, kind = "".join(data.itertext()), _said(data, "Type")
    if kind == "Number":
        style = formats.get(_said(cell, "StyleID"), "")
        try:
            return shown(float(text), _NAMED_FORMATS.get(style, style))
        except ValueError:
            return text
    if kind == "DateTime":
        return text.removesuffix(".000").removesuffix("T00:00:00").replace("T", " ")
    return {"0": "FALSE", "1": "TRUE"}.get(text, text) if kind == "Boolean" else text


def _comment(node: Element) -> str:
    return " ".join("".join(node.itertext()).split()) if local(node) == "Comment" else ""


def _said(element: Element, name: str) -> str:
    return element.get(f"{{{SPREADSHEET}}}{name}", "")


def _number(element: Element, name: str, otherwise: int) -> int:
    text = _said(element, name)
    return int(text) if text.isdecimal() else otherwise
