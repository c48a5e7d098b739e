"""Columns of prose on PDF pages, and what only looks like them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from hopyard.indexes.documents.readers.pdf import columns
from hopyard.indexes.documents.readers.pdf.places import Word

from ..conftest import Read
from .pdfs import drawn, lines_at, rows_at, table

pytest.importorskip("reportlab")


def test_columns_are_read_one_after_the_other(read: Read) -> None:
    def draw(canvas: Any) -> None:
        for x, side in ((60, "left"), (320, "right")):
            for number in range(6):
                words = f"Line {number} of the {side} column tells about the ropes of"
                canvas.drawString(x, 780 - 13 * number, words)

    _, text, _ = read("a.pdf", drawn(draw))
    sides = [line.split()[4] for line in text.splitlines() if line.startswith("Line")]
    assert sides == ["left"] * 6 + ["right"] * 6


def test_columns_whose_lines_are_not_level_are_read_one_after_the_other(read: Read) -> None:
    def draw(canvas: Any) -> None:
        for number in range(12):
            canvas.drawString(
                320, 780 - 13 * number, f"Line {number} of the right column is about lamps"
            )
        for number in range(8):
            canvas.drawString(
                60, 747 - 13 * number, f"Line {number} of the left column is about ropes"
            )

    _, text, _ = read("a.pdf", drawn(draw))
    sides = [line.split()[4] for line in text.splitlines() if line.startswith("Line")]
    assert sides == ["left"] * 8 + ["right"] * 12


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
