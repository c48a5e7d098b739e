"""Binary workbooks of Excel (`.xlsb`). Source: MS-XLSB, 2.1 (records) and 2.4."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, Final

from hopyard.indexes.documents.readers.base import Content, Found
from hopyard.indexes.documents.readers.parts import Parts
from hopyard.indexes.documents.readers.sheets import sheet_text
from hopyard.indexes.documents.readers.workbooks.cells import Area, cell_text, dated, filled

_ROW, _SHARED, _FORMAT, _FORM, _BOOK, _SHEET, _MERGED, _COMMENT, _COMMENT_TEXT = (
    *(0, 19, 44, 47, 153, 156, 176, 635, 637),
)
_FORMS_BEGIN, _FORMS_END = 617, 618
_BLANK, _RK, _ERROR, _BOOL, _REAL, _TEXT, _INDEX = range(1, 8)
_SHORT: Final = 11
"""The kind of a cell without its column, which is the next one, less the kind of that with it."""
_FORMULAS: Final = {8: _TEXT, 9: _REAL, 10: _BOOL, 11: _ERROR}
_RICH: Final = 62
"""A text in a cell, with fonts."""
_ROWS, _COLUMNS = 1 << 20, 1 << 14
"""Rows and columns of a sheet, at most."""
_ERRORS: Final = {
    0: "#NULL!", 7: "#DIV/0!", 15: "#VALUE!", 23: "#REF!", 29: "#NAME?", 36: "#NUM!", 42: "#N/A",
}  # fmt: skip


def read_xlsb(parts: Parts) -> Iterator[Found]:
    """A workbook: each sheet is a section with its tables, numbers as Excel shows them."""
    book = _Book(parts)
    metadata = parts.properties()
    title = str(metadata.pop("title", ""))
    yield Content(title, book.text(), "markdown", metadata)


def records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The records of a part, each with its kind."""
    place = 0
    while place < len(data):
        kind, place = _number(data, place, 2)
        size, place = _number(data, place, 4)
        yield kind, data[place : place + size]
        place += size


def _number(data: bytes, place: int, most: int) -> tuple[int, int]:
    """A number in bytes of seven bits, and the place after it (2.1.4)."""
    number = 0
    for step, byte in enumerate(data[place : place + most]):
        number |= (byte & 0x7F) << 7 * step
        if byte < 0x80:
            return number, place + step + 1
    return number, place + most


def text_at(data: bytes, place: int) -> tuple[str, int]:
    """A text behind its length, and the place after it (2.5.168)."""
    size = int.from_bytes(data[place : place + 4], "little")
    end = place + 4 + 2 * size
    return data[place + 4 : end].decode("utf-16-le", "replace"), end


def real(kind: int, value: bytes) -> float:
    """The number of a cell; a short one (RK) has 30 bits (2.5.122)."""
    if kind == _REAL:
        return float(struct.unpack_from("<d", value)[0])
    [bits] = struct.unpack_from("<I", value)
    if bits & 2:
        number: float = struct.unpack_from("<i", value)[0] >> 2
    else:
        [number] = struct.unpack("<d", bytes(4) + struct.pack("<I", bits & ~3))
    return number / 100 if bits & 1 else number


class _Book:
    """A binary workbook that is being read."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._book = parts.document("xl/workbook.bin")
        self._shared: list[str] = []
        self._formats: list[str] = []
        for link in parts.related(self._book).values():
            if link.name and link.kind == "sharedStrings":
                found = records(parts.read(link.name))
                self._shared = [text_at(data, 1)[0] for kind, data in found if kind == _SHARED]
            elif link.name and link.kind == "styles":
                self._formats = [*_formats(parts.read(link.name))]

    def text(self) -> Iterator[str]:
        related, from_1904 = self._parts.related(self._book), False
        for kind, data in records(self._parts.read(self._book)):
            if kind == _BOOK:
                from_1904 = bool(data[0] & 1)
            elif kind == _SHEET:
                link, end = text_at(data, 8)
                name = text_at(data, end)[0]
                if link in related and related[link].name:
                    yield from self._sheet(name, related[link].name, from_1904=from_1904)
                else:
                    yield f"# {name}\n\n"

    def _sheet(self, name: str, part: str, *, from_1904: bool) -> Iterator[str]:
        rows: dict[int, dict[int, str]] = {}
        merged: list[Area] = []
        cells: dict[int, str] = {}
        column = -1
        for kind, data in records(self._parts.read(part)):
            if kind == _ROW:
                [row] = struct.unpack_from("<I", data)
                cells, column = rows.setdefault(min(row, _ROWS), {}), -1
            elif kind == _MERGED:
                merged.append(struct.unpack_from("<IIII", data))
            elif _BLANK <= kind <= _INDEX + _SHORT or kind == _RICH:
                is_short = _INDEX + _SHORT >= kind > _SHORT
                at = 0 if is_short else 4
                column = column + 1 if is_short else int.from_bytes(data[:4], "little")
                form = int.from_bytes(data[at : at + 3], "little")
                plain = kind - _SHORT if is_short else _FORMULAS.get(kind, kind)
                value = self._value(plain, data[at + 4 :])
                number_format = self._formats[form] if form < len(self._formats) else ""
                if isinstance(value, float):
                    value = dated(value, number_format, from_1904=from_1904)
                if column < _COLUMNS:
                    cells[column] = cell_text(value, number_format)
        yield from sheet_text(name, filled(_whole(rows), merged))
        for link in self._parts.related(part).values():
            if link.name and link.kind == "comments":
                yield from _comments(self._parts.read(link.name))

    def _value(self, kind: int, value: bytes) -> Any:
        if kind in (_RK, _REAL):
            return real(kind, value)
        if kind == _BOOL:
            return bool(value[0])
        if kind == _ERROR:
            return _ERRORS.get(value[0], "")
        if kind == _INDEX:
            at = int.from_bytes(value[:4], "little")
            return self._shared[at] if at < len(self._shared) else None
        return text_at(value, kind == _RICH)[0] if kind in (_TEXT, _RICH) else None


def _formats(data: bytes) -> Iterator[str]:
    """The number format of each form of a cell."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    codes, is_within = dict(BUILTIN_FORMATS), False
    for kind, value in records(data):
        if kind == _FORMAT:
            codes[int.from_bytes(value[:2], "little")] = text_at(value, 2)[0]
        elif kind in (_FORMS_BEGIN, _FORMS_END):
            is_within = kind == _FORMS_BEGIN
        elif kind == _FORM and is_within:
            yield codes.get(int.from_bytes(value[2:4], "little"), "")


def _whole(rows: dict[int, dict[int, str]]) -> Iterator[list[str]]:
    """All rows with all their columns, also blank rows."""
    for number in range(max(rows, default=-1) + 1):
        cells = rows.get(number, {})
        yield [cells.get(column, "") for column in range(max(cells, default=-1) + 1)]


def _comments(data: bytes) -> Iterator[str]:
    from openpyxl.utils import get_column_letter

    place = "a cell"
    for kind, value in records(data):
        if kind == _COMMENT:
            row, _, column, _ = struct.unpack_from("<IIII", value, 4)
            place = f"{get_column_letter(column + 1)}{row + 1}"
        elif kind == _COMMENT_TEXT:
            yield f"Comment on {place}: {' '.join(text_at(value, 1)[0].split())}\n\n"
