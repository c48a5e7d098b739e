"""Headers of several rows, and tables side by side, as people make them.

Faults that users of other tools reported: DeploymentFramework 210, roo-xls 42
and DocumentServer 1373 (workbooks in one XML file).
"""

from __future__ import annotations

import pytest

from hopyard.indexes.documents.readers.number_format import shown
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


@pytest.mark.parametrize(
    ("value", "code", "text"),
    [
        (123456789.12, "General", "123456789.12"),
        (987654321.98, "#,##0.00", "987,654,321.98"),
        (987654321.98, "#,##0", "987,654,322 (987654321.98)"),
        (0.075, "0.00%", "7.50%"),
        (1234, "00000", "01234"),
        (42, '"AX-"0000', "AX-0042"),
        (1234.5, "[$$-409]#,##0.00", "$1,234.50"),
        (1234.5, '#,##0.00\\ "€"', "1,234.50 €"),
        (-12.5, "#,##0.00_);(#,##0.00)", "(12.50)"),
        (-12.5, "0.0", "-12.5"),
        (0, '0;-0;"none"', "none (0)"),
        (1, '"Yes";"No";"No"', "Yes (1)"),
        (5551234, "000-0000", "555-1234"),
        (12345678, "000-00-0000", "012-34-5678"),
        (2125551234, "[<=9999999]###-####;(###) ###-####", "(212) 555-1234"),
        (5551234, "[<=9999999]###-####;(###) ###-####", "555-1234"),
        (-5000, '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "-5000"),
        (-5, "[>=100]0.0;0", "-5"),
        (-5, "[>0]0;(0)", "(5)"),
        (-5, "[<0](0);0", "(5)"),
        (1200, "# ##0", "1 200"),
        (0, '_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', "0"),
        (2500000, '0.0,,"M"', "2.5M"),
        (1 / 3, "0.0", "0.3"),
        (0.1 + 0.2, "General", "0.3"),
        (1e-7, "0.00E+00", "0.0000001"),
        (0.5, "# ?/?", "0.5"),
        (3.10, "0.##", "3.1"),
    ],
)
def test_numbers_are_as_the_spreadsheet_shows_them(value: float, code: str, text: str) -> None:
    assert shown(value, code) == text


BOOK = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"
 xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet" xmlns:h="http://www.w3.org/TR/REC-html40">
<Styles><Style ss:ID="p"><NumberFormat ss:Format="Percent"/></Style></Styles>
<Worksheet ss:Name="Fees"><Table>
<Row><Cell><Data ss:Type="String">Zone</Data></Cell><Cell><Data ss:Type="String">Day</Data></Cell>
<Cell><Data ss:Type="String">Fee</Data></Cell><Cell><Data ss:Type="String">Share</Data></Cell></Row>
<Row><Cell ss:MergeDown="1"><Data ss:Type="String">A</Data></Cell>
<Cell><Data ss:Type="DateTime">2024-03-05T00:00:00.000</Data></Cell>
<Cell ss:Index="4" ss:StyleID="p"><Data ss:Type="Number">0.075</Data></Cell></Row>
<Row><Cell ss:Index="2"><Data ss:Type="String"><h:B>Sun</h:B>day</Data></Cell>
<Cell ss:MergeAcross="1"><Data ss:Type="Number">14</Data></Cell></Row>
</Table></Worksheet></Workbook>"""


@pytest.mark.parametrize("name", ["a.xls", "a.xml"])
def test_a_workbook_in_one_xml_file_is_a_table(read: Read, name: str) -> None:
    assert [row for row in read(name, BOOK.encode())[1].splitlines() if row] == [
        "# Fees",
        "| Zone | Day | Fee | Share |",
        "|---|---|---|---|",
        "| A | 2024-03-05 |  | 7.50% |",
        "| A | Sunday | 14 |  |",
    ]
