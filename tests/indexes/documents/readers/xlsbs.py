"""A binary workbook for tests, record by record. Source: MS-XLSB, 2.1.4 and 2.3."""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence

from ..zips import zipped

__all__ = ("xlsb",)

_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"


def xlsb(rows: Sequence[Sequence[str | float | bool]], dates: Collection[int] = ()) -> bytes:
    """A workbook of one sheet, "Stock"; the numbers of some columns are days."""
    shared: list[str] = []
    body = b""
    for down, row in enumerate(rows):
        body += _record(0, struct.pack("<IIHHBI", down, 0, 300, 0, 0, 0))
        for across, value in enumerate(row):
            place = struct.pack("<II", across, across in dates)
            if isinstance(value, str):
                body += _record(7, place + struct.pack("<I", len(shared)))
                shared.append(value)
            elif isinstance(value, bool):
                body += _record(4, place + bytes([value]))
            else:
                body += _record(5, place + struct.pack("<d", value))
    size = struct.pack("<IIII", 0, len(rows) - 1, 0, max(map(len, rows)) - 1)
    sheet = _record(129) + _record(148, size) + _record(145) + body + _record(146) + _record(130)
    texts = b"".join(_record(19, b"\0" + _text(each)) for each in shared)
    count = struct.pack("<II", len(shared), len(shared))
    named = struct.pack("<II", 0, 1) + _text("rId1") + _text("Stock")
    forms = b"".join(
        _record(47, struct.pack("<HHHHHBBHH", 0, form, *[0] * 7)) for form in (0, 14)
    )  # General, and a day
    files = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="bin" '
        f'ContentType="{_KIND}"/></Types>',
        "_rels/.rels": _relations(officeDocument="xl/workbook.bin"),
        "xl/_rels/workbook.bin.rels": _relations(
            worksheet="worksheets/sheet1.bin",
            sharedStrings="sharedStrings.bin",
            styles="styles.bin",
        ),
        "xl/workbook.bin": _record(131) + _record(143) + _record(156, named) + _record(144)
        + _record(132),
        "xl/worksheets/sheet1.bin": sheet,
        "xl/sharedStrings.bin": _record(159, count) + texts + _record(160),
        "xl/styles.bin": _record(278) + _record(617, struct.pack("<I", 2)) + forms + _record(618)
        + _record(279),
    }  # fmt: skip
    return zipped(files)


def _record(kind: int, data: bytes = b"") -> bytes:
    return _number(kind) + _number(len(data)) + data


def _number(value: int) -> bytes:
    """A number in bytes of seven bits."""
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _number(rest) if rest else bytes([low])


def _text(text: str) -> bytes:
    return len(text).to_bytes(4, "little") + text.encode("utf-16-le")


def _relations(**targets: str) -> str:
    each = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATED}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets.items(), start=1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{each}</Relationships>'
