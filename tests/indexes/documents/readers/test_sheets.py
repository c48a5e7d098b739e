"""Headers of several rows, and tables side by side, as people make them."""

from __future__ import annotations

import pytest

from hopyard.indexes.documents.readers.sheets import sheet_text

from .conftest import Read

SALES = [
    ["Region", "Site", "2024", "", "2025"],
    ["Region", "Site", "H1", "H2", "H1", "H2"],
    ["North", "Kiel", "1", "2", "3", "4"],
    ["Subtotal North", "", "1", "2", "3", "4"],
]
MANAGERS = [["Site", "Manager"], ["Kiel", "Jana Ott"]]


def lines(rows: list[list[str]]) -> list[str]:
    return [line for line in "".join(sheet_text("", rows)).split("\n") if line]


@pytest.mark.parametrize(
    ("rows", "head"),
    [
        (
            [
                ["Site", "2024", "", "", ""],
                ["Site", "H1", "", "H2", ""],
                ["Site", "plan", "actual", "plan", "actual"],
            ],
            ["Site", "2024 H1 plan", "2024 H1 actual", "2024 H2 plan", "2024 H2 actual"],
        ),
        (  # the wide name is in each of its columns
            [["Site", "Amount", "Amount"], ["", "EUR", "USD"]],
            ["Site", "Amount EUR", "Amount USD"],
        ),
        (  # names without a repetition, under a header with a gap
            [["", "People", "", "Area"], ["", "thousand", "share %", "km²"]],
            ["", "People thousand", "People share %", "Area km²"],
        ),
    ],
)
def test_the_rows_of_a_header_become_one(rows: list[list[str]], head: list[str]) -> None:
    first, _, row = lines([*rows, ["Kiel", "1", "2", "3", "4"][: len(head)]])
    assert first == f"| {' | '.join(head)} |"
    assert row.startswith("| Kiel | 1 | 2 |")


def test_rows_of_texts_are_no_header() -> None:
    rows = [["Name", "Phone", "Note"], ["Ann", "none", "new"], ["Bob", "12", "old"]]
    assert lines(rows)[2:] == ["| Ann | none | new |", "| Bob | 12 | old |"]


@pytest.mark.parametrize("margin", [0, 1])
def test_tables_side_by_side_follow_each_other(margin: int) -> None:
    beside = [*MANAGERS, [], []]
    rows = [
        [*[""] * margin, *left, *[""] * (7 - len(left)), *right]
        for left, right in zip(SALES, beside, strict=True)
    ]
    blank = "|  " * margin
    assert lines(rows) == [
        f"{blank}| Region | Site | 2024 H1 | 2024 H2 | 2025 H1 | 2025 H2 |",
        f"{'|---' * margin}|---|---|---|---|---|---|",
        f"{blank}| North | Kiel | 1 | 2 | 3 | 4 |",
        f"{blank}| Subtotal North |  | 1 | 2 | 3 | 4 |",
        "| Site | Manager |",
        "|---|---|",
        "| Kiel | Jana Ott |",
    ]


@pytest.mark.parametrize("width", [2, 3])
def test_each_of_two_tables_side_by_side_has_its_title(width: int) -> None:
    rows = [["Sites", "", "", "Tools"], ["Site", "Town", "", "Item", "Count", "Site"][: 3 + width]]
    rows += [["A", "Kiel", "", "Pump", "3", "B"][: 3 + width]] * 2
    found = lines(rows)
    assert (found[0], found[1], found[5]) == ("Sites", "| Site | Town |", "Tools")


def test_headers_in_different_rows_are_of_two_tables() -> None:
    rows = [["Site", "Town", "Head"], ["A", "Kiel", "Jana"], ["B", "Ulm", "Ida"]]
    rows = [rows[0], [*rows[1], "", "Item", "Count"], [*rows[2], "", "Pump", "3"]]
    assert "| Item | Count |" in lines(rows)


@pytest.mark.parametrize(
    "rows",
    [
        [["Item", "2023", "2024", "", "2023", "2024"], ["Rent", "1", "2", "", "3", "4"]],
        [["Name", "Town", "", "Kind", "Count"], ["Ann", "Ulm", "", "x", "2"], ["Bob", "Kiel"]],
    ],
)
def test_a_blank_column_divides_no_table(rows: list[list[str]]) -> None:
    assert lines(rows)[0].count("|") == len(rows[0]) + 1


def test_a_note_between_tables_side_by_side_is_kept_far_below_too() -> None:
    rows = [["Region", "Sales", "", "Region", "Sales"]]
    rows += [[f"n{number}", str(number), "", f"s{number}", "2"] for number in range(150)]
    rows[140][2] = "estimated"
    assert "|  | Region | Sales |" in lines(rows)
    assert "| estimated | s139 | 2 |" in lines(rows)


def test_very_many_tables_side_by_side_are_read_in_time() -> None:
    rows = [["Site", "Head", ""] * 2000, *[["A", "b", ""] * 2000] * 100]
    assert len(lines(rows)) == 102


def test_merged_cells_of_a_workbook_in_xml_fill_a_bounded_number_of_cells(read: Read) -> None:
    kind = "urn:schemas-microsoft-com:office:spreadsheet"
    cell = '<Cell ss:Index="{}" ss:MergeDown="9999"><Data ss:Type="String">{}</Data></Cell>'
    rows = "".join(f"<Row>{cell.format(number, 'a' * 99)}</Row>" for number in range(1, 1001))
    book = f'<Workbook xmlns="{kind}" xmlns:ss="{kind}"><Worksheet><Table>{rows}</Table>'
    book += "</Worksheet></Workbook>"
    text = read("a.xml", book.encode(), whole=False)[1]
    assert 2_000_000 <= text.count("a") < 2_300_000
