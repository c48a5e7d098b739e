"""Slides: tables, diagrams, notes, numbers, raised letters.

Faults that users of other tools reported: docling 584 and 1324, markitdown 1161.
"""

from __future__ import annotations

import io
from typing import Any

import pytest
from pptx import Presentation
from pptx.enum.shapes import PROG_ID
from pptx.util import Inches

from hopyard.indexes.documents.readers.base import Content, Part, Source
from hopyard.indexes.documents.readers.slides import read_pptx

from ..zips import lines, rewritten, saved
from .decks import run, shape, with_shapes

Read = Any
BOX = Inches(1), Inches(1), Inches(4), Inches(3)
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def test_raised_letters_fields_and_breaks(read: Read) -> None:
    body = (
        f"<a:p>{run('5 × 10')}{run('-', 'baseline=&quot;30000&quot;'.replace('&quot;', chr(34)))}"
        + run("3", 'baseline="30000"')
        + run(" cells, CO")
        + run("2", 'baseline="-25000"')
        + '<a:br/><a:fld id="x" type="datetime1"><a:t>5 May</a:t></a:fld>'
        + '<a:fld id="y" type="slidenum"><a:t>7</a:t></a:fld></a:p>'
    )
    assert lines(read("a.pptx", with_shapes(shape(body)))[1]) == ["5 × 10^-3 cells, CO2 5 May"]


def test_numbered_lists_keep_their_numbers(read: Read) -> None:
    def item(text: str, about: str, level: int = 0) -> str:
        return f'<a:p><a:pPr lvl="{level}">{about}</a:pPr>{run(text)}</a:p>'

    number = '<a:buAutoNum type="arabicPeriod" startAt="3"/>'
    letter = '<a:buAutoNum type="alphaLcParenR"/>'
    body = (
        item("pump", number)
        + item("valve", letter, 1)
        + item("seal", letter, 1)
        + item("tank", number)
        + item("note", "")
        + item("again", letter, 1)
    )
    assert lines(read("a.pptx", with_shapes(shape(body)))[1]) == [
        "3. pump",
        "  a) valve",
        "  b) seal",
        "4. tank",
        "- note",
        "  a) again",
    ]


def test_groups_pictures_connectors_and_formulas(read: Read) -> None:
    words = [f"<a:p>{run(word)}</a:p>" for word in ("one", "two")]
    group = f"<p:grpSp><p:grpSp>{shape(words[0])}</p:grpSp>{shape(words[1])}</p:grpSp>"
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="3" descr="Map of pier 4"/></p:nvPicPr></p:pic>'
    math = '<a:p><m:oMath xmlns:m="urn:m"><m:r><m:t>E=3.7 kJ</m:t></m:r></m:oMath></a:p>'
    formula = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        f"<mc:Choice>{shape(math)}"
        f"</mc:Choice><mc:Fallback>{shape(words[0])}</mc:Fallback></mc:AlternateContent>"
    )
    text = read("a.pptx", with_shapes(group + picture + formula))[1]
    assert lines(text) == ["one", "two", "[Map of pier 4]", "E=3.7 kJ"]


def test_slide_numbers_are_dropped_and_footers_are_read_once(read: Read) -> None:
    deck = Presentation()
    for _ in range(2):
        deck.slides.add_slide(deck.slide_layouts[6])
    body = f"<a:p>{run('Confidential')}</a:p>"
    added = shape(body, '<p:ph type="ftr"/>') + shape(
        f"<a:p>{run('17')}</a:p>", '<p:ph type="sldNum"/>'
    )
    data = rewritten(
        saved(deck),
        lambda name, text: (
            text.replace("</p:spTree>", f"{added}</p:spTree>") if "slides/slide" in name else text
        ),
    )
    assert read("a.pptx", data)[1] == "Confidential\n\n\f\f"


def test_merged_cells_and_heads_of_two_rows(read: Read) -> None:
    deck = Presentation()
    rows = [
        ["Plant", "2023", "", "2024", ""],
        ["", "MWh", "Cost", "MWh", "Cost"],
        ["Dune", "11", "21", "12", "22"],
        ["", "13", "23", "14", "24"],
    ]
    table = deck.slides.add_slide(deck.slide_layouts[6]).shapes.add_table(4, 5, *BOX).table
    for number, row in enumerate(rows):
        for place, cell in enumerate(row):
            table.cell(number, place).text = cell
    for first, last in (((0, 0), (1, 0)), ((0, 1), (0, 2)), ((0, 3), (0, 4)), ((2, 0), (3, 0))):
        table.cell(*first).merge(table.cell(*last))
    assert lines(read("a.pptx", saved(deck))[1]) == [
        "| Plant | 2023 MWh | 2023 Cost | 2024 MWh | 2024 Cost |",
        "|---|---|---|---|---|",
        "| Dune | 11 | 21 | 12 | 22 |",
        "| Dune | 13 | 23 | 14 | 24 |",
    ]


