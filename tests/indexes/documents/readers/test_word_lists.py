"""Word files keep the numbers of their lists and headings.

Faults that users of other tools reported: MinerU 5357, docxtractr 33,
docling 3355.
"""

from __future__ import annotations

import pytest

from .conftest import Read, ReadsAs
from .docxs import (
    LETTERS,
    OUTLINE,
    Parts,
    cell,
    docx,
    item,
    level,
    numbering,
    paragraph,
    row,
    run,
    style,
)

CASES: dict[str, tuple[str, Parts, str]] = {
    "numbers of headings by their styles": (
        paragraph("Scope", "heading1")
        + paragraph("Terms", "heading1")
        + paragraph("Price", "heading2")
        + paragraph("Payment", "ClauseTitle")
        + paragraph("End", "heading1")
        + paragraph("Notice", "heading2"),
        OUTLINE,
        "# 1. Scope\n\n# 2. Terms\n\n## 2.1 Price\n\n## 2.2 Payment\n\n# 3. End\n\n## 3.1 Notice",
    ),
    "lists count on after other text, and begin again where they say so": (
        item("repair")
        + item("a new pump")
        + paragraph("Or:")
        + item("money", list_id=2)
        + item("first", list_id=3),
        LETTERS,
        "a) repair\nb) a new pump\n\nOr:\n\nc) money\na) first",
    ),
    "number formats": (
        "".join(item("x", number) for number in range(9)),
        numbering(
            level(0, "upperRoman", "Part %1", start=4),
            level(1, "decimalZero", "%2"),
            level(2, "upperLetter", "%3", start=28),
            level(3, "ordinal", "%4", start=22),
            level(4, "bullet", "§"),
            level(5, "decimalEnclosedCircle", "%6", start=3),
            level(6, "chineseCounting", "第%7条", start=21),
            level(7, "decimal", "%1.%8", "<w:isLgl/>"),
            level(8, "none", ""),
        ),
        "Part IV x\n  01 x\n    BB x\n      22nd x\n        - x\n          ③ x\n"
        "            第二十一条 x\n"
        "              4.1 x\n\nx",
    ),
    "levels that begin again only after some": (
        item("a")
        + item("b", 1)
        + item("c", 2)
        + item("d", 1)
        + item("e", 2)
        + item("f")
        + item("g", 2),
        numbering(
            level(0, "decimal", "%1"),
            level(1, "decimal", "%1.%2"),
            level(2, "decimal", "(%3)", '<w:lvlRestart w:val="1"/>'),
        ),
        "1 a\n  1.1 b\n    (1) c\n  1.2 d\n    (2) e\n2 f\n    (1) g",
    ),
    "headings whose number is not shown": (  # docling-project/docling#3759
        paragraph("References", "heading1"),
        {
            **numbering(level(0, "none", "")),
            "styles.xml": style("heading 1", '<w:numPr><w:numId w:val="1"/></w:numPr>'),
        },
        "# References",
    ),
    "boxes to tick as bullets, and struck text": (
        item("Ropes")
        + item("Sails", 1)
        + paragraph(
            run("Fee: ")
            + run("40 ", "<w:strike/>")
            + run("euros", "<w:dstrike/>")
            + run(" 50 euros")
        ),
        numbering(
            level(0, "bullet", "&#xF0A8;", '<w:rPr><w:rFonts w:ascii="Wingdings"/></w:rPr>'),
            level(1, "bullet", "☒"),
        ),
        "- ◻ Ropes\n  - ☒ Sails\n\nFee: ~~40 euros~~ 50 euros",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_kinds(reads_as: ReadsAs, case: tuple[str, Parts, str]) -> None:
    reads_as(*case)


def test_a_title_has_no_number(read: Read) -> None:
    content, _, _ = read("a.docx", docx(paragraph("Scope", "heading1"), OUTLINE))
    assert content.title == "Scope"
    body = paragraph("Scope", "heading1") + paragraph("Lease", "Title")
    assert read("a.docx", docx(body, {"styles.xml": style("Title")}))[0].title == "Lease"


def test_lists_and_hyphens_in_cells_and_a_dropped_capital(read: Read) -> None:
    numbering = (
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>'
        '<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    )
    hyphen = "<w:r><w:t>NCI</w:t><w:noBreakHyphen/><w:t>CTCAE</w:t></w:r>"
    body = paragraph("T", properties='<w:framePr w:dropCap="drop"/>') + paragraph("he quay opens.")
    body += "<w:tbl>" + row("Term", "Rules")
    body += row(cell(paragraph(hyphen)), cell(item("deliver") + item("invoice"))) + "</w:tbl>"
    _, text, _ = read("a.docx", docx(body, {"numbering.xml": numbering}))
    assert text.startswith("The quay opens.\n\n")
    assert text.splitlines()[-1] == "| NCI-CTCAE | 1. deliver 2. invoice |"
