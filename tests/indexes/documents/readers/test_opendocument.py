# ruff: noqa: E501 - markup in long lines
"""OpenDocument: numbers of lists, tables with repeated cells, notes, sheets and slides."""

from __future__ import annotations

from typing import Any

import pytest

from ..case_tables import named_cases
from ..zips import lines, zipped

Read = Any

SPACE = "urn:oasis:names:tc:opendocument:xmlns"
LONG_NAMES = {"draw": "drawing", "svg": "svg-compatible"}
NAMES = " ".join(
    [
        f'xmlns="{SPACE}:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"',
        'xmlns:dc="http://purl.org/dc/elements/1.1/"',
        *(
            f'xmlns:{name}="{SPACE}:{LONG_NAMES.get(name, name)}:1.0"'
            for name in ("office", "text", "table", "style", *LONG_NAMES, "form", "presentation")
        ),
    ]
)
"""Names without a prefix are of texts."""


def packed(kind: str, body: str, styles: str = "", **more: str) -> bytes:
    """A file of OpenDocument.

    Args:
        kind: text, spreadsheet or presentation.
        body: Its content.
        styles: Its automatic styles.
        more: Further parts, by names in which `__` is a slash and `_xml` the suffix.
    """
    content = (
        f"<office:document-content {NAMES}><office:automatic-styles>{styles}"
        f"</office:automatic-styles><office:body><office:{kind}>{body}</office:{kind}>"
        "</office:body></office:document-content>"
    )
    parts = {
        name.replace("__", "/").replace("_xml", ".xml"): text.replace("NAMES", NAMES)
        for name, text in more.items()
    }
    files = {"content.xml": content} | parts
    mime = f"application/vnd.oasis.opendocument.{kind}"
    entries = "".join(
        f'<m:file-entry m:full-path="{name}" m:media-type="{mime if name == "/" else "text/xml"}"/>'
        for name in ("/", *files)
    )
    manifest = f'<m:manifest xmlns:m="{SPACE}:manifest:1.0" m:version="1.3">{entries}</m:manifest>'
    return zipped({"mimetype": mime, "META-INF/manifest.xml": manifest} | files)


def cell(text: str, about: str = "") -> str:
    return f"<table:table-cell {about}><p>{text}</p></table:table-cell>"