def test_notes_comments_and_a_diagram(read: Read) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Plan"
    slide.notes_slide.notes_text_frame.text = "Say why.\nThen stop."
    frame = (
        '<p:graphicFrame><a:graphic><a:graphicData><dgm:relIds xmlns:dgm="urn:d" xmlns:r="urn:r" '
        'r:dm="rId71"/></a:graphicData></a:graphic></p:graphicFrame>'
    )
    rels = (
        '<Relationship Id="rId71" Type="http://x/diagramData" Target="/ppt/diagrams/data1.xml"/>'
        '<Relationship Id="rId72" Type="http://x/comments" Target="..\\comments\\c%201.xml"/>'
    )

    def change(name: str, text: str) -> str:
        if name.endswith("slides/slide1.xml"):
            return text.replace("</p:spTree>", f"{frame}</p:spTree>")
        is_rels = name.endswith("slides/_rels/slide1.xml.rels")
        return text.replace("</Relationships>", f"{rels}</Relationships>") if is_rels else text

    points = "".join(
        f'<d:pt modelId="{word}"{kind}><d:t><a:p>{run(word)}</a:p></d:t></d:pt>'
        for word, kind in (("Order", ""), ("Pay", ""), ("[Text]", ' type="pres"'))
    )
    more = {
        "ppt/diagrams/data1.xml": f'<d:dataModel xmlns:d="urn:d" xmlns:a="{DRAWING}">{points}'
        "</d:dataModel>",
        "ppt/comments/c 1.xml": '<p:cmLst xmlns:p="urn:p"><p:cm><p:text>Too late?</p:text></p:cm>'
        "</p:cmLst>",
    }
    assert lines(read("a.pptx", rewritten(saved(deck), change, more))[1]) == [
        "# Plan",
        "- Order",
        "- Pay",
        "Say why.",
        "Then stop.",
        "Comment: Too late?",
    ]


def test_an_embedded_workbook_is_a_document(read: Read) -> None:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    slide.shapes.add_ole_object(io.BytesIO(b"PK sheet"), PROG_ID.XLSX, Inches(1), Inches(1))
    data = saved(deck)
    parts = []
    for each in read_pptx(Source("a.pptx", lambda: io.BytesIO(data))):
        if isinstance(each, Content):
            assert "".join(each.text) == "\f"
        elif isinstance(each, Part):
            parts.append((each.name, each.source.read()))
    assert parts == [("slide 1/Microsoft_Excel_Sheet1.xlsx", b"PK sheet")]


def test_a_protected_file_is_named(read: Read) -> None:
    with pytest.raises(Exception, match="protected with a password"):
        read("a.pptx", b"\xd0\xcf\x11\xe0" + bytes(2000))


def slide(*boxes: tuple[str, float, float]) -> bytes:
    pptx = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    shapes = deck.slides.add_slide(deck.slide_layouts[6]).shapes
    for text, left, top in boxes:
        place = [pptx.util.Inches(number) for number in (left, top, 3, 0.5)]
        shapes.add_textbox(*place).text_frame.text = text
    return saved(deck)


@pytest.mark.parametrize(
    ("boxes", "order"),
    [
        ([("pears", 1, 3), ("Autumn", 1, 2.4), ("plums", 1, 1.6), ("Summer", 1, 1)],
         ["Summer", "plums", "Autumn", "pears"]),
        ([("Right", 5, 1), ("Left", 1, 1), ("right text", 5, 1.6), ("left text", 1, 1.6)],
         ["Left", "left text", "Right", "right text"]),
        ([("upper", 1, 1), ("on it", 1.5, 1.2), ("first", 0, 0.2)], ["first", "upper", "on it"]),
    ],
)  # fmt: skip
def test_shapes_are_read_by_their_places(
    read: Read, boxes: list[tuple[str, float, float]], order: list[str]
) -> None:
    _, text, _ = read("a.pptx", slide(*boxes))
    assert text.strip().split("\n\n") == order


def test_slides_whose_boxes_have_no_place(read: Read) -> None:
    pptx = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Fees"
    slide.placeholders[1].text = "Berth 7"
    inches = pptx.util.Inches
    slide.shapes.add_textbox(inches(1), inches(6), inches(2), inches(1)).text_frame.text = "Placed"
    _, text, _ = read("a.pptx", saved(deck))
    assert [line for line in text.splitlines() if line.strip(" \f")] == [
        "# Fees",
        "Berth 7",
        "Placed",
    ]
