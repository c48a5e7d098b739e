"""OpenDocument: numbers of lists, tables with repeated cells, notes, sheets and slides."""

from __future__ import annotations

from typing import Any

import pytest

from ..zips import lines, zipped

Read = Any

SPACE = "urn:oasis:names:tc:opendocument:xmlns"
LONG_NAMES = {"draw": "drawing", "svg": "svg-compatible"}
NAMES = (
    " ".join(
        f'xmlns:{name}="{SPACE}:{LONG_NAMES.get(name, name)}:1.0"'
        for name in [
            "office",
            "text",
            "table",
            "style",
            "draw",
            "form",
            "presentation",
            "meta",
            "svg",
        ]
    )
    + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
)


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
    return f"<table:table-cell {about}><text:p>{text}</text:p></table:table-cell>"


def item(text: str, inner: str = "", about: str = "") -> str:
    return f"<text:list-item {about}><text:p>{text}</text:p>{inner}</text:list-item>"


LISTS = """
<text:list-style style:name="L1">
<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>
<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"
 text:start-value="2"/>
<text:list-level-style-number text:level="3" style:num-format="1" style:num-prefix="("
 style:num-suffix=")" text:display-levels="3"/>
</text:list-style>
<text:list-style style:name="L2"><text:list-level-style-bullet text:level="1"/></text:list-style>
"""


def test_lists_keep_their_numbers(read: Read) -> None:
    seventh = item("new", about='text:start-value="7"')
    third = f"<text:list>{item('deep')}</text:list>"
    inner = f"<text:list>{item('valve')}{item('seal', third)}</text:list>"
    body = (
        f'<text:list text:style-name="L1">{item("pump", inner)}{item("tank")}'
        f"<text:list-header><text:p>no number</text:p></text:list-header></text:list>"
        "<text:p>between</text:p>"
        f'<text:list text:style-name="L1" text:continue-numbering="true">{item("hose")}</text:list>'
        f'<text:list text:style-name="L1">{seventh}</text:list>'
        f'<text:list text:style-name="L2">{item("dot")}</text:list>'
    )
    assert lines(read("a.odt", packed("text", body, LISTS))[1]) == [
        "1. pump",
        "  b) valve",
        "  c) seal",
        "    (1.c.1) deep",
        "2. tank",
        "  no number",
        "between",
        "3. hose",
        "7. new",
        "- dot",
    ]


def test_headings_keep_their_numbers(read: Read) -> None:
    styles = (
        "<office:document-styles NAMES><office:styles><text:outline-style>"
        '<text:outline-level-style text:level="1" style:num-format="1"/>'
        '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/>'
        "</text:outline-style></office:styles></office:document-styles>"
    )
    heads = ((1, "Delivery"), (2, "Time"), (2, "Late"), (1, "Price"), (2, "Tax"))
    body = "".join(f'<text:h text:outline-level="{level}">{text}</text:h>' for level, text in heads)
    content, text, _ = read("a.odt", packed("text", body, styles_xml=styles))
    assert lines(text) == [
        "# 1 Delivery",
        "## 1.1 Time",
        "## 1.2 Late",
        "# 2 Price",
        "## 2.1 Tax",
    ]
    assert content.title == "1 Delivery"


def test_notes_comments_changes_and_raised_letters(read: Read) -> None:
    styles = (
        '<style:style style:name="T1"><style:text-properties style:text-position="super 58%"/>'
        "</style:style>"
        '<style:style style:name="T2"><style:text-properties style:text-position="sub 58%"/>'
        "</style:style>"
    )
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>old words</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
        '<text:p>The fee is 50<text:note text:note-class="footnote"><text:note-citation>1'
        "</text:note-citation><text:note-body><text:p>Without tax.</text:p></text:note-body>"
        "</text:note>"
        ' euros,<text:s text:c="3"/>10<text:span text:style-name="T1">6</text:span> cells'
        '<text:span text:style-name="T2">x</text:span>.<office:annotation><dc:creator>Ann'
        "</dc:creator>"
        "<dc:date>2024-05-06T10:00:00</dc:date><text:p>Too much?</text:p></office:annotation>"
        "<text:line-break/>Next line<text:tab/>end</text:p>"
    )
    assert read("a.odt", packed("text", body, styles))[1].split("\n\n")[:-1] == [
        "The fee is 50[1] euros, 10^6 cellsx.\nNext line end",
        "Comment: Too much?",
        "[1] Without tax.",
    ]


def test_descriptions_of_frames_and_shapes_that_have_text(read: Read) -> None:
    about = "<svg:title>Plan</svg:title><svg:desc>The crane</svg:desc>"
    body = (
        f"<text:p>A<draw:frame><draw:text-box><text:p>Plan</text:p></draw:text-box>{about}"
        f"</draw:frame></text:p><text:p><draw:g>{about}<draw:rect><text:p>Gate</text:p>{about}"
        "</draw:rect></draw:g></text:p>"
    )
    _, text, _ = read("a.odt", packed("text", body), whole=False)
    shown = ["[Plan]", "[The crane]"]
    assert lines(text) == ["A", "Plan", "[The crane]", "Gate", *shown, *shown]