STYLES = {
    "lists keep their numbers": """
<list-style style:name="L1">
<list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
<list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")" text:start-value="2"/>
<list-level-style-number text:level="3" style:num-format="1" style:num-prefix="(" style:num-suffix=")" text:display-levels="3"/>
</list-style><list-style style:name="L2"><list-level-style-bullet text:level="1"/></list-style>""",
    "notes, comments, changes and raised letters": """
<style:style style:name="T1"><style:text-properties style:text-position="super 58%"/></style:style>
<style:style style:name="T2"><style:text-properties style:text-position="sub 58%"/></style:style>""",
}
PARTS = {
    "headings keep their numbers": {
        "styles_xml": """<office:document-styles NAMES><office:styles><outline-style>
<outline-level-style text:level="1" style:num-format="1"/>
<outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>
</outline-style></office:styles></office:document-styles>"""
    },
    "frames, pictures, formulas and charts": {
        "Object 1__content_xml": f"""<office:document-content NAMES><office:body><office:chart>
<chart:chart xmlns:chart="urn:c"><chart:title><p>Output</p></chart:title><table:table><table:table-header-rows>
<table:table-row>{cell("")}{cell("Dune")}</table:table-row></table:table-header-rows>
<table:table-rows><table:table-row>{cell("Q1")}{cell("7")}</table:table-row></table:table-rows></table:table>
</chart:chart></office:chart></office:body></office:document-content>"""
    },
    "form fields, readings and margins": {
        "styles_xml": """<office:document-styles NAMES><office:master-styles>
<style:master-page style:name="a"><style:header><p>Contract K-4471</p></style:header></style:master-page>
<style:master-page style:name="b"><style:header><p>Contract K-4471</p></style:header></style:master-page>
</office:master-styles></office:document-styles>"""
    },
}
CASES = """
# lists keep their numbers
<list text:style-name="L1"><list-item><p>pump</p><list><list-item><p>valve</p></list-item><list-item><p>seal</p>
<list><list-item><p>deep</p></list-item></list></list-item></list></list-item><list-item><p>tank</p></list-item>
<list-header><p>no number</p></list-header></list><p>between</p>
<list text:style-name="L1" text:continue-numbering="true"><list-item><p>hose</p></list-item></list>
<list text:style-name="L1"><list-item text:start-value="7"><p>new</p></list-item></list>
<list text:style-name="L2"><list-item><p>dot</p></list-item></list>
⇒ 1. pump ¦   b) valve ¦   c) seal ¦     (1.c.1) deep ¦ 2. tank ¦   no number ¦ between ¦ 3. hose ¦ 7. new ¦ - dot

# headings keep their numbers
<h text:outline-level="1">Delivery</h><h text:outline-level="2">Time</h><h text:outline-level="2">Late</h>
<h text:outline-level="1">Price</h><h text:outline-level="2">Tax</h>
⇒ # 1 Delivery ¦ ## 1.1 Time ¦ ## 1.2 Late ¦ # 2 Price ¦ ## 2.1 Tax

# notes, comments, changes and raised letters
<tracked-changes><changed-region><deletion><p>old words</p></deletion></changed-region></tracked-changes>
<p>The fee is 50<note text:note-class="footnote"><note-citation>1</note-citation><note-body><p>Without tax.</p></note-body></note> euros,<s text:c="3"/>10<span text:style-name="T1">6</span> cells<span text:style-name="T2">x</span>.
<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-05-06T10:00:00</dc:date><p>Too much?</p></office:annotation><line-break/>Next line<tab/>end</p>
⇒ The fee is 50[1] euros, 10^6 cellsx. ¦ Next line end ¦ Comment: Too much? ¦ [1] Without tax.

# frames, pictures, formulas and charts
<p>Before <draw:frame><draw:text-box><p>Room 12</p><p>Code 5512</p></draw:text-box></draw:frame>after</p>
<p><draw:frame><draw:image xlink:href="x.png"/><svg:title>Map</svg:title><svg:desc>Map of pier 4</svg:desc></draw:frame></p>
<p><draw:custom-shape><p>Stop here</p></draw:custom-shape></p>
<p>Energy <draw:frame><draw:object><math xmlns="urn:m"><semantics><mrow><mi>E</mi></mrow><annotation>E=3.7 kJ</annotation></semantics></math></draw:object></draw:frame></p>
<p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></p>
⇒ Before after ¦ Room 12 ¦ Code 5512 ¦ [Map] ¦ [Map of pier 4] ¦ Stop here ¦ Energy ¦ E=3.7 kJ ¦ Output ¦ |  | Dune | ¦ |---|---| ¦ | Q1 | 7 |

# form fields, readings and margins
<office:forms><form:form><form:checkbox form:id="c1" form:label="Paid" form:current-state="checked"/>
<form:text form:id="c2" form:current-value="Lund"/></form:form></office:forms>
<p>Town <draw:control draw:control="c2"/> <draw:control draw:control="c1"/></p>
<p><ruby><ruby-base>漢字</ruby-base><ruby-text>かんじ</ruby-text></ruby></p>
⇒ Town Lund [x] Paid ¦ 漢字(かんじ) ¦ Contract K-4471

# tables with merged, repeated and inner cells
<table:table><table:table-header-rows>
<table:table-row><table:table-cell table:number-rows-spanned="2"><p>Zone</p></table:table-cell><table:table-cell table:number-columns-spanned="2"><p>Fees</p></table:table-cell><table:covered-table-cell/></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell><p>Adult</p></table:table-cell><table:table-cell><p>Child</p></table:table-cell></table:table-row>
</table:table-header-rows>
<table:table-row><table:table-cell table:number-rows-spanned="2"><p>A</p></table:table-cell><table:table-cell table:number-columns-repeated="2"><p>10</p></table:table-cell></table:table-row>
<table:table-row><table:covered-table-cell/><table:table-cell><p>14</p></table:table-cell><table:table-cell><table:table><table:table-row><table:table-cell><p>in</p></table:table-cell><table:table-cell><p>side</p></table:table-cell></table:table-row></table:table></table:table-cell></table:table-row>
</table:table>
⇒ | Zone | Fees Adult | Fees Child | ¦ |---|---|---| ¦ | A | 10 | 10 | ¦ | A | 14 | in, side |
"""
SHEET = """<table:table table:name="Ledger">
<table:table-row><table:table-cell><p>Account</p></table:table-cell><table:table-cell><p>Rate</p></table:table-cell><table:table-cell><p>Balance</p></table:table-cell></table:table-row>
<table:table-row><table:table-cell office:value-type="string"><p>K-1</p><office:annotation><p>Check it</p></office:annotation></table:table-cell><table:table-cell office:value-type="percentage"><p>7,50 %</p></table:table-cell><table:table-cell office:value-type="float" office:value="1234567.25"/><table:table-cell table:number-columns-repeated="16381"/></table:table-row>
<table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="date" office:date-value="2024-05-06"/><table:table-cell table:formula="of:=[.A1]"/><table:table-cell/></table:table-row>
<table:table-row table:number-rows-repeated="1048572"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>"""


