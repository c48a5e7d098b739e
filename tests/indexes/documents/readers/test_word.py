"""Word files keep their text: numbers, boxes, notes, tables, fields, tracked changes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from typing import Any

import pytest

from hopyard.state.errors import CorpusError

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


def control(properties: str, content: str) -> str:
    return f"<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def tick_box(ticked: int, sign: str) -> str:
    state = f'<w14:checkbox><w14:checked w14:val="{ticked}"/></w14:checkbox>'
    return control(state, run(sign))


def old_box(content: str) -> str:
    checks = f"<w:ffData><w:checkBox>{content}</w:checkBox></w:ffData>"
    return field("FORMCHECKBOX", "", checks)


def box(content: str) -> str:
    return (
        "<w:drawing><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>"
        f"{content}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></w:drawing>"
    )


def math(*content: str) -> str:
    return m("oMath", *content)


def m(tag: str, *content: str) -> str:
    """An element of an equation; content without a tag is signs."""
    if tag != "t":
        content = tuple(each if each[:1] in ("<", "") else m("r", m("t", each)) for each in content)
    return f"<m:{tag}>{''.join(content)}</m:{tag}>"


def m_property(name: str, given: str) -> str:
    return f'<m:{name} m:val="{given}"/>'


def part(tag: str, content: str) -> bytes:
    """A part of a chart or a diagram."""
    office = "http://schemas.openxmlformats.org/drawingml/2006"
    names = f'xmlns:c="{office}/chart" xmlns:d="{office}/diagram" xmlns:a="{office}/main"'
    return f"<{tag} {names}>{content}</{tag}>".encode()


def drawn(text: str) -> str:
    return f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>"


def points(*values: str) -> str:
    return "".join(
        f'<c:pt idx="{place}"><c:v>{text}</c:v></c:pt>' for place, text in enumerate(values) if text
    )


def note(kind: str, key: int, *texts: str, author: str = "") -> str:
    named = f' w:author="{author}"' if author else ""
    return f'<w:{kind} w:id="{key}"{named}>{"".join(map(paragraph, texts))}</w:{kind}>'


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
    "boxes once": (
        paragraph(
            '<w:r><mc:AlternateContent><mc:Choice Requires="wps">'
            + box(paragraph("Gate 4 is shut."))
            + "</mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>"
            + paragraph("Gate 4 is shut.")
            + "</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback>"
            + "</mc:AlternateContent></w:r>"
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
                "x=",
                m(
                    "f",
                    m(
                        "num",
                        "-b±",
                        m(
                            "rad",
                            m("radPr", m_property("degHide", "1")),
                            m("deg", ""),
                            m("e", m("sSup", m("e", "b"), m("sup", "2")), "-4ac"),
                        ),
                    ),
                    m("den", "2a"),
                ),
            )
            + run(" holds.")
        )
        + paragraph(
            m(
                "oMathPara",
                math(
                    m(
                        "nary",
                        m("naryPr", m_property("chr", "∑")),
                        m("sub", "i=1"),
                        m("sup", "n"),
                        m("e", m("sSub", m("e", "k"), m("sub", "i"))),
                    ),
                    "=",
                    m(
                        "d",
                        m("dPr", m_property("begChr", "["), m_property("endChr", "]")),
                        m(
                            "e",
                            m(
                                "m",
                                m("mr", m("e", "1"), m("e", "0")),
                                m("mr", m("e", "0"), m("e", "1")),
                            ),
                        ),
                    ),
                ),
            )
        ),
        {},
        "So x=(-b±√(b^2-4ac))/(2a) holds.\n\n∑_(i=1)^n k_i=[1, 0; 0, 1]",
    ),
    "headers and footers once": (  # Unstructured-IO/unstructured#2126
        paragraph("One")
        + '<w:p><w:pPr><w:sectPr><w:headerReference w:type="default" r:id="header1"/>'
        + "</w:sectPr></w:pPr></w:p>"
        + paragraph("Two")
        + '<w:sectPr><w:headerReference w:type="default" r:id="header2"/>'
        '<w:footerReference w:type="default" r:id="footer1"/></w:sectPr>',
        {
            "header1.xml": table(row("File", "K-4471")) + paragraph("Harbour office"),
            "header2.xml": table(row("File", "K-4471")) + paragraph("Harbour office"),
            "footer1.xml": paragraph(run("Page ") + field("PAGE", "1")),
        },
        "| File | K-4471 |\n| --- | --- |\n\nHarbour office\n\nPage 1\n\nOne\n\nTwo",
    ),
    "imported parts": (
        paragraph("Before")
        + "".join(f'<w:altChunk r:id="aFChunk{place}"/>' for place in (1, 2, 3, 4))
        + paragraph("After"),
        {
            "aFChunk1.html": b"<html><body><p>Clause <b>88</b></p></body></html>",
            "aFChunk2.docx": docx(paragraph("Clause 89")),
            "aFChunk3.mht": b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=B\n\n"
            b"--B\nContent-Type: text/html; charset=utf-8\n"
            b"Content-Transfer-Encoding: quoted-printable\n\n"
            b"<p>Clause=20=E2=82=AC90</p>\n--B--\n",
            "aFChunk4.rtf": b"{\\rtf1 Clause 91\\par}",
        },
        "Before\n\nClause **88**\n\nClause 89\n\nClause €90\n\nClause 91\n\nAfter",
    ),
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
    "numbers alone in a column, headings in a header": (
        table(
            row(cell(paragraph("No.", "heading1")), "Boat"),
            row(cell(item("")), "Ida"),
            row(cell(item("")), "Elsa"),
        ),
        LETTERS,
        "| No. | Boat |\n| --- | --- |\n| a) | Ida |\n| b) | Elsa |",
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
            + run(" s")
            + run("3", '<w:position w:val="6"/>')
            + run(" H")
            + run("2", '<w:vertAlign w:val="subscript"/>')
            + run("O")
        ),
        {"styles.xml": style("Raised", run_properties='<w:vertAlign w:val="superscript"/>')},
        "5 × 10^6 and 10^-3 Pa\n\nm^2 s^3 H2O",
    ),
    "notes and comments": (  # microsoft/markitdown#31
        paragraph(
            run("The fee is 50")
            + '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr>'
            + '<w:footnoteReference w:id="2"/></w:r>'
            + run(" euros")
            + '<w:r><w:endnoteReference w:id="5"/></w:r><w:r><w:commentReference w:id="0"/></w:r>'
        )
        + paragraph(
            run("Free*") + '<w:r><w:footnoteReference w:customMarkFollows="1" w:id="3"/></w:r>'
        ),
        {
            "footnotes.xml": '<w:footnote w:type="separator" w:id="0"/>'
            + note("footnote", 2, "<w:r><w:footnoteRef/></w:r>" + run(" Since May."), "No tax.")
            + note("footnote", 3, "* On Sundays."),
            "endnotes.xml": note("endnote", 5, "Council, 2026."),
            "comments.xml": note("comment", 0, "Check this.", author="Ann Ash")
            + note("comment", 1, "Done.", author="Bo"),
        },
        "The fee is 50[1] euros[i]\n\n[1] Since May.\n\nNo tax.\n\n[i] Council, 2026.\n\n"
        "Comment by Ann Ash: Check this.\n\nFree*\n\n* On Sundays.\n\nComment by Bo: Done.",
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
        "Pay at once\n\nOne paragraph.\n\nMoved.\n\n| a | b |\n| --- | --- |\n| e | f |",
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
        "Author Kim\n\n| a | b |\n| --- | --- |\n| c | d |\n| e | f |",
    ),
    "wrapped runs": (  # python-openxml/python-docx#328
        paragraph(
            run("Meet in ")
            + f"<w:smartTag><w:smartTag>{run('Oslo')}</w:smartTag></w:smartTag>"
            + f'<w:customXml w:element="x">{run(" on")}</w:customXml>'
            + f'<w:hyperlink w:anchor="x">{run(" Monday")}</w:hyperlink>'
        ),
        {},
        "Meet in Oslo on Monday",
    ),
    "signs between letters": (  # yfedoseev/office_oxide#152, docling-project/docling.rs#400
        paragraph(
            "<w:r><w:t>e</w:t><w:noBreakHyphen/><w:t>mail</w:t><w:tab/><w:t>har</w:t>"
            "<w:softHyphen/><w:t>bour</w:t>"
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
            "diagramData1.xml": part(
                "d:dataModel", f"<d:pt>{drawn('Plan')}</d:pt><d:pt>{drawn('Build')}</d:pt>"
            ),
            "chart1.xml": part(
                "c:chart",
                f"<c:title>{drawn('Catch')}</c:title><c:ser><c:tx>{points('Cod')}</c:tx>"
                f"<c:cat>{points('May', 'June')}</c:cat><c:val>{points('', '4.5')}</c:val></c:ser>",
            ),
        },
        "- Plan\n- Build\n\nCatch\n\n|  | May | June |\n| --- | --- | --- |\n| Cod |  | 4.5 |",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_kinds(read: Read, name: str) -> None:
    body, parts, markdown = CASES[name]
    _, text, unread = read("a.docx", docx(body, parts))
    assert text == markdown
    assert not [each for each in unread if "deleted" not in each.place]


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
    assert [str(each.place) for each in unread] == [
        "1 unused header, 4 hidden words, 1 embedded object, 1 picture, 3 deleted words, "
        "1 EQ field, 1 imported part, 1 footnote without a mark"
    ]


def test_files_in_the_namespaces_of_the_standard(read: Read) -> None:
    """docling-project/docling#1692: the same elements, in other namespaces."""
    for body, parts, markdown in CASES.values():
        data = docx(body, parts, "word/document2.xml")
        strict = changed(data, TRANSITIONAL, STRICT)
        assert read("a.docx", strict)[1] == markdown


