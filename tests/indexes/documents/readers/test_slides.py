"""Slides: charts of all kinds, tables, diagrams, notes, numbers, raised letters."""

from __future__ import annotations

import io
import re
from datetime import date
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import PROG_ID
from pptx.util import Inches

from hopyard.indexes.documents.readers.base import Content, Part, Source
from hopyard.indexes.documents.readers.slides import read_pptx

from ..zips import lines, rewritten, saved

Read = Any
BOX = Inches(1), Inches(1), Inches(4), Inches(3)
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"


def with_shapes(xml: str) -> bytes:
    """A deck of one slide with shapes that are given as XML."""
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    return rewritten(
        saved(deck),
        lambda name, text: (
            text.replace("</p:spTree>", f"{xml}</p:spTree>")
            if "slides/slide1.xml" in name
            else text
        ),
    )


def shape(body: str, place: str = "") -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="9" name="x"/><p:cNvSpPr/><p:nvPr>{place}</p:nvPr></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/>{body}</p:txBody></p:sp>"
    )


def run(text: str, about: str = "") -> str:
    return f"<a:r><a:rPr {about}/><a:t>{text}</a:t></a:r>"


def chart_deck(kind: Any, data: Any) -> bytes:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Output"
    slide.shapes.add_chart(kind, *BOX, data)
    return saved(deck)


def quarters() -> Any:
    data = CategoryChartData(number_format="0.0%")
    data.categories = ["Q1", "Q2"]
    data.add_series("Dune", (0.125, None))
    data.add_series("Reed", (0.5, 1234567.25))
    return data


QUARTERS = [
    "# Output",
    "|  | Q1 | Q2 |",
    "|---|---|---|",
    "| Dune | 12.5% |  |",
    "| Reed | 50.0% | 123456725.0% |",
]


@pytest.mark.parametrize(
    "element", ["bar", "bar3D", "line3D", "area3D", "surface", "stock", "radar"]
)
def test_a_chart_of_any_kind_is_a_table(read: Read, element: str) -> None:
    data = chart_deck(XL_CHART_TYPE.COLUMN_CLUSTERED, quarters())
    data = rewritten(data, lambda _, text: text.replace("c:barChart", f"c:{element}Chart"))
    assert lines(read("a.pptx", data)[1]) == QUARTERS


def test_a_chart_with_an_error_value_keeps_the_others(read: Read) -> None:
    data = chart_deck(XL_CHART_TYPE.LINE, quarters())
    data = rewritten(data, lambda _, text: text.replace("<c:v>0.125</c:v>", "<c:v>#N/A</c:v>"))
    assert "| Dune | #N/A |  |" in read("a.pptx", data)[1]


def test_a_scatter_chart_has_both_values(read: Read) -> None:
    data = XyChartData()
    series = data.add_series("Pump")
    for point in ((1.5, 20), (2.5, 30)):
        series.add_data_point(*point)
    assert lines(read("a.pptx", chart_deck(XL_CHART_TYPE.XY_SCATTER, data))[1])[1:] == [
        "|  | 1.5 | 2.5 |",
        "|---|---|---|",
        "| Pump | 20 | 30 |",
    ]


def test_a_bubble_chart_has_the_sizes(read: Read) -> None:
    data = BubbleChartData()
    data.add_series("Pump").add_data_point(1, 20, 7)
    assert "| Pump | 20 (7) |" in read("a.pptx", chart_deck(XL_CHART_TYPE.BUBBLE, data))[1]


def test_labels_of_points_and_categories_of_days(read: Read) -> None:
    data = CategoryChartData(number_format="0")
    data.categories = [date(2024, 3, 5), date(2024, 3, 6), date(2024, 3, 7)]
    data.add_series("Dune", (5, 6, 7))
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    chart = slide.shapes.add_chart(XL_CHART_TYPE.LINE, *BOX, data).chart
    for point, label in ((1, "[VALUE] storm"), (2, "7")):
        chart.plots[0].series[0].points[point].data_label.text_frame.text = label
    cells = (
        '<c:ext xmlns:c15="urn:c15"><c15:datalabelsRange><c15:dlblRangeCache><c:pt idx="0">'
        "<c:v>calm</c:v></c:pt></c15:dlblRangeCache></c15:datalabelsRange></c:ext>"
    )
    field = '<a:fld id="x" type="VALUE"><a:t>[VALUE]</a:t></a:fld><a:r><a:t>'
    deck = rewritten(
        saved(deck),
        lambda _, text: text.replace("</c:ser>", f"<c:extLst>{cells}</c:extLst></c:ser>").replace(
            "<a:r><a:t>[VALUE]", field
        ),
    )
    assert lines(read("a.pptx", deck)[1]) == [
        "|  | 2024-03-05 | 2024-03-06 | 2024-03-07 |",
        "|---|---|---|---|",
        "| Dune | 5 (calm) | 6 (storm) | 7 |",
    ]


