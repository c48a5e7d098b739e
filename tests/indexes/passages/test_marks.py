"""Quotes on the pages of a document, with words at places that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from hopyard.indexes.corpus.boxes import PageText, pack_boxes, unpack_boxes, without_space
from hopyard.indexes.passages.marks import Mark, marks_of

WIDTH, HEIGHT = 1 / 16, 1 / 32


def page(number: int, text: str, lines: list[str]) -> PageText:
    """A page whose words are a sixteenth wide, with half of that between, line below line."""
    flat, place = without_space(text), 0
    starts, ends, boxes = [], [], []
    for row, line in enumerate(lines):
        for column, word in enumerate(line.split()):
            shown = word if word in flat else word.rstrip("-")
            place = flat.index(shown, place)
            starts.append(place)
            place += len(shown)
            ends.append(place)
            left, top = 1.5 * WIDTH * column, row * 2 * HEIGHT
            boxes.append((left, top, left + WIDTH, top + HEIGHT))
    return PageText(number, text, pack_boxes(starts, ends, np.array(boxes)))


def box(row: int, first: int, last: int) -> tuple[float, float, float, float]:
    return (1.5 * WIDTH * first, row * 2 * HEIGHT, 1.5 * WIDTH * last + WIDTH,
            row * 2 * HEIGHT + HEIGHT)  # fmt: skip


PROSE = page(
    4, "The pier was\nbuilt of harbour oak.\n\n", ["The pier was", "built of har- bour oak."]
)


def test_boxes_are_packed_without_loss() -> None:
    sides = np.array([(0, 0.5, 0.25, 1), (0.75, 0, 1, 0.125), (0, 0, 0.5, 0.5)])
    words = unpack_boxes(pack_boxes([0, 9, 9], [9, 12, 10], sides))
    assert words.starts.tolist() == [0, 9, 9]
    assert words.ends.tolist() == [9, 12, 10]
    assert words.boxes.tolist() == sides.tolist()
    assert not len(unpack_boxes(b"").starts)


@pytest.mark.parametrize(
    ("quote", "boxes"),
    [
        ("pier was", (box(0, 1, 2),)),
        ("was built", (box(0, 2, 2), box(1, 0, 0))),
        ("of  harbour", (box(1, 1, 3),)),
        ("arbour", (box(1, 2, 3),)),
    ],
)
def test_the_words_of_each_line_have_a_box(quote: str, boxes: tuple[object, ...]) -> None:
    assert marks_of(quote, PROSE.text.strip(), [PROSE]) == [Mark(4, boxes)]


def test_a_quote_over_two_pages_has_a_mark_on_each() -> None:
    pages = [page(1, "It is\n\n", ["It is"]), page(2, "late.\n\n", ["late."])]
    assert marks_of("is late.", "It is\n\n\n\nlate.", pages) == [
        Mark(1, (box(0, 1, 1),)),
        Mark(2, (box(0, 0, 0),)),
    ]


def test_the_occurrence_in_the_passage_is_marked() -> None:
    twice = page(1, "Fee: 5\n\nRent: 5\n\n", ["Fee: 5", "Rent: 5"])
    assert marks_of("5", "Rent: 5", [twice]) == [Mark(1, (box(1, 1, 1),))]


ROWS = "| Pier | Fee |\n|---|---|\n| North | 12 |\n| South | 9 |\n\n"
TABLE = page(1, ROWS, ["Pier Fee", "North 12", "South 9"])


def test_a_row_is_marked_below_a_copy_of_its_head() -> None:
    passage = "| Pier | Fee |\n|---|---|\n| South | 9 |"
    row = [Mark(1, (box(2, 0, 1),))]
    assert marks_of("| South | 9 |", passage, [TABLE]) == row
    assert marks_of("Pier: South · Fee: 9", passage, [TABLE]) == row
    assert marks_of("| Pier | Fee |", passage, [TABLE]) == [Mark(1, (box(0, 0, 1),))]


def test_a_heading_between_two_paragraphs_does_no_harm() -> None:
    text = "It rained.\n\n## Notes\n\nIt was cold.\n\n"
    found = page(1, text, ["It rained.", "Notes", "It was cold."])
    marks = marks_of("was cold.", "It rained.\n\nIt was cold.", [found])
    assert marks == [Mark(1, (box(2, 1, 2),))]


@pytest.mark.parametrize("quote", ["", "the moon", "pier is"])
def test_what_is_not_in_the_passage_has_no_mark(quote: str) -> None:
    assert marks_of(quote, PROSE.text.strip(), [PROSE]) == []


def test_a_quote_with_a_word_without_a_place_has_no_mark() -> None:
    half = page(1, "Comment: too high", ["too high"])
    assert marks_of("too high", half.text, [half]) == [Mark(1, (box(0, 0, 1),))]
    assert marks_of("Comment: too", half.text, [half]) == []
    assert marks_of("too high", half.text, [half._replace(boxes=b"")]) == []