TRANSITIONAL = rb"http://schemas.openxmlformats.org/(office|word|draw)(\w+)/2006"
STRICT = rb"http://purl.oclc.org/ooxml/\1\2"


def test_names_of_parts_in_other_forms(read: Read) -> None:
    data = docx(paragraph("Text") + item("one"), LETTERS)
    odd = changed(
        data, rb'Target="word/document', rb'Target="/word/Document', name="word\\document.xml"
    )
    assert read("a.docx", odd)[1] == "Text\n\na) one"


def test_files_that_are_none(read: Read) -> None:
    with pytest.raises(CorpusError, match="protected with a password"):
        read("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1")
    with pytest.raises(CorpusError, match="has no readable part"):
        read("a.docx", changed(docx(""), rb"</w:body>", b""))


def test_a_title_has_no_number(read: Read) -> None:
    content, _, _ = read("a.docx", docx(paragraph("Scope", "heading1"), OUTLINE))
    assert content.title == "Scope"
    body = paragraph("Scope", "heading1") + paragraph("Lease", "Title")
    assert read("a.docx", docx(body, {"styles.xml": style("Title")}))[0].title == "Lease"


def changed(data: bytes, old: bytes, new: bytes, name: str = "word/document.xml") -> bytes:
    """The file with another text in its parts, and another name for one of them."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(stream, "w") as after:
        for part in before.namelist():
            content = before.read(part)
            is_xml = part.endswith((".xml", ".rels"))
            after.writestr(
                name if part == "word/document.xml" else part,
                re.sub(old, new, content) if is_xml else content,
            )
    return stream.getvalue()
