"""Columns get types, and cells values with all their digits."""

from __future__ import annotations

import pytest

from hopyard.indexes.kinds.tables.columns import Column, sql_name, typed_columns

Cells = list[str | None]


def only(*cells: str, label: str = "Amount") -> tuple[Column, Cells]:
    """The only column that some cells give."""
    [typed] = typed_columns([label], [[cell] for cell in cells])
    return typed


@pytest.mark.parametrize(
    ("cells", "kind", "unit", "values"),
    [
        (["1,234", "2,345"], "BIGINT", "", ["1234", "2345"]),  # Coco 102
        (["1,5", "1,2"], "DECIMAL(38,1)", "", ["1.5", "1.2"]),  # smoothcsv3 242
        (["1.234,56 €", "12,00 €"], "DECIMAL(38,2)", "€", ["1234.56", "12.00"]),
        (["$ 1,234.50", "10", "(3)"], "DECIMAL(38,2)", "$", ["1234.50", "10", "-3"]),
        (["1'234.5", "1 234 567.5"], "DECIMAL(38,1)", "", ["1234.5", "1234567.5"]),
        (["12,34,567", "1,00,000"], "BIGINT", "", ["1234567", "100000"]),
        (["7.5 %", "12 %"], "DECIMAL(38,1)", "%", ["7.5", "12"]),
        (["7.5% (0.0754)", "5.0% (0.0496)"], "DECIMAL(38,2)", "%", ["7.54", "4.96"]),
        (["−4", "–12", "n/a", "+3"], "BIGINT", "", ["-4", "-12", None, "3"]),
        (["-" + "7" * 36, "0.5"], "DECIMAL(38,1)", "", ["-" + "7" * 36, "0.5"]),
        (["1.2E+05", "3"], "BIGINT", "", ["120000", "3"]),
        (["12345678901234567890", "1"], "DECIMAL(38,0)", "", ["12345678901234567890", "1"]),
        (["12 kg", "3 kg"], "BIGINT", "kg", ["12", "3"]),
        (["2024-03-01", "2024-03-02"], "DATE", "", ["2024-03-01", "2024-03-02"]),
        (["01.03.2024", "2.3.2024"], "DATE", "", ["2024-03-01", "2024-03-02"]),
        (["3/5/2024", "3/25/2024"], "DATE", "", ["2024-03-05", "2024-03-25"]),
        (["1 March 2024 08:30", "2 March 2024"], "TIMESTAMP", "",
         ["2024-03-01 08:30:00", "2024-03-02 00:00:00"]),
        (["8:05", "23:59:01"], "TIME", "", ["08:05:00", "23:59:01"]),
        (["25:30", "1:00"], "BIGINT", "seconds", ["91800", "3600"]),
    ],
)  # fmt: skip
def test_numbers_dates_and_times(cells: list[str], kind: str, unit: str, values: Cells) -> None:
    column, read = only(*cells)
    assert (column.type, column.unit, read) == (kind, unit, values)


@pytest.mark.parametrize(
    "cells",
    [
        ["007", "012"],  # codes
        ["12A", "12B"],
        ["1st", "2nd"],
        ["192.168.1.1", "10.0.0.1"],
        ["1.2.3", "1.2.4"],
        ["45.3 (3.2)", "12 (1)"],  # a mean and its deviation
        ["3/5/2024", "4/6/2024"],  # day or month first
        ["1.5", "2,5"],  # which is the decimal mark?
        ["+82 61 555 0142", "+49 421 555 0177"],
        ["INV-123", "INV-124"],
        ["1E999999999", "2E999999999"],
        ["1.3.2024 27:10", "2.3.2024 28:10"],
    ],
)
def test_what_is_not_certain_stays_text(cells: list[str]) -> None:
    column, read = only(*cells)
    assert (column.type, read) == ("VARCHAR", cells)


def test_a_thousand_and_a_decimal_are_told_apart_by_the_other_columns() -> None:
    rows = [["1.234", "0,5"], ["2.345", "1,25"]]
    (whole, cells), _ = typed_columns(["a", "b"], rows)
    assert (whole.type, cells) == ("BIGINT", ["1234", "2345"])
    assert only("1.234", "2.345")[1] == ["1.234", "2.345"]


