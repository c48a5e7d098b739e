"""Tables of PDF pages as people lay them out, with and without lines."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from ..conftest import Read
from .pdfs import drawn, lines_at, rows_at, table

pytest.importorskip("reportlab")

REPORT = [
    ["(in millions)", "2023", "2022"],
    ["Ferries", "1,204", "998"],
    ["Cranes", "", "77"],
    ["Interest", "(31)", "—"],
    ["Total", "1,173", "1,075"],
]


def test_a_table_without_lines_keeps_blank_cells_in_their_column(read: Read) -> None:
    data = drawn(lambda canvas: rows_at(canvas, REPORT, (60, 300, 380)))
    _, text, _ = read("a.pdf", data)
    assert table(text) == REPORT


def test_the_lines_of_a_head_are_joined_and_a_wide_name_is_in_each_column(read: Read) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(315, 808, "Year ended June 30,")
        rows_at(canvas, [["", "Berth", "Berth"], ["", "fees", "rent"]], (60, 320, 400), 794)
        rows_at(canvas, [["North", "12", "8"], ["South", "9", "4"]], (60, 300, 380), 766)

    _, text, _ = read("a.pdf", drawn(draw))
    assert table(text) == [
        ["", "Year ended June 30, Berth fees", "Year ended June 30, Berth rent"],
        ["North", "12", "8"],
        ["South", "9", "4"],
    ]


@pytest.mark.parametrize(("name", "places"), [("Fiscal Year", {0, 1, 2}), ("As restated", {1})])
def test_a_name_in_the_midst_of_years_is_above_each_that_it_can_mean(
    read: Read, name: str, places: set[int]
) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(376, 808, name)
        years = [["", "2022", "2021", "2020 (1)", "Change"], ["North", "12", "8", "6", "50"]]
        rows_at(canvas, [*years, ["South", "9", "4", "3", "125"]], (60, 320, 390, 460, 520), 794)

    _, text, _ = read("a.pdf", drawn(draw))
    years = ["2022", "2021", "2020 (1)"]
    years = [f"{name} {year}" if at in places else year for at, year in enumerate(years)]
    assert table(text)[:2] == [["", *years, "Change"], ["North", "12", "8", "6", "50"]]


@pytest.mark.parametrize("ruled", [False, True])
def test_a_table_that_continues_repeats_its_head(read: Read, ruled: bool) -> None:
    def draw(canvas: Any, rows: list[list[str]]) -> None:
        rows_at(canvas, rows, (60, 300, 380), top=780)
        if ruled:
            lines_at(canvas, (55, 290, 370, 450), tuple(range(792, 776 - 14 * len(rows), -14)))

    more = [["Tugs", "5", "6"], ["Docks", "7", "8"]]
    own = [["Port", "2021", "2020"], ["Hull", "3", "4"]]
    pages = [REPORT, more, more, own]
    _, text, _ = read("a.pdf", drawn(*[partial(draw, rows=rows) for rows in pages]))
    tables = [table(page) for page in text.split("\f")[:-1]]
    assert tables == [REPORT, [REPORT[0], *more], [REPORT[0], *more], own]


def test_a_table_of_texts_that_continues_repeats_its_bold_head(read: Read) -> None:
    def draw(canvas: Any, rows: list[list[str]], *, bold: bool) -> None:
        if bold:
            canvas.setFont("Helvetica-Bold", 10)
        rows_at(canvas, rows[:1], (60, 200, 340), top=780)
        canvas.setFont("Helvetica", 10)
        rows_at(canvas, rows[1:], (60, 200, 340), top=766)

    duties = [
        ["Duty", "Person", "Deputy"],
        ["Keys", "Ann Ash", "Ben Bo"],
        ["Post", "Cy Dee", "Eve"],
    ]
    more = [["Boats", "Finn Gale", "Hal"], ["Ropes", "Ida Jay", "Kim"], ["Nets", "Lou", "May"]]
    other = [["Ship", "Master", "Port"], *more]
    pages = [(duties, True), (more, False), (more, False), (other, True)]
    data = drawn(*[partial(draw, rows=rows, bold=bold) for rows, bold in pages])
    _, text, _ = read("a.pdf", data)
    tables = [table(page) for page in text.split("\f")[:-1]]
    assert tables == [duties, [duties[0], *more], [duties[0], *more], other]


def test_currency_and_per_cent_belong_to_their_number(read: Read) -> None:
    def draw(canvas: Any) -> None:
        for number, (name, sign, amount, share) in enumerate(
            [("Fees", "$", "410", "61"), ("Rent", "", "262", "39")]
        ):
            y = 780 - 14 * number
            canvas.drawString(60, y, name)
            canvas.drawString(300, y, sign)
            canvas.drawRightString(345, y, amount)
            canvas.drawRightString(420, y, share)
            canvas.drawString(430, y, "%")

    _, text, _ = read("a.pdf", drawn(draw))
    assert table(text)[1:] == [["Fees", "$410", "61%"], ["Rent", "262", "39%"]]


@pytest.mark.parametrize("sides", [(60, 200, 340), (200,)], ids=["closed", "without outer lines"])
def test_a_ruled_table_keeps_cells_of_several_lines_whole(
    read: Read, sides: tuple[int, ...]
) -> None:
    def draw(canvas: Any) -> None:
        for x in sides:
            canvas.line(x, 700, x, 800)
        for y in (800, 780, 740, 700):
            canvas.line(60, y, 340, y)
        for x, y, words in [
            (64, 787, "Tool"), (204, 787, "Use"),
            (64, 767, "Console"), (204, 767, "A page on which you can"), (204, 754, "manage ships"),
            (64, 727, "Client"), (204, 727, "A program for long or-"), (204, 714, "ders"),
        ]:  # fmt: skip
            canvas.drawString(x, y, words)

    _, text, _ = read("a.pdf", drawn(draw))
    assert table(text) == [
        ["Tool", "Use"],
        ["Console", "A page on which you can manage ships"],
        ["Client", "A program for long orders"],
    ]


def test_a_cell_over_several_rows_is_in_each(read: Read) -> None:
    def draw(canvas: Any) -> None:
        lines_at(canvas, (60, 160, 260), (800, 780))
        for x in (60, 160, 260):
            canvas.line(x, 780, x, 740)
        canvas.line(160, 760, 260, 760)
        canvas.line(60, 740, 260, 740)
        rows_at(canvas, [["Pier", "Crane"], ["North", "C-1"], ["", "C-2"]], (64, 164), 786, 20)

    _, text, _ = read("a.pdf", drawn(draw))
    assert table(text) == [["Pier", "Crane"], ["North", "C-1"], ["North", "C-2"]]


def test_a_frame_around_a_column_hides_none_of_the_table(read: Read) -> None:
    def draw(canvas: Any) -> None:
        rows_at(canvas, REPORT, (60, 300, 380))
        lines_at(canvas, (295, 320, 345), (792, 776, 720))

    _, text, _ = read("a.pdf", drawn(draw))
    assert table(text) == REPORT


def test_rows_of_figures_between_two_lines_stay_rows(read: Read) -> None:
    def draw(canvas: Any) -> None:
        lines_at(canvas, (55, 290, 370, 450), (795, 775, 715))
        rows_at(canvas, [REPORT[0]], (60, 300, 380), 780)
        rows_at(canvas, REPORT[1:], (60, 300, 380), 763)

    _, text, _ = read("a.pdf", drawn(draw))
    assert table(text) == REPORT


@pytest.mark.parametrize("ruled", [False, True])
@pytest.mark.parametrize("angle", [90, 180, 270])
def test_a_table_on_a_page_that_a_viewer_turns(read: Read, angle: int, ruled: bool) -> None:
    def draw(canvas: Any) -> None:
        if angle != 180:
            canvas.setPageSize((842, 595))  # reportlab writes it turned
        canvas.setPageRotation(angle)
        canvas.translate(*{90: (595, 0), 180: (595, 842), 270: (0, 842)}[angle])
        canvas.rotate(angle)
        rows_at(canvas, REPORT, (70, 240, 340), top=460)
        if ruled:
            lines_at(canvas, (60, 230, 330, 430), (472, 456, 442, 428, 414, 400))

    assert table(read("a.pdf", drawn(draw))[1]) == REPORT


def test_one_row_of_figures_below_its_heads_is_a_table(read: Read) -> None:
    rows = [["", "2023", "2022"], ["", "Fees", "Rent"], ["North pier", "12", "8"]]
    _, text, _ = read("a.pdf", drawn(lambda canvas: rows_at(canvas, rows, (60, 300, 380))))
    assert table(text) == [["", "2023 Fees", "2022 Rent"], rows[2]]


def test_the_units_of_a_sentence_above_are_in_the_head(read: Read) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(
            60,
            794,
            "The fees of the harbour, which are paid in May, were as follows (in millions):",
        )
        rows_at(canvas, [["", "2023", "2022"], *REPORT[1:]], (60, 300, 380))

    _, text, _ = read("a.pdf", drawn(draw))
    assert table(text)[0] == ["(in millions):", "2023", "2022"]
    assert text.startswith(
        "The fees of the harbour, which are paid in May, were as follows (in millions):"
    )


def test_items_of_a_list_are_no_rows(read: Read) -> None:
    items = [["o", "Visit the quay"], ["", "on Monday."], ["o", "Ask for 5 ropes."], ["o", "Go."]]
    _, text, _ = read("a.pdf", drawn(lambda canvas: rows_at(canvas, items, (60, 80))))
    assert text.strip() == "o Visit the quay\non Monday.\no Ask for 5 ropes.\no Go."
