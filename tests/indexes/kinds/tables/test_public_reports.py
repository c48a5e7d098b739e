"""Spreadsheets and values that other tools read wrongly, by their public reports, made small."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from hopyard.indexes.documents.loaders import load
from hopyard.indexes.kinds.tables.columns import Typed, typed_columns
from hopyard.indexes.kinds.tables.find import tables_in


def columns_of(path: Path) -> list[list[Typed]]:
    """The columns of each table of a file."""
    text = str(load([str(path)]).documents[0].text)
    return [
        typed_columns(found.labels, [row.cells for row in found.rows]) for found in tables_in(text)
    ]


def workbook(folder: Path, rows: Sequence[Sequence[Any]], first: int = 1) -> Path:
    book = Workbook()
    sheet: Any = book.active
    for number, row in enumerate(rows, first):
        for place, value in enumerate(row, 1):
            sheet.cell(number, place, value)
    book.save(folder / "book.xlsx")
    return folder / "book.xlsx"


def csv(folder: Path, text: str) -> Path:
    (folder / "values.csv").write_text(text, encoding="utf-8")
    return folder / "values.csv"


def total(column: Typed) -> Decimal:
    return sum((Decimal(cell) for cell in column[1] if cell is not None), Decimal(0))


def test_rows_below_many_blank_ones(tmp_path: Path) -> None:  # ragflow 19236
    path = workbook(tmp_path, [["Site", "Count"], ["Kiel", 3], ["Ulm", 4]], first=150)
    [[_, count]] = columns_of(path)
    assert total(count) == 7


def test_rows_on_both_sides_of_many_blank_ones(tmp_path: Path) -> None:  # ragflow 19185
    rows = [[f"Site {number}", number] for number in range(1, 41)]
    path = workbook(tmp_path, [["Site", "Count"], *rows[:20], *[[]] * 600, *rows[20:]])
    [[_, count]] = columns_of(path)
    assert total(count) == sum(range(1, 41))


def test_line_breaks_and_repeated_names_in_a_header(tmp_path: Path) -> None:  # duckdb-excel 59
    rows = [
        ["Valid\nfrom", "Place", "Place"],
        [date(2025, 7, 4), "Hall A", "Shelf 3"],
    ]  # xlDuckDb 28
    [columns] = columns_of(workbook(tmp_path, rows))
    assert [column.name for column, _ in columns] == ["valid_from", "place", "place_2"]
    assert columns[0][1] == ["2025-07-04"]


def test_an_empty_cell_has_no_value_of_another(tmp_path: Path) -> None:  # duckdb-excel 49
    rows = [["No", "Order", "Refund"], [1, "yyy", None], [2, "zzz", "R7"]]
    path = workbook(tmp_path, [["Seller", "Payment", "Way"], ["S1", "P1", "W1"], [], *rows])
    assert columns_of(path)[-1][2][1] == [None, "R7"]


def test_a_sheet_with_a_header_alone(tmp_path: Path) -> None:  # duckdb 10653
    assert columns_of(workbook(tmp_path, [["Name", "Amount"]])) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Year,Value\n2024,"1,000,000"\n2023,"4,000,000"\n', 5_000_000),  # dbeaver 34986
        ('State,Area\nUtah,"84,899"\nOhio,"44,826"\n', 129_725),  # qsv 2553
        ('City;Sum\nRio;"1.240.294,00"\nBari;0,50\n', Decimal("1240294.50")),  # sqlitebrowser 1986
        ("Day,Paid\nMon,$320.15\nTue,$227.21\n", Decimal("547.36")),  # miller 76
        ("Item,Result\nA,$(19)\nB,(0.5)\nC,$—\n", Decimal("-19.5")),
    ],
)  # fmt: skip
def test_sums_of_written_numbers(tmp_path: Path, text: str, expected: Decimal) -> None:
    [[_, values, *_]] = columns_of(csv(tmp_path, text))
    assert values[0].type.startswith(("BIGINT", "DECIMAL"))
    assert total(values) == expected


def test_days_are_no_numbers_of_days(tmp_path: Path) -> None:  # TablePress 81
    rows = [["Date", "Orders"], [date(2018, 1, 2), 5], [date(2018, 1, 14), 6]]
    [[day, _]] = columns_of(workbook(tmp_path, rows))
    assert (day[0].type, day[1]) == ("DATE", ["2018-01-02", "2018-01-14"])


def test_totals_of_plants_are_marked(tmp_path: Path) -> None:  # pudl 972
    rows = [["Plant", "MWh"], ["A 1", 5], ["A 2", 6], ["A Total", 11], ["Subtotal B", 7]]
    [columns] = columns_of(workbook(tmp_path, rows))
    assert columns[-1][0].name == "is_total"
    assert json.dumps(columns[-1][1]) == '["false", "false", "true", "true"]'
