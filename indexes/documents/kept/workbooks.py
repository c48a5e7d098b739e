"""All cells of workbooks, found by another library or record by record."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from html import unescape
from io import BytesIO, StringIO
from itertools import chain
from typing import Any, Final

from hopyard.indexes.documents.kept.compare import FileWords
from hopyard.indexes.documents.kept.office import NO_DATE, find_office
from hopyard.indexes.documents.readers.base import Source

_ERRORS: Final = "#DIV/0! #N/A #NAME? #NULL! #NUM! #REF! #VALUE!"
_MARGINS: Final = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(?:Header|Footer)(?: [^<>]*)?>([^<]+)<")
_CODES: Final = re.compile(r'&"[^"]*"|&K.{6}|&\d+|&[A-Z]')
_BINARY: Final = re.compile(r"(?:worksheets/|sharedStrings|comments|styles|workbook)[^/]*\.bin$")
_DAYS: Final = (20_000, 80_000)
"""Numbers of the days from 1954 to 2119."""


def find_xlsx(source: Source, found: FileWords) -> None:
    """The cells of a workbook by calamine, its comments, text boxes and charts."""
    from python_calamine import CalamineWorkbook

    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        if "xl/workbook.bin" in archive.namelist():
            find_xlsb(source, found)
            return
    find_office(source, found)
    found.name(_ERRORS)
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        for name in archive.namelist():
            if "worksheets/" in name and name.endswith(".xml"):
                for margin in _MARGINS.findall(archive.read(name)):
                    found.once(_CODES.sub(" ", unescape(margin.decode())), "header")
    with source.open() as stream:
        book = CalamineWorkbook.from_filelike(stream)
        for name in book.sheet_names:
            _cells(name, chain.from_iterable(book.get_sheet_by_name(name).to_python()), found)


def _cells(sheet: str, values: Iterable[Any], found: FileWords) -> None:
    texts: list[str] = []
    for value in values:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found.number(value)
        elif isinstance(value, (date, time, timedelta)):
            found.name(str(value))
        else:
            texts.append(str(value))
    found.text("\n".join(texts), f'sheet "{sheet}"')
    found.text(sheet)


def find_xls(source: Source, found: FileWords) -> None:
    """The cells of a workbook of Excel 97 by calamine, its comments and formats by xlrd.

    Other files of this name are not compared.
    """
    import xlrd
    from python_calamine import CalamineWorkbook

    with source.open() as stream:
        data = stream.read()
    if data.startswith(b"PK"):
        find_xlsx(source, found)
        return
    try:
        book = xlrd.open_workbook(file_contents=data, logfile=StringIO(), formatting_info=True)
    except xlrd.XLRDError:
        found.open = True
        return
    found.name(_ERRORS)
    found.name(" ".join(each.format_str or "" for each in book.format_map.values()))
    for sheet in book.sheets():
        for note in sheet.cell_note_map.values():
            found.text(note.text, "comment")
    cells = CalamineWorkbook.from_filelike(BytesIO(data))
    for name in cells.sheet_names:
        values = chain.from_iterable(cells.get_sheet_by_name(name).to_python())
        _cells(name, (_number_or_day(value, found) for value in values), found)


def _number_or_day(value: Any, found: FileWords) -> Any:
    """A value; "" for a number that may be a day: calamine does not know all their formats."""
    if isinstance(value, float) and _DAYS[0] <= value <= _DAYS[1]:
        _name_day(value, found)
        return ""
    return value


def _name_day(number: float, found: FileWords) -> None:
    """The document may have the day or the time of a number, counted from either first day."""
    with suppress(OverflowError):
        for first in (datetime(1899, 12, 30), datetime(1904, 1, 1)):
            found.name(str(first + timedelta(days=number)))


def find_xlsb(source: Source, found: FileWords) -> None:
    """The texts and numbers of a binary workbook, record by record (MS-XLSB, 2.3)."""
    found.name(f"{_ERRORS} TRUE FALSE")
    shared: list[str] = []
    codes = dict.fromkeys((*range(14, 23), *range(45, 48)), "d")
    forms: list[int] = []
    with source.open() as stream, zipfile.ZipFile(stream) as archive:
        names = [name for name in archive.namelist() if _BINARY.search(name)]
        sheets = [name for name in names if "worksheets/" in name]
        for name in names:
            for kind, data in _records(b"" if name in sheets else archive.read(name)):
                if kind == 19:
                    shared.append(_wide(data, 1))
                elif kind == 44:
                    codes[int.from_bytes(data[:2], "little")] = _wide(data, 2)
                    found.name(_wide(data, 2))
                elif kind == 47:
                    forms.append(int.from_bytes(data[2:4], "little"))
                elif kind == 156:
                    found.text(_wide(data, 12 + 2 * int.from_bytes(data[8:12], "little")))
                elif kind == 617:  # those before are not of cells
                    forms.clear()
                elif kind == 637:
                    found.text(_wide(data, 1), "comment")
        days = {at for at, form in enumerate(forms) if _is_day(codes.get(form, ""))}
        for name in sheets:
            values = (_binary_cell(*each, shared) for each in _records(archive.read(name)))
            texts: list[str] = []
            for form, value in filter(None, values):
                if isinstance(value, str):
                    texts.append(value)
                else:
                    _name_day(value, found) if form in days else found.number(value)
            found.text("\n".join(texts))


def _binary_cell(kind: int, data: bytes, shared: list[str]) -> tuple[int, str | float] | None:
    """The form and the value of a cell, which may begin without its column."""
    if is_short := 12 <= kind <= 18:
        kind -= 11
    else:
        data = data[4:]
    form, value = int.from_bytes(data[:3], "little"), data[4:]
    if kind == 7:
        return form, shared[int.from_bytes(value[:4], "little")]
    if kind in (6, 8):
        return form, _wide(value, 0)
    if kind == 62 and not is_short:
        return form, _wide(value, 1)
    if kind in (5, 9):
        return form, float(struct.unpack_from("<d", value)[0])
    return (form, _short_number(value)) if kind == 2 else None


def _is_day(code: str) -> bool:
    return bool(re.search("[ymdhs]", NO_DATE.sub("", code).lower().replace("general", "")))


def _short_number(value: bytes) -> float:
    """A number in 30 bits, of which one says that it counts hundredths (2.5.122)."""
    bits = int.from_bytes(value[:4], "little", signed=True)
    packed = bytes(4) + (bits & ~3).to_bytes(4, "little", signed=True)
    number = float(bits >> 2) if bits & 2 else float(struct.unpack("<d", packed)[0])
    return number / 100 if bits & 1 else number


def _wide(data: bytes, place: int) -> str:
    size = int.from_bytes(data[place : place + 4], "little")
    return data[place + 4 : place + 4 + 2 * size].decode("utf-16-le", "replace")


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The records of a part: kind and size in bytes of seven bits, then the content (2.1.4)."""
    place = 0
    while place < len(data):
        head = [0, 0]
        for at, most in enumerate((2, 4)):
            for step in range(most):
                byte, place = data[place], place + 1
                head[at] |= (byte & 0x7F) << 7 * step
                if byte < 0x80:
                    break
        yield head[0], data[place : place + head[1]]
        place += head[1]
