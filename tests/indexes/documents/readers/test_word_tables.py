"""Tables of Word files: merged cells, header rows, tables in tables, controls around them."""

from __future__ import annotations

import pytest

from .conftest import ReadsAs
from .docxs import LETTERS, Parts, cell, item, paragraph, row, table

MERGED, ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
WIDE = '<w:gridSpan w:val="2"/>'

CASES: dict[str, tuple[str, Parts, str]] = {
    "merged cells": (
        table(
            row("Zone", "Day", "Fee"),
            row(cell("A", MERGED), "Weekday", "10"),
            row(cell("", ON), "Weekend", "14"),
            row("B", cell("closed", WIDE)),
        ),
        {},
        "| Zone | Day | Fee |\n| --- | --- | --- |\n| A | Weekday | 10 |\n| A | Weekend | 14 |\n"
        "| B | closed |  |",
    ),
    "header rows": (
        table(
            row(cell("Energy of all plants", '<w:gridSpan w:val="5"/>')),
            row(cell("Plant", MERGED), cell("2022", WIDE), cell("2023", WIDE)),
            row(cell("", ON), "MWh", "Cost", "MWh", "Cost"),
            row("Dune", "11", "21", "12", "22"),
        )
        + paragraph("and")
        + table(
            row(cell("Fees", WIDE), properties="<w:tblHeader/>"),
            row("Adult", "Child", properties="<w:tblHeader/>"),
            row("5", "3"),
            row("4", properties='<w:gridBefore w:val="1"/>'),
        ),
        {},
        "Energy of all plants\n\n| Plant | 2022 MWh | 2022 Cost | 2023 MWh | 2023 Cost |\n"
        "| --- | --- | --- | --- | --- |\n| Dune | 11 | 21 | 12 | 22 |\n\nand\n\n"
        "Fees\n\n| Adult | Child |\n| --- | --- |\n| 5 | 3 |\n|  | 4 |",
    ),
    "a header that only looks like one": (
        table(
            row("", cell("2022", WIDE), cell("2023", WIDE)),
            row("Plant", "MWh", "Cost", "MWh", "Cost"),
            row("Dune", "11", "21", "12", "22"),
        )
        + paragraph("and")
        + table(row("Plant", cell("2024", WIDE)), row("Dune", "11", "21")),
        {},
        "| Plant | 2022 MWh | 2022 Cost | 2023 MWh | 2023 Cost |\n"
        "| --- | --- | --- | --- | --- |\n| Dune | 11 | 21 | 12 | 22 |\n\nand\n\n"
        "| Plant | 2024 | 2024 |\n| --- | --- | --- |\n| Dune | 11 | 21 |",
    ),
    "numbers alone in a column, headings in a header": (
        table(
            row(cell(paragraph("No.", "heading1")), "Boat"),
            row(cell(item("")), "Ida"),
            row(cell(item("")), "Elsa"),
        ),
        LETTERS,
        "| No. | Boat |\n| --- | --- |\n| a) | Ida |\n| b) | Elsa |",
    ),
    "tables in tables": (
        table(
            row("Pier", "Fees"),
            row(
                "East",
                cell(
                    paragraph("From May:")
                    + table(row("Boat", "5"), row("Raft", "3"))
                    + paragraph("daily")
                ),
            ),
        )
        + table(row(cell(paragraph("Note", "heading1") + table(row("a", "b"), row("1", "2"))))),
        {},
        "| Pier | Fees |\n| --- | --- |\n| East | From May: Boat, 5; Raft, 3 daily |\n\n# Note\n\n"
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
    ),
    "content controls around anything": (  # jgm/pandoc#4415, thomas-villani/all2md#487
        "<w:sdt><w:sdtContent><w:sdt><w:sdtContent>"
        + paragraph("Author Kim")
        + "</w:sdtContent></w:sdt></w:sdtContent></w:sdt>"
        + table(
            row("a", "b"),
            "<w:sdt><w:sdtContent>" + row("c", "d") + "</w:sdtContent></w:sdt>",
            f"<w:tr>{cell('e')}<w:sdt><w:sdtContent>{cell('f')}</w:sdtContent></w:sdt></w:tr>",
        ),
        {},
        "Author Kim\n\n| a | b |\n| --- | --- |\n| c | d |\n| e | f |",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_kinds(reads_as: ReadsAs, case: tuple[str, Parts, str]) -> None:
    reads_as(*case)
