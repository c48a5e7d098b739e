"""Workbooks of Excel 97 (`.xls`), and what programs call so."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from typing import Any

from hopyard.indexes.documents.readers.base import Content, Found, Source, Unread
from hopyard.indexes.documents.readers.delimited import read_csv
from hopyard.indexes.documents.readers.sheets import sheet_text
from hopyard.indexes.documents.readers.web import read_html
from hopyard.indexes.documents.readers.workbooks.cells import Area, cell_text, dated, filled
from hopyard.indexes.documents.readers.workbooks.excel import plain_workbook, read_xlsx
from hopyard.indexes.documents.readers.xml_text import read_xml

_EXCEL_97 = (b"\xd0\xcf\x11\xe0", b"\t\x08", b"\t\x04", b"\t\x02")


def read_xls(source: Source) -> Iterator[Found]:
    """A workbook of Excel 97 (`.xls`) or in binary form (`.xlsb`).

    Programs call other files `.xls` too: web pages and tables of values.
    """
    with source.open() as stream:
        start = stream.read(1024).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"PK"):
        yield from read_xlsx(source)
    elif start.startswith(_EXCEL_97):
        yield from _read_97(source)
    elif not start.startswith(b"<"):
        yield from read_csv(source)
    elif b"urn:schemas-microsoft-com:office:spreadsheet" in start and start.startswith(b"<?xml"):
        yield from read_xml(source)
    else:
        yield from read_html(source)


def _read_97(source: Source) -> Iterator[Found]:
    import xlrd

    try:
        book = xlrd.open_workbook(
            file_contents=source.read(), logfile=StringIO(), formatting_info=True, ragged_rows=True
        )
    except Exception as error:  # xlrd meets what it does not know with any exception
        yield from plain_workbook(source)
        yield Unread("number formats and comments", f"xlrd cannot read the file ({error})")
        return
    yield Content("", ["".join(line for sheet in book.sheets() for line in _sheet(sheet, book))])


def _sheet(sheet: Any, book: Any) -> Iterator[str]:
    from openpyxl.utils import get_column_letter

    merged: list[Area] = [
        (top, end - 1, left, right - 1) for top, end, left, right in sheet.merged_cells
    ]
    rows = ([_text(cell, book) for cell in row] for row in sheet.get_rows())
    yield from sheet_text(sheet.name, filled(rows, merged))
    for (row, column), note in sorted(sheet.cell_note_map.items()):
        place = f"{get_column_letter(column + 1)}{row + 1}"
        yield f"Comment on {place}: {' '.join(note.text.split())}\n\n"


def _text(cell: Any, book: Any) -> str:
    import xlrd

    number_format = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
    value = cell.value
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        value = dated(value, number_format, from_1904=bool(book.datemode))
    elif cell.ctype == xlrd.XL_CELL_BOOLEAN:
        value = bool(value)
    elif cell.ctype == xlrd.XL_CELL_ERROR:
        value = xlrd.error_text_from_code.get(value, "")
    return cell_text(value, number_format)