@pytest.mark.parametrize(("name", "body", "shown"), named_cases(CASES))
def test_texts(read: Read, name: str, body: str, shown: list[str]) -> None:
    data = packed("text", body, STYLES.get(name, ""), **PARTS.get(name, {}))
    _, text, unread = read("a.odt", data, whole="<math" not in body)
    assert (lines(text), unread) == (shown, [])


def test_a_numbered_heading_is_the_title(read: Read) -> None:
    parts = PARTS["headings keep their numbers"]
    head = '<h text:outline-level="1">Delivery</h>'
    assert read("a.odt", packed("text", head, **parts))[0].title == "1 Delivery"


def test_an_object_that_is_missing_is_named(read: Read) -> None:
    body = '<p>A<draw:frame><draw:object xlink:href="./Object 2"/></draw:frame></p>'
    _, text, unread = read("a.odt", packed("text", body))
    assert (text, [each.place for each in unread]) == ("A\n\n", ["./Object 2"])


def test_descriptions_of_frames_and_shapes_that_have_text(read: Read) -> None:
    about = "<svg:title>Plan</svg:title><svg:desc>The crane</svg:desc>"
    body = (
        f"<p>A<draw:frame><draw:text-box><p>Plan</p></draw:text-box>{about}"
        f"</draw:frame></p><p><draw:g>{about}<draw:rect><p>Gate</p>{about}"
        "</draw:rect></draw:g></p>"
    )
    _, text, _ = read("a.odt", packed("text", body), whole=False)
    shown = ["[Plan]", "[The crane]"]
    assert lines(text) == ["A", "Plan", "[The crane]", "Gate", *shown, *shown]


def test_a_spreadsheet_and_its_million_empty_cells(read: Read) -> None:
    _, text, unread = read("a.ods", packed("spreadsheet", SHEET))
    assert lines(text) == [
        "# Ledger",
        "| Account | Rate | Balance |",
        "|---|---|---|",
        "| K-1 | 7,50 % | 1234567.25 |",
        "| 2024-05-06 |  |  |",
        "| 2024-05-06 |  |  |",
        "Comment: Check it",
    ]
    assert [(each.place, each.reason) for each in unread] == [
        ("Ledger", "1 formula without a value")
    ]