def test_many_categories_are_rows(read: Read) -> None:
    data = CategoryChartData()
    data.categories = [f"M{number}" for number in range(13)]
    data.add_series("Dune", range(13))
    text = read("a.pptx", chart_deck(XL_CHART_TYPE.LINE, data))[1]
    assert "|  | Dune |\n|---|---|\n| M0 | 0 |\n| M1 | 1 |" in text


def test_categories_of_two_levels_and_the_title(read: Read) -> None:
    data = CategoryChartData()
    for year in ("2023", "2024"):
        category = data.add_category(year)
        category.add_sub_category("H1")
        category.add_sub_category("H2")
    data.add_series("Dune", (1, 2, 3, 4))
    deck = Presentation()
    chart = (
        deck.slides.add_slide(deck.slide_layouts[6])
        .shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *BOX, data)
        .chart
    )
    chart.has_title = True
    chart.chart_title.text_frame.text = "Output in MWh"
    assert lines(read("a.pptx", saved(deck))[1]) == [
        "Output in MWh",
        "|  | 2023 H1 | 2023 H2 | 2024 H1 | 2024 H2 |",
        "|---|---|---|---|---|",
        "| Dune | 1 | 2 | 3 | 4 |",
    ]


def test_a_chart_that_is_missing_is_named_and_the_slide_is_read(read: Read) -> None:
    data = chart_deck(XL_CHART_TYPE.LINE, quarters())
    data = rewritten(data, lambda name, text: None if re.search(r"charts/chart\d", name) else text)
    _, text, unread = read("a.pptx", data)
    assert lines(text) == ["# Output"]
    assert [(each.place, each.reason.split(" (")[0]) for each in unread] == [("slide 1", "a chart")]


def test_a_newer_chart(read: Read) -> None:
    frame = (
        '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice Requires="cx1"><p:graphicFrame><a:graphic><a:graphicData>'
        '<cx:chart xmlns:cx="urn:x" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/'
        'relationships" r:id="rId77"/></a:graphicData></a:graphic></p:graphicFrame></mc:Choice>'
        f"<mc:Fallback>{shape('<a:p>' + run('This chart is not available') + '</a:p>')}"
        f"</mc:Fallback>"
        "</mc:AlternateContent>"
    )
    chart = (
        '<cx:chartSpace xmlns:cx="urn:x"><cx:chartData><cx:data id="0"><cx:strDim type="cat">'
        '<cx:lvl><cx:pt idx="0">Start</cx:pt><cx:pt idx="1">Sales</cx:pt></cx:lvl></cx:strDim>'
        '<cx:numDim type="val"><cx:lvl formatCode="#,##0"><cx:pt idx="0">1500</cx:pt>'
        '<cx:pt idx="1">-20</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart>'
        '<cx:plotArea><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Cash</cx:v>'
        '</cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotArea></cx:chart>'
        "</cx:chartSpace>"
    )

    def change(name: str, text: str) -> str:
        rel = '<Relationship Id="rId77" Type="http://x/chartEx" Target="../charts/ex.xml"/>'
        is_slide = name.endswith("slides/_rels/slide1.xml.rels")
        return text.replace("</Relationships>", f"{rel}</Relationships>") if is_slide else text

    data = rewritten(with_shapes(frame), change, {"ppt/charts/ex.xml": chart})
    assert lines(read("a.pptx", data)[1]) == [
        "|  | Start | Sales |",
        "|---|---|---|",
        "| Cash | 1,500 | -20 |",
    ]


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
