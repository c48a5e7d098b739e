"""Word files keep their text: numbers, boxes, notes, tables, fields, tracked changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from .docxs import cell, docx, field, item, paragraph, row, run

Read = Any
Parts = Mapping[str, str | bytes]


def level(number: int, form: str, text: str, more: str = "", start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def numbering(*levels: str, more: str = "", num: str = "") -> dict[str, str | bytes]:
    """Lists 1 and 2 count on from each other, list 3 begins again at 1."""
    again = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    nums = "".join(
        f'<w:num w:numId="{key}"><w:abstractNumId w:val="7"/>{again if key == 3 else ""}</w:num>'
        for key in (1, 2, 3)
    )
    form = f'<w:abstractNum w:abstractNumId="7">{"".join(levels)}</w:abstractNum>{more}'
    return {"numbering.xml": f"{form}{nums}{num}"}


def style(name: str, properties: str = "", based_on: str = "", run_properties: str = "") -> str:
    base = f'<w:basedOn w:val="{based_on}"/>' if based_on else ""
    return (
        f'<w:style w:type="paragraph" w:styleId="{name.replace(" ", "")}"><w:name w:val="{name}"/>'
        f"{base}<w:pPr>{properties}</w:pPr><w:rPr>{run_properties}</w:rPr></w:style>"
    )


def table(*rows: str) -> str:
    return f"<w:tbl><w:tblPr/><w:tblGrid/>{''.join(rows)}</w:tbl>"


def tick_box(ticked: int, sign: str) -> str:
    return (
        f'<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="{ticked}"/></w14:checkbox></w:sdtPr>'
        f"<w:sdtContent>{run(sign)}</w:sdtContent></w:sdt>"
    )


def form(content: str) -> str:
    return f"<w:ffData>{content}</w:ffData>"


def box(content: str) -> str:
    return (
        "<w:drawing><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>"
        f"{content}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></w:drawing>"
    )


def math(content: str) -> str:
    return f"<m:oMath>{content}</m:oMath>"


def sign(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def number(text: str, properties: str = "") -> str:
    return run(text, f'<w:vertAlign w:val="superscript"/>{properties}')


LETTERS = numbering(level(0, "lowerLetter", "%1)"))
OUTLINE = {
    **numbering(
        level(0, "decimal", "%1.", '<w:pStyle w:val="heading1"/>'),
        level(1, "decimal", "%1.%2", '<w:pStyle w:val="heading2"/>'),
    ),
    "styles.xml": style("heading 1", '<w:numPr><w:numId w:val="1"/></w:numPr>')
    + style("heading 2", '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>', "heading1")
    + style("Clause Title", based_on="heading2"),
}
MERGED, ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
WIDE = '<w:gridSpan w:val="2"/>'

CASES: dict[str, tuple[str, Parts, str]] = {
    "tick boxes": (
        paragraph(tick_box(1, "☒") + run(" Lactose"))
        + paragraph(tick_box(0, "x") + run(" Nuts"))
        + paragraph(
            field(
                "FORMCHECKBOX",
                "",
                form('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>'),
            )
            + run(" Diver")
        )
        + paragraph(
            field("FORMCHECKBOX", "", form('<w:checkBox><w:default w:val="1"/></w:checkBox>'))
            + run(" Sailor")
        )
        + paragraph('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>' + run(" Paid"))
        + paragraph(
            run("o", '<w:rFonts w:ascii="Wingdings" w:hAnsi="Wingdings"/>') + run(" Unpaid")
        ),
        {},
        "☒ Lactose\n\n☐ Nuts\n\n☒ Diver\n\n☒ Sailor\n\n🗹 Paid\n\n□ Unpaid",
    ),
    "chosen entries": (
        paragraph(
            run("Berth: ")
            + field(
                "FORMDROPDOWN",
                "",
                form(
                    '<w:ddList><w:result w:val="1"/><w:listEntry w:val="North"/><w:listEntry w:val="South"/></w:ddList>'
                ),
            )
        )
        + paragraph(
            run("Tide: ")
            + '<w:sdt><w:sdtPr><w:dropDownList w:lastValue="2"><w:listItem w:displayText="low" w:value="1"/>'
            '<w:listItem w:displayText="high" w:value="2"/></w:dropDownList></w:sdtPr><w:sdtContent/></w:sdt>'
        )
        + paragraph(
            run("Day: ")
            + '<w:sdt><w:sdtPr><w:date w:fullDate="2026-03-09T00:00:00Z"/></w:sdtPr><w:sdtContent>'
            f"{run('9 March')}</w:sdtContent></w:sdt>"
        )
        + paragraph(run("Name: ") + field("FORMTEXT", "Kim", form("<w:textInput/>"))),
        {},
        "Berth: South\n\nTide: high\n\nDay: 9 March\n\nName: Kim",
    ),
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
        "Part IV x\n  01 x\n    BB x\n      22nd x\n        - x\n          ③ x\n            第二十一条 x\n"
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
    "boxes once": (
        paragraph(
            '<w:r><mc:AlternateContent><mc:Choice Requires="wps">'
            + box(paragraph("Gate 4 is shut."))
            + "</mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>"
            + paragraph("Gate 4 is shut.")
            + "</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
        )
        + paragraph(run("Keys: ") + f"<w:r>{box(item('red') + item('blue'))}</w:r>" + run("two."))
        + paragraph('<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>'),
        LETTERS,
        "Gate 4 is shut.\n\nKeys: two.\n\na) red\nb) blue\n\nDRAFT",
    ),
    "equations": (  # microsoft/markitdown#289
        paragraph(
            run("So ")
            + math(
                f'{sign("x=")}<m:f><m:num>{sign("-b±")}<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/>'
                f"<m:e><m:sSup><m:e>{sign('b')}</m:e><m:sup>{sign('2')}</m:sup></m:sSup>{sign('-4ac')}</m:e></m:rad>"
                f"</m:num><m:den>{sign('2a')}</m:den></m:f>"
            )
            + run(" holds.")
        )
        + paragraph(
            "<m:oMathPara>"
            + math(
                f'<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>{sign("i=1")}</m:sub><m:sup>{sign("n")}</m:sup>'
                f"<m:e><m:sSub><m:e>{sign('k')}</m:e><m:sub>{sign('i')}</m:sub></m:sSub></m:e></m:nary>{sign('=')}"
                f'<m:d><m:dPr><m:begChr m:val="["/><m:endChr m:val="]"/></m:dPr><m:e><m:m><m:mr><m:e>{sign("1")}</m:e>'
                f"<m:e>{sign('0')}</m:e></m:mr><m:mr><m:e>{sign('0')}</m:e><m:e>{sign('1')}</m:e></m:mr></m:m></m:e></m:d>"
            )
            + "</m:oMathPara>"
        ),
        {},
        "So x=(-b±√(b^2-4ac))/(2a) holds.\n\n∑_(i=1)^n k_i=[1, 0; 0, 1]",
    ),
    "headers and footers once": (  # Unstructured-IO/unstructured#2126
        paragraph("One")
        + '<w:p><w:pPr><w:sectPr><w:headerReference w:type="default" r:id="header1"/></w:sectPr></w:pPr></w:p>'
        + paragraph("Two")
        + '<w:sectPr><w:headerReference w:type="default" r:id="header2"/>'
        '<w:footerReference w:type="default" r:id="footer1"/></w:sectPr>',
        {
            "header1.xml": table(row("File", "K-4471")) + paragraph("Harbour office"),
            "header2.xml": table(row("File", "K-4471")) + paragraph("Harbour office"),
            "footer1.xml": paragraph(run("Page ") + field("PAGE", "1")),
        },
        "| File | K-4471 |\n|---|---|\n\nHarbour office\n\nPage 1\n\nOne\n\nTwo",
    ),
    "imported parts": (
        paragraph("Before")
        + '<w:altChunk r:id="aFChunk1"/><w:altChunk r:id="aFChunk2"/><w:altChunk r:id="aFChunk3"/>'
        + paragraph("After"),
        {
            "aFChunk1.html": b"<html><body><p>Clause <b>88</b></p></body></html>",
            "aFChunk2.docx": docx(paragraph("Clause 89")),
            "aFChunk3.mht": b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=B\n\n--B\n"
            b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
            b"<p>Clause=20=E2=82=AC90</p>\n--B--\n",
        },
        "Before\n\nClause **88**\n\nClause 89\n\nClause €90\n\nAfter",
    ),
    "merged cells": (
        table(
            row("Zone", "Day", "Fee"),
            row(cell("A", MERGED), "Weekday", "10"),
            row(cell("", ON), "Weekend", "14"),
            row("B", cell("closed", WIDE)),
        ),
        {},
        "| Zone | Day | Fee |\n|---|---|---|\n| A | Weekday | 10 |\n| A | Weekend | 14 |\n| B | closed |  |",
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
        "Energy of all plants\n\n| Plant | 2022 MWh | 2022 Cost | 2023 MWh | 2023 Cost |\n|---|---|---|---|---|\n"
        "| Dune | 11 | 21 | 12 | 22 |\n\nand\n\nFees\n\n| Adult | Child |\n|---|---|\n| 5 | 3 |\n|  | 4 |",
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
        "| Pier | Fees |\n|---|---|\n| East | From May: Boat, 5; Raft, 3 daily |\n\n# Note\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |",
    ),
    "superscripts": (
        paragraph(
            run("5 × 10")
            + number("6")
            + run(" and 10")
            + number("-")
            + number("3", "<w:b/>")
            + run(" Pa")
        )
        + paragraph(
            run("m")
            + run("2", '<w:rStyle w:val="Raised"/>')
            + run(" H")
            + run("2", '<w:vertAlign w:val="subscript"/>')
            + run("O")
        ),
        {"styles.xml": style("Raised", run_properties='<w:vertAlign w:val="superscript"/>')},
        "5 × 10^6 and 10^-3 Pa\n\nm^2 H2O",
    ),
    "notes and comments": (  # microsoft/markitdown#31
        paragraph(
            run("The fee is 50")
            + '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:footnoteReference w:id="2"/></w:r>'
            + run(" euros")
            + '<w:r><w:endnoteReference w:id="5"/></w:r><w:r><w:commentReference w:id="0"/></w:r>'
        )
        + paragraph(
            run("Free*") + '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="3"/></w:r>'
        ),
        {
            "footnotes.xml": f'<w:footnote w:type="separator" w:id="0">{paragraph("-")}</w:footnote>'
            f'<w:footnote w:id="2">{paragraph("<w:r><w:footnoteRef/></w:r>" + run(" Since May."))}{paragraph("No tax.")}</w:footnote>'
            f'<w:footnote w:id="3">{paragraph("* On Sundays.")}</w:footnote>',
            "endnotes.xml": f'<w:endnote w:id="5">{paragraph("Council, 2026.")}</w:endnote>',
            "comments.xml": f'<w:comment w:id="0" w:author="Ann Ash">{paragraph("Check this.")}</w:comment>'
            f'<w:comment w:id="1" w:author="Bo">{paragraph("Done.")}</w:comment>',
        },
        "The fee is 50[1] euros[i]\n\n[1] Since May.\n\nNo tax.\n\n[i] Council, 2026.\n\nComment by Ann Ash: Check this.\n\n"
        "Free*\n\n* On Sundays.\n\nComment by Bo: Done.",
    ),
    "tracked changes": (  # developer0hye/office2pdf#1699, jgm/pandoc#3927
        paragraph(
            run("Pay ")
            + '<w:del w:id="1"><w:r><w:delText>in ten days</w:delText></w:r></w:del>'
            + f'<w:ins w:id="2">{run("at once")}</w:ins>'
        )
        + paragraph(
            f'<w:moveFrom w:id="3">{run("Moved.")}</w:moveFrom>',
            properties='<w:rPr><w:moveFrom w:id="3"/></w:rPr>',
        )
        + paragraph("One ", properties='<w:rPr><w:del w:id="4"/></w:rPr>')
        + paragraph("paragraph.")
        + paragraph(f'<w:moveTo w:id="5">{run("Moved.")}</w:moveTo>')
        + table(row("a", "b"), row("c", "d", properties='<w:del w:id="6"/>'), row("e", "f")),
        {},
        "Pay at once\n\nOne paragraph.\n\nMoved.\n\n| a | b |\n|---|---|\n| e | f |",
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
        "Author Kim\n\n| a | b |\n|---|---|\n| c | d |\n| e | f |",
    ),
    "wrapped runs": (  # python-openxml/python-docx#328
        paragraph(
            run("Meet in ")
            + f'<w:smartTag w:element="place"><w:smartTag w:element="city">{run("Oslo")}</w:smartTag></w:smartTag>'
            + f'<w:customXml w:element="x">{run(" on")}</w:customXml><w:hyperlink w:anchor="x">{run(" Monday")}</w:hyperlink>'
        ),
        {},
        "Meet in Oslo on Monday",
    ),
    "signs between letters": (  # yfedoseev/office_oxide#152, docling-project/docling.rs#400
        paragraph(
            "<w:r><w:t>e</w:t><w:noBreakHyphen/><w:t>mail</w:t><w:tab/><w:t>har</w:t><w:softHyphen/><w:t>bour</w:t>"
            '<w:cr/><w:t>two</w:t><w:br w:type="page"/><w:t>three</w:t></w:r>'
            '<w:r><w:sym w:font="Symbol" w:char="F061"/></w:r>'
        ),
        {},
        "e-mail harbour\ntwo\nthreeα",
    ),
    "readings above letters": (  # mwilliamson/python-mammoth#76
        paragraph(
            f"<w:r><w:ruby><w:rubyPr/><w:rt>{run('とうきょう')}</w:rt><w:rubyBase>{run('東京')}</w:rubyBase></w:ruby></w:r>"
        ),
        {},
        "東京(とうきょう)",
    ),
    "a diagram and a chart": (  # yfedoseev/office_oxide#271, mwilliamson/mammoth.js#147
        paragraph('<w:r><w:drawing><dgm:relIds r:dm="diagramData1"/></w:drawing></w:r>')
        + paragraph('<w:r><w:drawing><c:chart r:id="chart1"/></w:drawing></w:r>'),
        {
            "diagramData1.xml": b'<d:dataModel xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
            b'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><d:ptLst>'
            b"<d:pt><d:t><a:p><a:r><a:t>Plan</a:t></a:r></a:p></d:t></d:pt>"
            b"<d:pt><d:t><a:p><a:r><a:t>Build</a:t></a:r></a:p></d:t></d:pt></d:ptLst></d:dataModel>",
            "chart1.xml": b'<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
            b'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx><c:rich><a:p><a:r>'
            b"<a:t>Catch</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef>"
            b'<c:strCache><c:pt idx="0"><c:v>Cod</c:v></c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>'
            b'<c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt></c:strCache></c:strRef></c:cat>'
            b'<c:val><c:numRef><c:numCache><c:pt idx="1"><c:v>4.5</c:v></c:pt></c:numCache></c:numRef></c:val></c:ser>'
            b"</c:barChart></c:plotArea></c:chart></c:chartSpace>",
        },
        "- Plan\n- Build\n\nCatch\n\n|  | May | June |\n|---|---|---|\n| Cod |  | 4.5 |",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_kinds(read: Read, name: str) -> None:
    body, parts, markdown = CASES[name]
    _, text, unread = read("a.docx", docx(body, parts))
    assert text == markdown
    assert not [one for one in unread if "deleted" not in one.place]


def test_what_is_left_out_is_counted(read: Read) -> None:
    body = (
        paragraph(
            run("Seen ") + run("two words", "<w:vanish/>") + run(".", '<w:vanish w:val="0"/>')
        )
        + paragraph(
            "<w:r><w:object><o:OLEObject/></w:object><w:drawing><a:blip/></w:drawing></w:r>"
        )
        + paragraph('<w:del w:id="1"><w:r><w:delText>old text here</w:delText></w:r></w:del>')
        + paragraph(field("EQ \\f(1,2)", ""))
        + paragraph("not seen", "Secret")
        + '<w:altChunk r:id="aFChunk1"/>'
        + '<w:sectPr><w:headerReference w:type="first" r:id="header1"/></w:sectPr>'
    )
    parts = {
        "styles.xml": style("Secret", run_properties="<w:vanish/>"),
        "aFChunk1.wps": b"\x00\x01",
        "header1.xml": paragraph("Old title"),
        "footnotes.xml": f'<w:footnote w:id="2">{paragraph("Nobody refers to it.")}</w:footnote>',
    }
    _, text, unread = read("a.docx", docx(body, parts))
    assert text == "Seen ."
    assert [str(one.place) for one in unread] == [
        "1 unused header, 4 hidden words, 1 embedded object, 1 picture, 3 deleted words, 1 EQ field, "
        "1 imported part, 1 footnote without a mark"
    ]


def test_files_in_the_namespaces_of_the_standard(
    read: Read,
) -> None:  # docling-project/docling#1692
    data = docx(paragraph("Strict text") + table(row("a", "b")), LETTERS, "word/document2.xml")
    strict = _changed(
        data,
        b"http://schemas.openxmlformats.org/wordprocessingml/2006/",
        b"http://purl.oclc.org/ooxml/wordprocessingml/",
    )
    assert read("a.docx", strict)[1] == "Strict text\n\n| a | b |\n|---|---|"


def _changed(data: bytes, old: bytes, new: bytes) -> bytes:
    import io
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(stream, "w") as after:
        for name in before.namelist():
            after.writestr(name, before.read(name).replace(old, new))
    return stream.getvalue()
