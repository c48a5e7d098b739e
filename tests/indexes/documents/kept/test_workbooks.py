"""Workbooks are compared with all their cells and comments."""

from __future__ import annotations

import lzma
import struct
from pathlib import Path

import pytest
from defusedxml.ElementTree import fromstring

from hopyard.indexes.documents.kept.compare import FileWords
from hopyard.indexes.documents.kept.office import _pass_over_stand_ins

from .conftest import Compared

BOOKS = Path(__file__).parents[1] / "readers" / "workbooks"


@pytest.mark.parametrize("name", ["sheetjs.xlsb", "sheetjs_inline.xlsb", "sheetjs.xls"])
@pytest.mark.parametrize("word", ["", "Möwe!", "Tolls", "Löwe"])
def test_workbooks_of_another_program_are_compared(
    compared: Compared, name: str, word: str
) -> None:
    kept = compared(name, (BOOKS / name).read_bytes(), word).kept
    assert kept is not None
    assert (kept.lost, kept.gained) == (bool(word), 0), str(kept)


EXCEL_97 = BOOKS / "excel97.xls.xz"


@pytest.mark.parametrize(
    ("without", "kept"),
    [
        ("", "kept 100 % of the words"),
        ("Möwe", 'kept 90 % of the words; not read: words such as "möwe"'),
        ("987654321", 'kept 90 % of the words; not read: words such as "987654321"'),
    ],
)
def test_a_workbook_of_excel_97_is_compared(compared: Compared, without: str, kept: str) -> None:
    reading = compared("a.xls", lzma.decompress(EXCEL_97.read_bytes()), without)
    assert str(reading.kept) == kept
    if not without:
        assert "| Möwe | 987654321 | 12.25 | 2024-12-31 |" in reading.text


def test_truth_values_of_excel_97_are_compared(compared: Compared) -> None:
    data = lzma.decompress(EXCEL_97.read_bytes())
    number = b"\x03\x02\x0e\x00\x02\x00\x01\x00\x0f\x00" + struct.pack("<d", 987654321)
    truth = b"\x05\x02\x08\x00\x02\x00\x01\x00\x0f\x00\x01\x00" + b"\xff\x08\x02\x00\x00\x00"
    assert number in data
    reading = compared("a.xls", data.replace(number, truth))
    assert "| Möwe | TRUE | 12.25 |" in reading.text
    assert reading.kept is not None
    assert reading.kept.is_whole, str(reading.kept)


def test_a_table_that_is_called_xls_is_not_compared(compared: Compared) -> None:
    reading = compared("a.xls", b"A\tB\n1\t2\n")
    assert reading.kept is None or reading.kept.share == 1


@pytest.mark.parametrize("author", ["7", "", "x"])
def test_a_comment_without_an_author_is_compared(author: str) -> None:
    found = FileWords()
    comment = f'<comment authorId="{author}">Why</comment>'
    root = fromstring(f"<c><commentList>{comment}</commentList></c>")
    _pass_over_stand_ins(root, found)
    assert "".join(root.itertext()) == "Why"
    assert not found.names