def test_different_units_and_left_texts_become_columns() -> None:
    rows = [[cell] for cell in ("€ 5", "$ 6", "7", "8", "tbc")]
    columns = typed_columns(["Price"], rows)
    assert [column.name for column, _ in columns] == ["price", "price_unit", "price_text"]
    assert columns[0][1] == ["5", "6", "7", "8", None]
    assert columns[1][1] == ["€", "$", None, None, None]
    assert columns[2][1] == [None, None, None, None, "tbc"]


def test_a_percent_sign_holds_for_its_own_cells() -> None:
    columns = typed_columns(["2024"], [["12.4"], ["0.9"], ["33.0 %"]])
    assert [(column.name, column.unit) for column, _ in columns] == [
        ("_2024", ""),
        ("_2024_unit", ""),
    ]
    assert columns[1][1] == [None, None, "%"]


def test_a_unit_of_one_letter_beside_others() -> None:
    columns = typed_columns(["Weight"], [["42 kg"], ["850 g"]])
    assert [cells for _, cells in columns] == [["42", "850"], ["kg", "g"]]


@pytest.mark.parametrize(
    ("label", "is_total"),
    [
        ("Total", True),
        ("Subtotal North", True),
        ("Sous-total Nord", True),
        ("Grand total 2024 and 2025", True),
        ("Nord gesamt", True),
        ("North Total", True),  # CrestApps.Core 160
        ("Grand total", True),
        ("Zwischensumme A", True),
        ("Endsaldo", True),
        ("Closing balance 31 March", True),
        ("Saldo Italia", False),
        ("합계", True),
        ("TotalEnergies", False),
        ("Total Energies", False),
        ("Somme", False),
        ("Total (t)", True),
        ("Total equity", True),
        ("Total 2024", True),
        ("Summer", False),
        ("Gesamtschule", False),
    ],
)
def test_rows_that_repeat_others_are_marked(label: str, is_total: bool) -> None:
    columns = typed_columns(["Gate", "Trucks"], [["North", "12"], [label, "12"]])
    flags = [cells for column, cells in columns if column.name == "is_total"]
    assert flags == ([["false", "true"]] if is_total else [])


@pytest.mark.parametrize(
    ("labels", "numbers", "totals"),
    [
        # a company, in a list and at its end
        (["Shell", "Total Energies", "BP"], ["7", "9", "4"], []),
        (["Shell", "BP", "Total Energies"], ["7", "4", "9"], []),
        # 5 + 7 = 12; 20 + 3 = 23; 5 + 7 + 20 + 3 = 35
        (["Cash", "Stock", "Total Current", "Land", "Cars", "Total Fixed", "Total Assets"],
         ["5", "7", "12", "20", "3", "23", "35"], [2, 5, 6]),
        # 1.3 + 2.2 = 3.5; 0.34 + 0.34 = 0.68, all rounded
        (["A", "B", "Total North", "C", "D", "Total South"],
         ["1.3", "2.2", "3.5", "0.3", "0.3", "0.7"], [2, 5]),
        (["Nord", "Nord Ergebnis", "Süd", "Operatives Ergebnis"], ["5", "5", "6", "2"], [1]),
        (["A", "B", "Total A and B"], ["5", "–", "5"], []),
    ],
)  # fmt: skip
def test_a_total_that_may_be_a_name_is_the_sum_of_the_rows_above(
    labels: list[str], numbers: list[str], totals: list[int]
) -> None:
    columns = typed_columns(["Item", "Amount"], list(zip(labels, numbers, strict=True)))
    flags = [cells for column, cells in columns if column.name == "is_total"]
    assert [row for cells in flags for row, cell in enumerate(cells) if cell == "true"] == totals


def test_a_column_without_a_value_is_empty() -> None:
    column, cells = only("–", "n/a", "")
    assert (column.type, column.distinct, cells) == ("VARCHAR", 0, [None, None, None])


def test_names_for_sql() -> None:
    labels = ["", "Größe (m²)", "2024", "select", 'a"; DROP', "SELECT", "", "RowID"]
    columns = typed_columns(labels, [["x"] * 8])
    names = [column.name for column, _ in columns]
    assert names == [
        "column",
        "größe_m2",
        "_2024",
        "select",
        "a_drop",
        "select_2",
        "column_2",
        "rowid_2",
    ]
    assert sql_name("***", "table") == "table"
