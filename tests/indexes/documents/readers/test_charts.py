"""Charts of all kinds, on slides."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from pptx import Presentation
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from ..zips import lines, rewritten, saved
from .decks import run, shape, with_shapes

Read = Any
BOX = Inches(1), Inches(1), Inches(4), Inches(3)


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
