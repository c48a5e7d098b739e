"""Text of PDF pages as people lay them out: columns, turned and odd text, places of words."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.indexes.corpus.boxes import PageText, unpack_boxes
from hopyard.indexes.passages.marks import marks_of
from hopyard.state.errors import CorpusError

from ..conftest import Read
from .pdfs import Draw, drawn, raised, rows_at, table

pytest.importorskip("reportlab")


@pytest.mark.parametrize("dot", [".", ". "])
def test_dots_that_lead_to_a_page_are_left_out(read: Read, dot: str) -> None:
    def draw(canvas: Any) -> None:
        for number, (title, page) in enumerate([("Harbours", "1"), ("Quays", "12")]):
            canvas.drawString(
                60, 780 - 14 * number, f"{title} {dot * (70 if dot == '. ' else 140)}"
            )
            canvas.drawRightString(560, 780 - 14 * number, page)

    content, text, _ = read("a.pdf", drawn(draw))
    assert table(text)[1:] == [["Harbours", "1"], ["Quays", "12"]]
    assert marks_of("| Quays | 12 |", text.strip(), [PageText(1, text, content.boxes[0])])


@pytest.mark.parametrize("angle", [0, 90, 180, 270])
def test_turned_text_is_read_in_its_own_order(read: Read, angle: int) -> None:
    def draw(canvas: Any) -> None:
        canvas.translate(300, 420)
        canvas.rotate(angle)
        canvas.drawString(-200, 20, "The quay is closed on Sundays.")
        canvas.drawString(-200, 4, "Its gate opens at seven.")

    _, text, _ = read("a.pdf", drawn(draw))
    assert text.strip() == "The quay is closed on Sundays.\nIts gate opens at seven."


def test_slanted_text_does_not_mix_with_the_lines_below_it(read: Read) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(60, 500, "The harbour master signs every list.")
        canvas.saveState()
        canvas.translate(60, 400)
        canvas.rotate(45)
        canvas.setFont("Helvetica", 60)
        canvas.drawString(0, 0, "DRAFT")
        canvas.restoreState()

    _, text, _ = read("a.pdf", drawn(draw))
    assert "The harbour master signs every list." in text
    assert "DRAFT" in text


def test_raised_and_lowered_characters(read: Read) -> None:
    runs = [
        ("An area of 5 m", 10, 0), ("2", 6, 4), (", H", 10, 0), ("2", 6, -2), ("O, 10", 10, 0),
        ("-3", 6, 4), (" Pa and a fee of 50", 10, 0), ("1", 6, 4), (".", 10, 0),
    ]  # fmt: skip
    _, text, _ = read("a.pdf", drawn(lambda canvas: raised(canvas, (60, 780), runs)))
    assert text.strip() == "An area of 5 m^2, H2O, 10^-3 Pa and a fee of 50^1."


def test_accents_drawn_over_letters_belong_to_them(read: Read) -> None:
    def draw(canvas: Any) -> None:
        text = canvas.beginText(100, 700)
        text.textLine("it\u00b4s `a`")
        text._code.append(
            r"[(Br) -112 (\250) 445 (oker) -612 (\264) 445 (et) -112 (\264) 445 (e)] TJ"
        )
        canvas.drawText(text)

    assert " ".join(read("a.pdf", drawn(draw))[1].split()) == "it\u00b4s `a` Bröker été"


def test_words_drawn_twice_are_read_once(read: Read) -> None:
    def draw(canvas: Any) -> None:
        for shift in (0, 0.3):
            canvas.drawString(60 + shift, 780, "Bold by a second print, with a book")
        left = 60.0
        for letter in "Crane":
            for shift in (0, 0.2):
                canvas.drawString(left + shift, 740, letter)
            left += canvas.stringWidth(letter, "Helvetica", 10)

    _, text, _ = read("a.pdf", drawn(draw))
    assert text.split("\n\n")[:2] == ["Bold by a second print, with a book", "Crane"]


@pytest.mark.parametrize("shift", [0, 0.4, 0.8, 1.0])
def test_letters_that_throw_a_shadow_are_read_once(read: Read, shift: float) -> None:
    def draw(canvas: Any) -> None:
        left = 60.0
        for letter in "Its office keeps all lists; skiing is free.":
            for moved in (0, shift):
                canvas.drawString(left + moved, 780 - moved, letter)
            left += canvas.stringWidth(letter, "Helvetica", 10)

    assert read("a.pdf", drawn(draw))[1].strip() == "Its office keeps all lists; skiing is free."


def test_a_line_drawn_again_in_other_pieces_is_counted(read: Read) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(60, 780, "Invoice number 4471 of May")
        left = 60.4
        for piece in ("Inv", "oice num", "ber 44", "71 of M", "ay"):
            canvas.drawString(left, 780, piece)
            left += canvas.stringWidth(piece, "Helvetica", 10)

    assert read("a.pdf", drawn(draw))[1].strip() == "Invoice number 4471 of May"


def test_letters_with_space_between_are_one_word_and_words_stay_apart(read: Read) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(60, 780, "INVOICE of May", charSpace=0.8)
        left = 60.0
        for word in ("no", "space", "was", "written"):  # the words are only moved
            canvas.drawString(left, 740, word)
            left += canvas.stringWidth(word, "Helvetica", 10) + 2.6

    _, text, _ = read("a.pdf", drawn(draw))
    assert text.split("\n\n")[:2] == ["INVOICE of May", "no space was written"]


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (["the har-", "bour of Ny-", "Ålesund"], "the harbour of Ny-\nÅlesund"),
        (["a price-determining part", "is price-", "determining"],
         "a price-determining part\nis price-determining"),
        (["one- and two-", "sided, one-", "and all-in-", "one"],
         "one- and twosided, one-\nand all-in-one"),
        (["all-in-one is all-in-", "one for Ein-", "und Ausgang"],
         "all-in-one is all-in-one for Ein-\nund Ausgang"),
    ],
)  # fmt: skip
def test_a_word_divided_at_the_end_of_a_line_is_whole(
    read: Read, rows: list[str], text: str
) -> None:
    def draw(canvas: Any) -> None:
        rows_at(canvas, [[row] for row in rows], (60,), 780, 13)

    assert read("a.pdf", drawn(draw))[1].strip() == text


def test_values_of_a_form_stand_beside_their_labels(read: Read) -> None:
    def draw(canvas: Any) -> None:
        form = canvas.acroForm
        canvas.drawString(60, 780, "Name of the tenant:")
        form.textfield(name="tenant", value="Ada Birch", x=180, y=774, width=120, height=16)
        canvas.drawString(60, 740, "Pets:")
        form.checkbox(name="pets", checked=True, x=180, y=736, size=14)
        canvas.drawString(60, 700, "Car:")
        form.checkbox(name="car", checked=False, x=180, y=696, size=14)

    _, text, _ = read("a.pdf", drawn(draw))
    assert text.split("\n\n")[:3] == ["Name of the tenant: Ada Birch", "Pets: [x]", "Car: [ ]"]


def test_a_password_is_named(read: Read) -> None:
    data = drawn(lambda canvas: canvas.drawString(60, 780, "Secret"), encrypt="quay")
    with pytest.raises(CorpusError, match="it is protected by a password"):
        read("a.pdf", data)


@pytest.mark.parametrize(
    ("top", "bottom"),
    [
        ("Harbour handbook", "Page {n} of 9"),
        ("", "- {n} -"),
        ("Handbook for masters and mates", "Seite {n}"),
        ("{n}", ""),
    ],
)
def test_running_lines_go_with_the_number_of_the_page(read: Read, top: str, bottom: str) -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Any) -> None:
            canvas.drawString(60, 810, top.format(n=number + 4))
            for row, name in enumerate(("rope", "hook", "lamp", "winch")):
                canvas.drawString(60, 780 - 14 * row, f"The {name} of berth {number} is new.")
            canvas.drawString(60, 40, bottom.format(n=number + 4))

        return draw

    _, text, _ = read("a.pdf", drawn(*map(page, range(4))))
    assert text.replace("\f", "").split("\n\n")[:4] == [
        "\n".join(f"The {name} of berth {n} is new." for name in ("rope", "hook", "lamp", "winch"))
        for n in range(4)
    ]


@pytest.mark.parametrize("line", ["Invoice No. {n}", "Week {n}", "Opening balance: {n}.10"])
def test_a_line_whose_number_is_its_content_stays(read: Read, line: str) -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Any) -> None:
            for row, words in enumerate((line.format(n=number), "a", "b", "c", "d")):
                canvas.drawString(60, 800 - 14 * row, words)

        return draw

    _, text, _ = read("a.pdf", drawn(*map(page, range(1, 6))))
    assert all(line.format(n=number) in text for number in range(1, 6))


@pytest.mark.parametrize(
    ("turn", "side", "share"), [(0, 0, 0.2), (90, 1, 0.2), (180, 2, 0.8), (270, 3, 0.8)]
)
def test_the_place_of_a_word_is_where_a_viewer_shows_it(
    read: Read, turn: int, side: int, share: float
) -> None:
    def draw(canvas: Any) -> None:
        width, height = (842, 595) if turn % 180 else (595, 842)  # reportlab turns the page back
        canvas.drawString(width / 5, height / 2, "quay")
        canvas.setPageRotation(turn)

    content, _, _ = read("a.pdf", drawn(draw))
    [box] = unpack_boxes(content.boxes[0]).boxes
    assert box[side] == pytest.approx(share, abs=0.001)
    across = 1 - side % 2
    assert box[across] < 0.5 < box[across + 2] < box[across] + 0.03


@pytest.mark.parametrize(
    ("quote", "lines"),
    [
        ("harbour is wide", [(60, 780), (60, 767)]),
        ("| Cranes | 7 |", [(60, 726), (300, 726)]),
        ("50^1", [(60, 600)]),
    ],
)
def test_a_quote_is_found_where_its_words_were_drawn(
    read: Read, quote: str, lines: list[tuple[int, int]]
) -> None:
    def draw(canvas: Any) -> None:
        rows_at(canvas, [["har-"], ["bour is wide"]], (60,), 780, 13)
        rows_at(canvas, [["", "Fee"], ["Ferries", "5"], ["Cranes", "7"]], (60, 300), 754)
        raised(canvas, (60, 600), [("50", 10, 0), ("1", 6, 4)])

    content, text, _ = read("a.pdf", drawn(draw))
    [mark] = marks_of(quote, text.strip(), [PageText(1, text, content.boxes[0])])
    for box, (left, foot) in zip(mark.boxes, lines, strict=True):
        assert box[0] * 595 - left == pytest.approx(0, abs=1) or left == 300
        assert box[1] < 1 - foot / 842 < box[3]


def test_the_mark_of_a_footnote_after_a_full_stop_is_no_number(read: Read) -> None:
    runs = [
        ("Half was dry.", 10, 0),
        ("45", 6, 4),
        (" Then it rained.", 10, 0),
    ]  # fmt: skip
    _, text, _ = read("a.pdf", drawn(lambda canvas: raised(canvas, (60, 780), runs)))
    assert text.strip() == "Half was dry.^45 Then it rained."


def test_a_tall_sign_draws_no_other_line_into_its_own(read: Read) -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(60, 780, "The rule says that one side is larger")
        canvas.drawString(60, 768, "than the other side of the whole sum.")
        canvas.setFont("Helvetica", 19)
        canvas.drawString(300, 774, "&")

    _, text, _ = read("a.pdf", drawn(draw))
    assert "than the other side of the whole sum." in text.splitlines()