def test_slides(read: Read) -> None:
    def frame(text: str, kind: str = "") -> str:
        about = f'presentation:class="{kind}"' if kind else ""
        inner = f"<draw:text-box><p>{text}</p></draw:text-box>"
        return f"<draw:frame {about}>{inner}</draw:frame>"

    said = frame("Say why.", "notes")
    notes = f"<presentation:notes><draw:page-thumbnail/>{said}</presentation:notes>"
    body = (
        f"<draw:page>{frame('box')}{frame('Plan', 'title')}<draw:g>{frame('in a group')}"
        f"</draw:g>{notes}</draw:page>"
        f"<draw:page>{frame('Second', 'title')}</draw:page>"
    )
    assert read("a.odp", packed("presentation", body))[1] == (
        "# Plan\n\nbox\n\nin a group\n\nSay why.\n\n\f# Second\n\n\f"
    )


def test_frames_of_a_slide_are_read_by_their_places(read: Read) -> None:
    def frame(text: str, x: str, y: str) -> str:
        place = f'svg:x="{x}" svg:y="{y}" svg:width="5cm" svg:height="1in"'
        box = f"<draw:text-box><p>{text}</p></draw:text-box>"
        return f"<draw:frame {place}>{box}</draw:frame>"

    body = (
        f"<draw:page>{frame('right', '15cm', '5cm')}{frame('left', '2cm', '50mm')}"
        f"<draw:g>{frame('left below', '2cm', '10cm')}</draw:g>{frame('top', '2cm', '1cm')}"
        f"{frame('right below', '15cm', '4in')}</draw:page>"
    )
    order = "top\n\nleft\n\nleft below\n\nright\n\nright below\n\n\f"
    assert read("a.odp", packed("presentation", body))[1] == order
    wrong = frame("A", "1.2.3cm", "1cm") + frame("B", f"{'9' * 400}cm", "1cm")
    body = f"<draw:page>{wrong}</draw:page>"
    assert read("a.odp", packed("presentation", body))[1] == "A\n\nB\n\n\f"


def test_one_xml_file_is_read_like_a_package(read: Read) -> None:
    xml = (
        f"<office:document {NAMES}><office:meta><dc:title>Minutes</dc:title></office:meta>"
        "<office:body><office:text><p>Berth 7 is free.</p></office:text>"
        "</office:body></office:document>"
    )
    content, text, _ = read("a.fodt", xml.encode())
    assert (content.title, text) == ("Minutes", "Berth 7 is free.\n\n")


def test_a_protected_file_is_named(read: Read) -> None:
    manifest = (
        '<m:manifest xmlns:m="urn:m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    )
    with pytest.raises(Exception, match="protected with a password"):
        read("a.odt", packed("text", "", **{"META-INF__manifest_xml": manifest}))


def test_names_of_sheets_and_formulas_in_parts_are_words_of_the_file(read: Read) -> None:
    name = "<table:table table:name='Fares'><table:table-row>{}</table:table-row></table:table>"
    sheet = packed("spreadsheet", name.format(cell("Adults")))
    assert "Fares" in read("a.ods", sheet)[1]  # `read` compares the text with the file

    object_1 = "<math xmlns='urn:m'><semantics><annotation>lbrace x</annotation></semantics></math>"
    frame = "<p><draw:frame><draw:object xlink:href='./Object 1'/></draw:frame></p>"
    data = packed("text", frame, **{"Object 1__content_xml": object_1})
    assert lines(read("a.odt", data)[1]) == ["lbrace x"]


@pytest.mark.parametrize(
    ("creators", "author"),
    [
        (("LibreOffice", "Ann Ash"), "Ann Ash"),
        (("Ann Ash", "Bo"), "Ann Ash"),
        (("", "openpyxl"), None),
    ],
)
def test_the_author_is_no_program(
    read: Read, creators: tuple[str, str], author: str | None
) -> None:
    first, last = creators
    data = (
        f'<office:document {NAMES} xmlns:meta="{SPACE}:meta:1.0"><office:meta>'
        f"<meta:initial-creator>{first}</meta:initial-creator><dc:creator>{last}</dc:creator>"
        "</office:meta><office:body><office:text><text:p>Tide</text:p></office:text></office:body>"
        "</office:document>"
    )
    assert read("a.fodt", data.encode())[0].metadata.get("author") == author
