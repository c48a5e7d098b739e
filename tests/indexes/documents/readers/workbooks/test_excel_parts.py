# ruff: noqa: E501 - markup in long lines
"""Parts of workbooks beside their cells, and cells that programs write in other ways.

Faults that users of other tools reported: xlsx-format 92, openxlsx2 1038, markitdown 2484 and 2498,
pandas 58128, ExcelDataReader 497, openpyxl 46.
"""

from __future__ import annotations

import re
from typing import Any

from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment

from ...zips import lines, rewritten
from .workbooks import book, replaced

Read = Any


def test_comments_charts_and_sheets_of_charts(read: Read) -> None:
    def add(sheet: Any) -> None:
        sheet["A2"].comment = Comment("Check this", "Ann")
        chart = BarChart()
        chart.title = "Output"
        chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
        sheet.add_chart(chart)
        other = BarChart()
        other.title = "Alone"
        sheet.parent.create_chartsheet("Chart").add_chart(other)

    _, text, _ = read("a.xlsx", book([["Plant", "MWh"], ["Dune", 11], ["Reed", 12]], add))
    assert lines(text)[:6] == [
        "# S",
        "| Plant | MWh |",
        "|---|---|",
        "| Dune | 11 |",
        "| Reed | 12 |",
        "Comment on A2: Check this",
    ]
    assert lines(text)[6:] == ["Output", "# Chart", "Alone"]


def test_text_boxes_diagrams_and_threads(read: Read) -> None:
    drawing = (
        '<xdr:wsDr xmlns:xdr="urn:x" xmlns:a="urn:a"><xdr:twoCellAnchor><xdr:sp><xdr:txBody>'
        "<a:p><a:r>"
        "<a:t>Room 12</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor></xdr:wsDr>"
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="a" Type="http://x/drawing" Target="../drawings/drawing1.xml"/>'
        '<Relationship Id="b" Type="http://x/threadedComment" Target="../threadedComments/t.xml"/>'
        '<Relationship Id="c" Type="http://x/comments" Target="../comments1.xml"/>'
        "</Relationships>"
    )
    notes = (
        '<comments xmlns="urn:c"><authors><author>tc={463E}</author><author>Ada</author></authors>'
        '<commentList><comment ref="A1" authorId="0"><text><t>[Threaded comment] Your version of '
        "Excel allows you to read this. Comment: Why?</t></text></comment>"
        '<comment ref="A2" authorId="1"><text><t>A note</t></text></comment></commentList>'
        "</comments>"
    )
    thread = (
        '<ThreadedComments xmlns="urn:t"><threadedComment ref="A1"><text>Why?</text>'
        "</threadedComment></ThreadedComments>"
    )
    data = replaced(
        book([["Item"]]),
        "xl/workbook.xml",
        "S",
        "S",
        {
            "xl/worksheets/_rels/sheet1.xml.rels": rels,
            "xl/drawings/drawing1.xml": drawing,
            "xl/threadedComments/t.xml": thread,
            "xl/comments1.xml": notes,
        },
    )
    assert lines(read("a.xlsx", data)[1]) == [
        "# S",
        "Item",
        "Comment on A1: Why?",
        "Comment on A2: A note",
        "Room 12",
    ]


def test_formulas_without_a_value_are_counted(read: Read) -> None:
    data = book([["Item", "Sum"], ["Nuts", "=1+2"], ["Bolts", "=SUM(B2)"], ["Nails", 5]])
    formula = re.compile(r"<f>1\+2</f><v ?/?>(?:</v>)?")
    data = rewritten(data, lambda _, text: formula.sub("<f>1+2</f><v>3</v>", text))
    _, text, unread = read("a.xlsx", data)
    assert lines(text)[-3:] == ["| Nuts | 3 |", "| Bolts |  |", "| Nails | 5 |"]
    assert [(each.place, each.reason.partition(":")[0]) for each in unread] == [
        ("S", "1 formula without a value")
    ]