def test_frames_pictures_formulas_and_charts(read: Read) -> None:
    chart = (
        "<office:document-content NAMES><office:body><office:chart><chart:chart "
        "xmlns:chart='urn:c'>"
        "<chart:title><text:p>Output</text:p></chart:title><table:table><table:table-header-rows>"
        f"<table:table-row>{cell('')}{cell('Dune')}</table:table-row></table:table-header-rows>"
        f"<table:table-rows><table:table-row>{cell('Q1')}{cell('7')}</table:table-row></table:table-rows>"
        "</table:table></chart:chart></office:chart></office:body></office:document-content>"
    )
    body = (
        "<text:p>Before <draw:frame><draw:text-box><text:p>Room 12</text:p><text:p>Code 5512"
        "</text:p>"
        "</draw:text-box></draw:frame>after</text:p>"
        "<text:p><draw:frame><draw:image xlink:href='x.png'/><svg:title>Map</svg:title>"
        "<svg:desc>Map of pier 4</svg:desc></draw:frame></text:p>"
        "<text:p><draw:custom-shape><text:p>Stop here</text:p></draw:custom-shape></text:p>"
        "<text:p>Energy <draw:frame><draw:object><math xmlns='urn:m'><semantics><mrow><mi>E"
        "</mi></mrow>"
        "<annotation>E=3.7 kJ</annotation></semantics></math></draw:object></draw:frame></text:p>"
        "<text:p><draw:frame><draw:object xlink:href='./Object 1'/></draw:frame></text:p>"
        "<text:p><draw:frame><draw:object xlink:href='./Object 2'/></draw:frame></text:p>"
    )
    data = packed("text", body, **{"Object 1__content_xml": chart})
    _, text, unread = read("a.odt", data)
    assert lines(text) == [
        "Before after",
        "Room 12",
        "Code 5512",
        "[Map]",
        "[Map of pier 4]",
        "Stop here",
        "Energy",
        "E=3.7 kJ",
        "Output",
        "|  | Dune |",
        "|---|---|",
        "| Q1 | 7 |",
    ]
    assert [each.place for each in unread] == ["./Object 2"]


def test_form_fields_readings_and_margins(read: Read) -> None:
    body = (
        '<office:forms><form:form><form:checkbox form:id="c1" form:label="Paid" '
        'form:current-state="checked"/>'
        '<form:text form:id="c2" form:current-value="Lund"/></form:form></office:forms>'
        '<text:p>Town <draw:control draw:control="c2"/> <draw:control draw:control="c1"/></text:p>'
        "<text:p><text:ruby><text:ruby-base>漢字</text:ruby-base><text:ruby-text>かんじ</text:ruby-text></text:ruby></text:p>"
    )
    styles = (
        "<office:document-styles NAMES><office:master-styles><style:master-page style:name='a'>"
        "<style:header><text:p>Contract K-4471</text:p></style:header></style:master-page>"
        "<style:master-page style:name='b'><style:header><text:p>Contract K-4471</text:p>"
        "</style:header>"
        "</style:master-page></office:master-styles></office:document-styles>"
    )
    assert lines(read("a.odt", packed("text", body, styles_xml=styles))[1]) == [
        "Town Lund [x] Paid",
        "漢字(かんじ)",
        "Contract K-4471",
    ]


def test_tables_with_merged_repeated_and_inner_cells(read: Read) -> None:
    down, across = 'table:number-rows-spanned="2"', 'table:number-columns-spanned="2"'
    twice = 'table:number-columns-repeated="2"'
    inner = (
        f"<table:table><table:table-row>{cell('in')}{cell('side')}</table:table-row></table:table>"
    )
    body = (
        "<table:table><table:table-header-rows><table:table-row>"
        f"{cell('Zone', down)}{cell('Fees', across)}"
        "<table:covered-table-cell/></table:table-row><table:table-row><table:covered-table-cell/>"
        f"{cell('Adult')}{cell('Child')}</table:table-row></table:table-header-rows>"
        f"<table:table-row>{cell('A', down)}{cell('10', twice)}</table:table-row>"
        f"<table:table-row><table:covered-table-cell/>{cell('14')}<table:table-cell>{inner}</table:table-cell></table:table-row>"
        "</table:table>"
    )
    assert lines(read("a.odt", packed("text", body))[1]) == [
        "| Zone | Fees Adult | Fees Child |",
        "|---|---|---|",
        "| A | 10 | 10 |",
        "| A | 14 | in, side |",
    ]


SHEET = (
    '<table:table table:name="Ledger">'
    f"<table:table-row>{cell('Account')}{cell('Rate')}{cell('Balance')}</table:table-row>"
    '<table:table-row><table:table-cell office:value-type="string"><text:p>K-1</text:p>'
    "<office:annotation><text:p>Check it</text:p></office:annotation></table:table-cell>"
    f"{cell('7,50 %', 'office:value-type=' + chr(34) + 'percentage' + chr(34))}"
    '<table:table-cell office:value-type="float" office:value="1234567.25"/>'
    '<table:table-cell table:number-columns-repeated="16381"/></table:table-row>'
    '<table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="date" '
    'office:date-value="2024-05-06"/><table:table-cell table:formula="of:=[.A1]"/>'
    "<table:table-cell/></table:table-row>"
    '<table:table-row table:number-rows-repeated="1048572"><table:table-cell '
    'table:number-columns-repeated="16384"/></table:table-row></table:table>'
)


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
        inner = f"<draw:text-box><text:p>{text}</text:p></draw:text-box>"
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
        box = f"<draw:text-box><text:p>{text}</text:p></draw:text-box>"
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
        "<office:body><office:text><text:p>Berth 7 is free.</text:p></office:text>"
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
    frame = "<text:p><draw:frame><draw:object xlink:href='./Object 1'/></draw:frame></text:p>"
    data = packed("text", frame, **{"Object 1__content_xml": object_1})
    assert lines(read("a.odt", data)[1]) == ["lbrace x"]
