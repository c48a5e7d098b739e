"""Workbooks: cells beyond the stated size, dates, formulas without values, charts, comments."""

from __future__ import annotations

import time as clock
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from ...zips import lines
from .workbooks import book, replaced

Read = Any


def test_cells_beyond_the_stated_size_are_read(read: Read) -> None:
    data = book([["Item", "Price"], ["Nuts", 5], ["Bolts", 7]])
    data = replaced(data, "xl/worksheets/sheet1.xml", 'dimension ref="A1:B3"', 'dimension ref="A1"')
    assert lines(read("a.xlsx", data)[1])[-1] == "| Bolts | 7 |"


def test_a_cell_far_away_costs_no_thousand_columns(read: Read) -> None:
    def far(sheet: Any) -> None:
        sheet["XFD3"] = "far"

    text = read("a.xlsx", book([["Item", "Price"], ["Nuts", 5]], far))[1]
    assert "far" in text
    assert len(text) < 500


@pytest.mark.parametrize("epoch", ["1900", "1904"])
def test_dates_times_errors_and_truth_values(read: Read, epoch: str) -> None:
    row = [
        date(2024, 5, 6),
        datetime(2024, 5, 6, 10, 30),
        time(8, 30),
        timedelta(hours=25, minutes=30),
        True,
        "#DIV/0!",
        0.075,
        1234.5,
    ]

    def change(sheet: Any) -> None:
        sheet.parent.epoch = CALENDAR_MAC_1904 if epoch == "1904" else sheet.parent.epoch
        sheet["G2"].number_format = "0.0%"
        sheet["H2"].number_format = '#,##0.00\\ "kr"'

    heads = ["Day", "Moment", "Time", "Hours", "Paid", "Error", "Rate", "Amount"]
    assert lines(read("a.xlsx", book([heads, row], change))[1])[-1] == (
        "| 2024-05-06 | 2024-05-06 10:30:00 | 08:30:00 | 25:30 | TRUE | #DIV/0! | 7.5% | "
        "1,234.50 kr |"
    )


@pytest.mark.parametrize("begun", ["<oddHeader ", "<f "])
def test_elements_in_a_comment_that_never_end_take_no_time(read: Read, begun: str) -> None:
    comment = f"</sheetData><!-- {begun * (200_000 // len(begun))} -->"
    data = replaced(book([["A"], [1]]), "xl/worksheets/sheet1.xml", "</sheetData>", comment)
    began = clock.process_time()
    assert lines(read("a.xlsx", data)[1]) == ["# S", "A", "1"]
    assert clock.process_time() - began < 5


def test_hidden_sheets_rows_and_columns_are_read(read: Read) -> None:
    def hide(sheet: Any) -> None:
        sheet.row_dimensions[2].hidden = sheet.column_dimensions["B"].hidden = True
        other = sheet.parent.create_sheet("Secret")
        other.sheet_state = "veryHidden"
        other["A1"] = "kept"

    text = read("a.xlsx", book([["Item", "Price"], ["Nuts", 5]], hide))[1]
    assert lines(text)[3:] == ["| Nuts | 5 |", "# Secret", "kept"]


def test_two_rows_of_a_header_become_one(read: Read) -> None:
    def merge(sheet: Any) -> None:
        for cells in ("A2:A3", "B2:C2", "D2:E2"):
            sheet.merge_cells(cells)

    rows = [
        ["Energy of all plants"],
        ["Plant", "2023", None, "2024", None],
        [None, "MWh", "Cost", "MWh", "Cost"],
        ["Dune", 11, 21, 12, 22],
        ["Reed", 13, 23, 14, 24],
    ]
    assert lines(read("a.xlsx", book(rows, merge))[1]) == [
        "# S",
        "Energy of all plants",
        "| Plant | 2023 MWh | 2023 Cost | 2024 MWh | 2024 Cost |",
        "|---|---|---|---|---|",
        "| Dune | 11 | 21 | 12 | 22 |",
        "| Reed | 13 | 23 | 14 | 24 |",
    ]


