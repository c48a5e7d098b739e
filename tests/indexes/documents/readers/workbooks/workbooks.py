"""Workbooks for tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import openpyxl

from ...zips import rewritten, saved


def book(rows: list[list[Any]], change: Callable[[Any], None] = lambda sheet: None) -> bytes:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "S"
    for row in rows:
        sheet.append(row)
    change(sheet)
    return saved(workbook)


def replaced(
    data: bytes, part: str, old: str, new: str, more: dict[str, str] | None = None
) -> bytes:
    """The file with a text in one of its parts replaced, and parts added."""

    def change(name: str, text: str) -> str:
        assert name != part or old in text
        return text.replace(old, new) if name == part else text

    return rewritten(data, change, more)
