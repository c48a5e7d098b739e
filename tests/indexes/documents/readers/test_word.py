"""Text of Word files: boxes, notes, fields, tracked changes, parts of other kinds."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from io import BytesIO
from typing import Any

import docx as docx_library
import pptx
import pytest

from hopyard.indexes.documents.readers import parts as office
from hopyard.state.errors import CorpusError

from ..zips import rewritten
from .conftest import Read, ReadsAs
from .docxs import LETTERS, Parts, docx, field, item, note, paragraph, row, run, style, table


def box(content: str) -> str:
    return (
        "<w:drawing><a:graphic><a:graphicData><wps:wsp><wps:txbx><w:txbxContent>"
        f"{content}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></w:drawing>"
    )


def math(content: str) -> str:
    """An equation, whose elements are written without prefixes and whose signs without runs."""
    with_runs = re.sub(r"(?<=>)([^<>]+)(?=<)", r"<r><t>\1</t></r>", f"<oMath>{content}</oMath>")
    return re.sub(r"(</?| )(?=[a-zA-Z]+[ >/=])", r"\1m:", with_runs)


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


def number(text: str, properties: str = "") -> str:
    return run(text, f'<w:vertAlign w:val="superscript"/>{properties}')


CASES: dict[str, tuple[str, Parts, str]] = {
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
                "x=<f><num>-b±<rad><radPr><degHide val='1'/></radPr><deg></deg><e><sSup><e>b</e>"
                "<sup>2</sup></sSup>-4ac</e></rad></num><den>2a</den></f>"
            )
            + run(" holds.")
        )
        + paragraph(
            "<m:oMathPara>"
            + math(
                "<nary><naryPr><chr val='∑'/></naryPr><sub>i=1</sub><sup>n</sup><e><sSub><e>k</e>"
                "<sub>i</sub></sSub></e></nary>=<d><dPr><begChr val='['/><endChr val=']'/></dPr><e>"
                "<m><mr><e>1</e><e>0</e></mr><mr><e>0</e><e>1</e></mr></m></e></d>"
            )
            + "</m:oMathPara>"
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
    "a newer chart": (
        paragraph('<w:r><w:drawing><cx:chart r:id="chartEx1"/></w:drawing></w:r>'),
        {
            "chartEx1.xml": b'<cx:chartSpace xmlns:cx="urn:x"><cx:data id="0"><cx:strDim><cx:lvl>'
            b"<cx:pt>Start</cx:pt><cx:pt>Sales</cx:pt></cx:lvl></cx:strDim><cx:numDim>"
            b'<cx:lvl formatCode="#,##0"><cx:pt>1500</cx:pt><cx:pt>-20</cx:pt></cx:lvl></cx:numDim>'
            b"</cx:data><cx:series><cx:tx><cx:v>Cash</cx:v></cx:tx>"
            b'<cx:dataId val="0"/></cx:series></cx:chartSpace>'
        },
        "|  | Start | Sales |\n| --- | --- | --- |\n| Cash | 1,500 | -20 |",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_kinds(reads_as: ReadsAs, case: tuple[str, Parts, str]) -> None:
    reads_as(*case)


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


def test_names_of_parts_in_other_forms(read: Read) -> None:
    data = docx(paragraph("Text") + item("one"), LETTERS)
    odd = rewritten(
        data, lambda _, text: text.replace("word/document.xml", "/word/Document.xml")
    ).replace(b"word/document.xml", b"word\\document.xml")
    assert read("a.docx", odd)[1] == "Text\n\na) one"


def test_files_that_are_none(read: Read) -> None:
    with pytest.raises(CorpusError, match="protected with a password"):
        read("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1")
    with pytest.raises(CorpusError, match="has no readable part"):
        read("a.docx", rewritten(docx(""), lambda _, text: text.replace("</w:body>", "")))


@pytest.mark.parametrize("make", [docx_library.Document, pptx.Presentation])
def test_what_a_file_has_of_its_librarys_template_is_no_metadata(make: Callable[[], Any]) -> None:
    def properties() -> dict[str, Any]:
        document.save(written := BytesIO())
        return dict(office.Parts(written).properties())

    document = make()
    assert {"author", "date"}.isdisjoint(key for key, value in properties().items() if value)
    document.core_properties.author = "Mira Kessler"
    document.core_properties.modified = datetime(2023, 1, 12)
    assert (properties()["author"], properties()["date"]) == ("Mira Kessler", "2023-01-12")