def test_lines_of_two_cells_above_a_table(read: Read) -> None:
    rows = [
        ["Author", "Ann"],
        ["Plant", "MWh", "Cost", "Tax"],
        ["Dune", 1, 2, 3],
        [],
        ["Sum", 1, 2, 3],
    ]
    assert lines(read("a.xlsx", book(rows))[1]) == [
        "# S",
        "Author Ann",
        "| Plant | MWh | Cost | Tax |",
        "|---|---|---|---|",
        "| Dune | 1 | 2 | 3 |",
        "| Sum | 1 | 2 | 3 |",
    ]


def test_a_first_row_that_is_wider_than_the_second(read: Read) -> None:
    rows = [["Item", "", "", "", "Price"], ["", "Size"], ["Nuts", 5, 6, 7, 8]]
    assert lines(read("a.xlsx", book(rows))[1])[-1] == "| Nuts | 5 | 6 | 7 | 8 |"


def test_signs_that_xml_cannot_hold(read: Read) -> None:
    assert "one two" in read("a.xlsx", book([["one_x000D_\ntwo", "b"]]))[1]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b"<html><table><tr><th>A<th>B<tr><td>1<td>2</table>",
            "| A | B |\n| --- | --- |\n| 1 | 2 |",
        ),
        (b"A\tB\n1\t2\n", "| A | B |\n|---|---|\n| 1 | 2 |\n\n"),
    ],
)
def test_other_files_that_are_called_xls(read: Read, data: bytes, text: str) -> None:
    assert read("a.xls", data)[1] == text


STOCK = """# Stock

Stock of the quay

| Item | Count | Price | Share | Since | Ready |
|---|---|---|---|---|---|
| Möwe | 987654321.98 | 12.50 EUR | 7.5% | 2024-12-31 | TRUE |
| Pier & rope | -3 | 1,234,567.89 EUR (1234567.891) | 100.0% | 2025-02-28 13:45:00 | FALSE |
| Pier & rope | 0 | 0.0000001 | 33.3% |  |  |
| Sum | 987654318.98 | Möwe! | #DIV/0! |  |  |

"""
COMMENT = "Comment on A3: A gull of steel\n\n"
OTHERS = """# Codes

| Code | Name |
|---|---|
| 007 | Löwe of Riga |

# Fees & tolls

|  | North 2023 | North 2024 | South 2023 | South 2024 |
|---|---|---|---|---|
| Fees | 1 | 2 | 3 | 4 |
| Tolls | 5 | 6 | 7 | 8 |

"""


@pytest.mark.parametrize(
    ("name", "comment"),
    [
        ("sheetjs.xlsb", COMMENT),
        ("sheetjs_inline.xlsb", COMMENT),
        ("sheetjs.xls", ""),  # SheetJS writes no comments there
        ("libreoffice.xls", COMMENT),
    ],
)
def test_workbooks_that_other_programs_wrote(read: Read, name: str, comment: str) -> None:
    """Made by `sheetjs.js`; `libreoffice.xls` by `soffice --convert-to xls` of such a workbook."""
    data = (Path(__file__).parent / name).read_bytes()
    assert read(name, data)[1] == STOCK + comment + OTHERS


def test_a_binary_workbook_under_the_name_of_another_format(read: Read) -> None:
    data = (Path(__file__).parent / "sheetjs.xlsb").read_bytes()
    assert read("a.xlsx", data)[1] == STOCK + COMMENT + OTHERS


def test_a_workbook_under_the_name_of_another_format(read: Read) -> None:
    data = book([["Item", "Price"], ["Nuts", 1234567.25], ["Bolts", date(2024, 5, 6)]])
    assert lines(read("a.xlsb", data)[1])[1:] == [
        "| Item | Price |",
        "|---|---|",
        "| Nuts | 1234567.25 |",
        "| Bolts | 2024-05-06 |",
    ]


def test_a_protected_workbook_is_named(read: Read) -> None:
    with pytest.raises(Exception, match="protected with a password"):
        read("a.xlsx", b"\xd0\xcf\x11\xe0" + bytes(2000))
