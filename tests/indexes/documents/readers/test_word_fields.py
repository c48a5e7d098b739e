# ruff: noqa: E501 - markup in long lines
"""Fields of Word files: boxes to tick, chosen entries, fields without an end.

Faults that users of other tools reported: docling 3923, mammoth.js 161 and
332, python-mammoth 161.
"""

from __future__ import annotations

import pytest

from .conftest import Read, ReadsAs
from .docxs import Parts, cell, control, docx, field, item, paragraph, row, run


def tick_box(ticked: int, sign: str) -> str:
    state = f'<w14:checkbox><w14:checked w14:val="{ticked}"/></w14:checkbox>'
    return control(state, run(sign))


def old_box(content: str) -> str:
    checks = f"<w:ffData><w:checkBox>{content}</w:checkBox></w:ffData>"
    return field("FORMCHECKBOX", "", checks)


CASES: dict[str, tuple[str, Parts, str]] = {
    "tick boxes": (
        paragraph(tick_box(1, "☒") + run(" Lactose"))
        + paragraph(tick_box(0, "x") + run(" Nuts"))
        + paragraph(old_box('<w:default w:val="0"/><w:checked/>') + run(" Diver"))
        + paragraph(old_box('<w:default w:val="1"/>') + run(" Sailor"))
        + paragraph('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' + run(" Paid"))
        + paragraph(run("o", '<w:rFonts w:ascii="Wingdings"/>') + run(" Unpaid")),
        {},
        "☒ Lactose\n\n☐ Nuts\n\n☒ Diver\n\n☒ Sailor\n\n🗹 Paid\n\n□ Unpaid",
    ),
    "chosen entries": (
        paragraph(
            run("Berth: ")
            + field(
                "FORMDROPDOWN",
                "",
                '<w:ffData><w:ddList><w:result w:val="1"/><w:listEntry w:val="North"/>'
                '<w:listEntry w:val="South"/></w:ddList></w:ffData>',
            )
        )
        + paragraph(
            run("Tide: ")
            + control(
                '<w:dropDownList w:lastValue="2"><w:listItem w:displayText="low" w:value="1"/>'
                '<w:listItem w:displayText="high" w:value="2"/></w:dropDownList>',
                "",
            )
        )
        + paragraph(
            run("Day: ") + control('<w:date w:fullDate="2026-03-09T00:00:00Z"/>', run("9 March"))
        )
        + paragraph(run("Until: ") + control('<w:date w:fullDate="2026-03-10T00:00:00Z"/>', ""))
        + paragraph(run("Name: ") + field("FORMTEXT", "Kim", "<w:ffData/>")),
        {},
        "Berth: South\n\nTide: high\n\nDay: 9 March\n\nUntil: 2026-03-10\n\nName: Kim",
    ),
    "fields": (
        paragraph(field('IF "x" = "x" "yes" "no"', field("MERGEFIELD name", "Kim")))
        + paragraph(
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>TOC</w:instrText></w:r>'
            '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + run("Scope 3")
        )
        + paragraph(run("Terms 4") + '<w:r><w:fldChar w:fldCharType="end"/></w:r>')
        + paragraph(f'<w:fldSimple w:instr="SEQ Table">{run("7")}</w:fldSimple>' + run(" boats")),
        {},
        "Kim\n\nScope 3\n\nTerms 4\n\n7 boats",
    ),
    "fields that never begin or end": (  # mwilliamson/python-mammoth#168
        paragraph(run("One") + '<w:r><w:fldChar w:fldCharType="separate"/></w:r>' + run(" two"))
        + paragraph('<w:r><w:fldChar w:fldCharType="end"/></w:r>' + run("three"))
        + paragraph('<w:r><w:fldChar w:fldCharType="begin"/></w:r>' + run("four")),
        {},
        "One two\n\nthree\n\nfour",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_kinds(reads_as: ReadsAs, case: tuple[str, Parts, str]) -> None:
    reads_as(*case)


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (run("Fee: ") + f"<w:sdt><w:sdtPr/><w:sdtContent>{run('40 euros')}</w:sdtContent></w:sdt>"
         + run("."), "Fee: 40 euros."),
        (f"{run('Dampf')}<w:r><w:softHyphen/></w:r>{run('schiff')}", "Dampfschiff"),
        ('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK http://x.example '
         'normal</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>'
         + run("tide table") + '<w:r><w:fldChar w:fldCharType="end"/></w:r>' + run(" for May"),
         "tide table for May"),
        ('<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>HYPERLINK "http://x.example"'
         '</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>' + run("tides")
         + '<w:del w:id="0"><w:r><w:fldChar w:fldCharType="end"/></w:r></w:del>' + run(" of May"),
         "tides of May"),
    ],
)  # fmt: skip
def test_controls_hyphens_and_fields_within_a_line(read: Read, runs: str, text: str) -> None:
    _, found, _ = read("a.docx", docx(paragraph(runs) + paragraph(run("After it."))))
    assert found.replace("\xad", "") == f"{text}\n\nAfter it."


LEVELS = "".join(
    f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
    f'<w:lvlText w:val="{text}"/></w:lvl>'
    for level, form, text in ((0, "decimal", "%1."), (1, "lowerLetter", "%2)"), (2, "bullet", "•"))
)
LISTS = {
    "numbering.xml": f'<w:abstractNum w:abstractNumId="0">{LEVELS}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
}
PICTURE = (
    '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/'
    'wordprocessingDrawing"><wp:docPr id="1" name="Picture 1" descr="{}"/></wp:inline>'
    "</w:drawing></w:r>"
)
BOX = (
    "<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>{0}"
    "</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>"
    "<w:txbxContent>{0}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent>"
    "</w:r>"
)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        pytest.param(  # docling-project/docling#3950: a cover page is a control with a picture
            f"<w:sdt><w:sdtContent>{paragraph(PICTURE.format('A crane'))}{paragraph('Cover')}"
            "</w:sdtContent></w:sdt>" + paragraph("Text"),
            "[A crane]\n\nCover\n\nText", id="a control with a picture"),
        pytest.param(
            paragraph(PICTURE.format("A pier&#10;&#10;Description automatically generated"))
            + paragraph(PICTURE.format("scan 1.png") + run("Text")),
            "[A pier]\n\n[scan] Text", id="descriptions by programs"),
        pytest.param(  # docling-project/docling#4185
            item("A", 1) + item("B", 2) + item("C", 1) + item("D"),
            "  a) A\n    - B\n  b) C\n1. D", id="a list that begins inside"),
        pytest.param(  # a box in a cell is beside the heads of its row and column
            f"<w:tbl>{row('Item', 'Fee')}"
            f"{row(cell(paragraph(BOX.format(paragraph('Crane 7')))), '40')}</w:tbl>",
            "| Item | Fee |\n| --- | --- |\n| Crane 7 | 40 |", id="a box in a cell"),
        pytest.param(  # docling-project/docling#528: rows and cells within controls
            f"<w:tbl>{row('Item', 'Fee')}<w:sdt><w:sdtContent>{row('Rope', '5')}</w:sdtContent>"
            f"</w:sdt><w:tr><w:sdt><w:sdtContent>{cell('Bolt')}</w:sdtContent></w:sdt>{cell('6')}"
            "</w:tr></w:tbl>",
            "| Item | Fee |\n| --- | --- |\n| Rope | 5 |\n| Bolt | 6 |", id="a row in a control"),
    ],
)  # fmt: skip
def test_word(read: Read, body: str, text: str) -> None:
    assert read("a.docx", docx(body, LISTS))[1] == text