def test_merged_cells_of_a_sheet_are_in_each_row(read: Read) -> None:
    rows = [["Pier", "Crane", "Load"], ["North", "C-1", 40], [None, "C-2", 55]]
    _, text, _ = read("a.xlsx", book(rows, lambda sheet: sheet.merge_cells("A2:A3")))
    assert "| North | C-1 | 40 |\n| North | C-2 | 55 |" in text


def test_workbooks_that_openpyxl_does_not_read(read: Read) -> None:
    rows = [["item", "code"], ["a", "0x005F_FFFF"]]
    data = book(rows, lambda sheet: sheet.parent.create_chartsheet("Empty chart"))
    _, text, unread = read("a.xlsx", data)
    assert "| a | 0x005F_FFFF |" in text
    assert [part.place for part in unread] == ["number formats"]


SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def sheet(rows: str) -> bytes:
    def change(name: str, text: str) -> str:
        if name != "xl/worksheets/sheet1.xml":
            return text
        return f'<worksheet xmlns="{SHEET}"><sheetData>{rows}</sheetData></worksheet>'

    return rewritten(book([]), change)


def test_cells_whose_text_is_in_the_sheet_itself(read: Read) -> None:
    cell = '<c r="{}" t="inlineStr">{}</c>'
    rows = "".join(
        f'<row r="{number}">{"".join(cells)}</row>'
        for number, cells in enumerate(
            (
                [cell.format("A1", "<is><t>item</t></is>"), cell.format("B1", "<is><t>note</t></is>")],
                [cell.format("A2", "<is><r><t>First </t></r><r><t>second</t></r></is>"),
                 cell.format("B2", "")],
                [cell.format("A3", "<is><t>NA</t></is>"), '<c r="B3"><v>2</v></c>'],
                [cell.format("A4", "<is><t>None</t></is>"), '<c r="B4" t="str"><v>NULL</v></c>'],
                [cell.format("A5", "<is><t>漢字</t><rPh sb='0' eb='2'><t>カンジ</t></rPh></is>"),
                 '<c r="B5"/>'],
            ),
            start=1,
        )
    )  # fmt: skip
    _, text, _ = read("a.xlsx", sheet(rows), whole=False)
    assert [line for line in text.splitlines() if line.startswith("|")] == [
        "| item | note |", "|---|---|", "| First second |  |", "| NA | 2 |", "| None | NULL |", "| 漢字 |  |",
    ]  # fmt: skip


def test_raised_letters_of_a_cell(read: Read) -> None:
    texts = (
        f"<sst xmlns='{SHEET}'><si><r><t>10</t></r><r><rPr><vertAlign val='superscript'/>"
        "</rPr><t>6</t></r><r><t xml:space='preserve'> cells</t></r></si></sst>"
    )

    def change(name: str, text: str) -> str:
        if name == "[Content_Types].xml":
            kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
            part = f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}"/>'
            return text.replace("</Types>", f"{part}</Types>")
        return re.sub(r't="inlineStr"><is><t>106 cells</t></is>', 't="s"><v>0</v>', text)

    data = rewritten(book([["count", "106 cells"]]), change, {"xl/sharedStrings.xml": texts})
    assert "| count | 10^6 cells |" in read("a.xlsx", data)[1]


def test_headers_of_sheets_are_read_once(read: Read) -> None:
    def fill(first: Any) -> None:
        for sheet in (first, first.parent.create_sheet("Two")):
            sheet.append([sheet.title])
            sheet.oddHeader.center.text = '&"Arial,Bold"Tide && ebb of 2024'
            sheet.oddFooter.right.text = "Page &P of &N"
        first.evenFooter.left.text = "Draft"

    text = read("a.xlsx", book([], fill))[1]
    words = " ".join(text.split())
    assert words == "# S S Tide & ebb of 2024 Page of Draft # Two Two"
