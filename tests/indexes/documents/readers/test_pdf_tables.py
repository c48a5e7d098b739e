"""Tables of PDF pages as people lay them out, with and without lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from hopyard.indexes.documents.readers.pdf import columns
from hopyard.indexes.documents.readers.pdf.places import Word

from .conftest import Read
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


def test_a_table_that_continues_repeats_its_head(read: Read) -> None:
    more = [["Tugs", "5", "6"], ["Docks", "7", "8"]]
    data = drawn(
        lambda canvas: rows_at(canvas, REPORT, (60, 300, 380)),
        lambda canvas: rows_at(canvas, more, (60, 300, 380)),
    )
    _, text, _ = read("a.pdf", data)
    first, second, _ = text.split("\f")
    assert table(first) == REPORT
    assert table(second) == [REPORT[0], *more]


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


def test_prose_beside_a_ruled_table_is_none_of_its_columns(read: Read) -> None:
    def draw(canvas: Any) -> None:
        lines_at(canvas, (60, 150, 240), tuple(range(790, 700, -14)))
        rows_at(
            canvas,
            [["Year", "Barns"], *([str(y), str(y - 1800)] for y in range(1850, 1855))],
            (64, 154),
            780,
        )
        for number in range(8):
            canvas.drawString(
                300, 780 - 13 * number, f"In line {number} the county was a land of farms and"
            )

    _, text, _ = read("a.pdf", drawn(draw))
    assert table(text)[:2] == [["Year", "Barns"], ["1850", "50"]]
    assert [line for line in text.splitlines() if "county" in line] == [
        f"In line {number} the county was a land of farms and" for number in range(8)
    ]


@pytest.mark.parametrize("count", [3, 4])
def test_narrow_columns_of_prose_are_no_table(read: Read, count: int) -> None:
    from reportlab.pdfbase.pdfmetrics import stringWidth

    prose = (
        "Masters report their draught before they enter the outer harbour. The pilot decides where "
        "each ship lies and how long the tide lets her stay, and the agent of the owner pays the "
        "fees that are due for the crane, the mooring and the water on the first day of the month."
    )
    words = prose.split()
    width = 500 / count - 14
    columns: list[list[str]] = [[] for _ in range(count)]
    for number, column in enumerate(columns):
        line = ""
        for word in words[number:]:
            if stringWidth(f"{line} {word}", "Helvetica", 12) > width:
                column.append(line)
                line = ""
            line = f"{line} {word}".strip()

    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 12)
        for row, texts in enumerate(zip(*columns, strict=False)):
            for number, text in enumerate(texts):
                canvas.drawString(40 + number * (width + 14), 780 - 15 * row, text)

    least = min(map(len, columns))
    _, text, _ = read("a.pdf", drawn(draw))
    assert " ".join(text.split()) == " ".join(" ".join(column[:least]) for column in columns)


def test_a_table_of_small_words_is_no_prose(read: Read) -> None:
    lines = "level,effect,use very-low,none,for-all low,some-heat,at-home middle,smoke,not-inside"
    lines += " high,fire,never very-high,harm,never"
    rows = [line.replace("-", " ").split(",") for line in lines.split(" ")]
    _, text, _ = read("a.pdf", drawn(lambda canvas: rows_at(canvas, rows, (40, 140, 240))))
    assert table(text) == rows


def test_two_columns_of_short_labels_are_a_table(read: Read) -> None:
    pairs = [
        ("harbour pilot", "steers visiting ships"),
        ("mooring line", "holds moored ships"),
        ("inner basin", "shelters small boats"),
        ("slack water", "the tide stands"),
        ("outer mole", "breaks the swell"),
    ]

    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 12)
        for row, (label, meaning) in enumerate(pairs):
            canvas.drawString(40, 780 - 15 * row, label)
            canvas.drawString(160, 780 - 15 * row, meaning)

    text = read("a.pdf", drawn(draw))[1]
    assert all(f"| {label} | {meaning} |" in text for label, meaning in pairs)


NEWS = (
    "The brewery opened when the river still froze each winter and the ice was cut in blocks for "
    "the cellars. Today the cellars are cooled by pumps, but the walls are the same. Visitors walk "
    "through them every Saturday. A guide tells the story of the founder, who never drank beer.",
    "Hops grow on poles that are eight metres high. In spring the farmers lead the young shoots "
    "around the wires, because they follow the sun. By midsummer the plants have reached the top. "
    "The harvest lasts three weeks, and the cones are dried within hours, for wet cones spoil.",
    "Water is the largest part of every beer, and the least noticed. Soft water suits pale lagers, "
    "hard water the dark ales of old ports. In dry summers the town limits what the brewery may "
    "draw from its wells, so the washing water is used twice. A tank holds the rain of a month.",
    "The new bottling hall runs without a single belt of rubber. Magnets carry the crates, which "
    "makes it so quiet that visitors hear the caps. Forty people used to work here. The others "
    "learned to plan routes, or to repair the machines, and nobody was sent away by the owners.",
)


@pytest.mark.parametrize("offsets", [(0, 3, 6, 0), (0, 5, 0, 5)])
def test_four_columns_that_are_not_level_are_read_one_after_the_other(
    read: Read, offsets: tuple[int, ...]
) -> None:
    from reportlab.lib.utils import simpleSplit

    def draw(canvas: Any) -> None:
        for number, (text, offset) in enumerate(zip(NEWS, offsets, strict=True)):
            for row, line in enumerate(simpleSplit(text, "Helvetica", 10, 115)):
                canvas.drawString(50 + 127 * number, 780 - offset - 12 * row, line)

    text = read("a.pdf", drawn(draw))[1]
    assert " ".join(text.split()) == " ".join(NEWS)


def test_many_columns_that_are_not_level_cost_bounded_work(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_prose, asked = columns.is_prose, list[int]()

    def told(side: Sequence[Sequence[Word]]) -> bool:
        asked.append(len(side))
        return is_prose(side)

    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 8)
        for column in range(14):
            for row in range(12):
                canvas.drawString(20 + 40 * column, 780 - 12 * row - 5 * (column % 2), "Oats")

    monkeypatch.setattr(columns, "is_prose", told)
    text = read("a.pdf", drawn(draw))[1]
    assert text.count("Oats") == 14 * 12
    assert len(asked) < 500


def test_two_columns_of_three_lines_are_no_table(read: Read) -> None:
    sides = (
        ["We sell fresh bread", "and cakes made by hand", "from local flour."],
        ["They bring milk to", "your door twice a week,", "even on holidays."],
    )
    rows = [list(row) for row in zip(*sides, strict=True)]
    text = read("a.pdf", drawn(lambda canvas: rows_at(canvas, rows, (50, 180))))[1]
    assert " ".join(text.split()) == " ".join(" ".join(side) for side in sides)


def test_a_column_keeps_the_heading_above_it(read: Read) -> None:
    sides = (
        ["Fresh bread", "Our baker starts at four, so the", "rolls are warm at seven. On",
         "Sundays we open at eight, and", "on Mondays we are closed."],
        ["Milk and eggs", "They come from the farm at the", "bridge. Please bring the empty",
         "bottles back to the shop, for", "we pay for each of them."],
    )  # fmt: skip
    rows = [list(row) for row in zip(*sides, strict=True)]
    text = read("a.pdf", drawn(lambda canvas: rows_at(canvas, rows, (50, 320))))[1]
    assert " ".join(text.split()) == " ".join(" ".join(side) for side in sides)


def test_paragraphs_below_headings_that_are_level_are_no_cells(read: Read) -> None:
    sides = (
        ["The ledger names each of the", "barges that came up the river",
         "in spring. Half of the grain", "was sold before the summer.",
         "The tax on it was low, as the", "harbour was poor."],
        ["Masons worked on the bridge", "until the frost, when mortar",
         "does not set. Copper for the", "roof came late in the year.",
         "It was paid for in advance by", "the town itself."],
    )  # fmt: skip

    def draw(canvas: Any) -> None:
        canvas.setFont("Helvetica", 13)
        rows_at(canvas, [["The ledger", "The bridge"]], (50, 260), 800)
        canvas.setFont("Helvetica", 10)
        rows_at(canvas, [list(row) for row in zip(*sides, strict=True)], (50, 260), 780)

    text = read("a.pdf", drawn(draw))[1]
    named = zip(("# The ledger", "# The bridge"), sides, strict=True)
    assert " ".join(text.split()) == " ".join(f"{head} {' '.join(side)}" for head, side in named)


def test_sentences_that_begin_in_the_same_lines_are_cells(read: Read) -> None:
    rows = [
        ["Suppliers may fail for months,", "We keep two suppliers for each part"],
        ["and parts may come late.", "and stock for a quarter of a year."],
        ["Prices of energy may rise", "Contracts fix half of our use for the"],
        ["again in the next winter.", "next three years at the old price."],
        ["Key people may leave us", "Each post has a deputy who knows"],
        ["for a larger brewery.", "the work and has done it before."],
    ]
    _, text, _ = read("a.pdf", drawn(lambda canvas: rows_at(canvas, rows, (50, 260))))
    assert table(text) == rows
