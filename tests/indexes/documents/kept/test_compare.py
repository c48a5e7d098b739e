"""Two multisets of words: what is lost, what is gained, what is only written in another way."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from hopyard.indexes.documents.kept.compare import OTHER, FileWords, compare
from hopyard.indexes.documents.kept.words import digits_of, numbers_in, words_of
from hopyard.indexes.documents.readers.base import LeftOut

from ..zips import saved
from .conftest import Compared


def file(*texts: str, **places: str) -> FileWords:
    found = FileWords()
    for text in texts:
        found.text(text)
    for place, text in places.items():
        found.text(text, place.replace("_", " "))
    return found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tap WATER", "tap water"),
        ("ﬁnal cafe\u0301", "final café"),
        ("10^6 cells", "106 cells"),
        ("x² and H₂O", "x2 and H2O"),
        ("| a \\| b |\n| --- |", "a b"),
        ("- [x] **R**ope", "Rope"),
        ("exam-\nple", "example"),
        ("exam\u00adple", "example"),
        ("well-known", "well-\n known"),
        ("snake_case", "snake\\_case"),
        ("שלום", "םולש"),  # backwards
        ("東京\n駅", "東京駅"),
        ("แมวดำ", "แมว ดำ"),
    ],
)
def test_words_that_are_the_same(one: str, other: str) -> None:
    assert words_of(one) == words_of(other)


@pytest.mark.parametrize(
    ("one", "other"), [("100", "10"), ("no tap", "notap"), ("3.5", "35"), ("a b", "a c")]
)
def test_words_that_are_not(one: str, other: str) -> None:
    assert words_of(one) != words_of(other)


def test_lost_words_are_counted_with_their_places() -> None:
    found = file("one two three four five", text_box="six seven", comment="eight", page_3="nine")
    found.text("ten eleven", "text box")
    kept = compare(found, ["one two three", "four five nine"])
    assert (kept.words, kept.lost, kept.gained) == (11, 5, 0)
    assert str(kept) == "kept 54 % of the words; not read: 2 text boxes, 1 comment"
    assert kept.share == pytest.approx(6 / 11)
    assert not kept.is_whole


def test_pages_are_named_by_their_numbers() -> None:
    pages = {f"page_{number}": f"word{number}" for number in range(2, 9)}
    assert compare(file("a", **pages), ["a"]).places == ("pages 2, 3, 4, 5, 6 …",)


def test_words_without_a_place_are_shown() -> None:
    kept = compare(file("alpha beta gamma"), ["gamma"])
    assert str(kept) == 'kept 33 % of the words; not read: words such as "alpha", "beta"'


def test_a_word_counts_as_often_as_it_is_there() -> None:
    assert compare(file("tea tea tea milk"), ["tea milk"]).lost == 2
    kept = compare(file("tea milk salt"), ["tea tea milk tea salt"])
    assert str(kept) == 'kept 100 % of the words; 2 words not in the file, such as "tea"'


@pytest.mark.parametrize(
    ("said", "text", "gained"),
    [
        (
            "fee rope 5 bolt 6",
            "| fee |\n| --- |\n| rope | 5 |\n\n| fee |\n| --- |\n| bolt | 6 |",
            0,
        ),
        ("rope steel 5 6", "| rope | steel | 5 |\n| rope | steel | 6 |", 0),  # merged cells
        ("rope 5", "| rope | rope | 5 |", 0),
        ("rope steel 5 6", "| rope | steel | 5 |\n| bolt | rope steel | 6 |", 3),
        ("rope 5 bolt 6", "| rope | 5 |\n| bolt | 6 |\n\n| rope | 5 |\n| bolt | 6 |", 2),
        ("quay it opens", "# quay\n\nit opens\n\n# quay\n\nit opens", 2),
    ],
)
def test_a_text_that_is_read_twice_is_no_head_and_no_merged_cell(
    said: str, text: str, gained: int
) -> None:
    assert compare(file(said), [text]).gained == gained


def test_words_that_are_not_in_the_file_are_gained() -> None:
    kept = compare(file("total 987654321.98"), ["total 987654322"])
    assert (kept.lost, kept.gained) == (2, 1)
    kept = compare(file(" ".join(f"w{number}" for number in range(20)), "x"), ["w1"])
    assert not kept.is_whole
    kept = compare(file("one two"), ["one two three"])
    assert str(kept) == 'kept 100 % of the words; 1 word not in the file, such as "three"'
    kept = compare(file("One item."), ["iv) One item.\n\nComment: 2. a"])
    assert kept.gained == 0  # numbers of lists and labels


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("T otal of the month", "Total of the month"),
        ("F e b r u a r y 16", "February 16"),
        ("nowhere", "no where"),
        ("feb f e b r u a r y", "feb february"),
        ("gate wayto the way", "gateway to the way"),
        ("HHeeaaddiinngg one", "Heading one"),
    ],
)
def test_a_word_that_is_divided_otherwise_is_neither_lost_nor_gained(said: str, text: str) -> None:
    kept = compare(file(said), [text])
    assert (kept.lost, kept.gained) == (0, 0)


def test_title_and_metadata_keep_words() -> None:
    assert compare(file("Fares 2026 adults pay"), ["adults pay"], "Fares 2026").lost == 0


def test_what_is_left_out_on_purpose_counts_neither_as_kept_nor_as_lost() -> None:
    menu = LeftOut("menu", "home shop")
    kept = compare(file("home shop tea milk"), ["tea"], left_out=[menu, menu])
    assert (kept.words, kept.lost) == (2, 1)
    assert kept.left_out == (LeftOut("menu", "home shop", 2),)
    assert kept.left_out_counts == {"menu": 2}


def test_left_out_words_hide_no_others() -> None:
    running = LeftOut("running line", "annual report")
    assert (
        compare(file("annual report", page_2="annual report"), [""], left_out=[running]).lost == 2
    )


@pytest.mark.parametrize(
    ("number", "shown", "lost"),
    [
        (0.075, "7.50%", 0),
        (1234.5, "$1,234.50", 0),
        (2500000, "2.5M", 0),
        (1 / 3, "0.3", 0),
        (-12.5, "(12.50)", 0),
        (0, "0", 0),
        (1e-7, "0.0000001", 0),
        (0.1 + 0.2, "0.3", 0),
        (987654321.98, "987654321", 1),
        (41, "14", 1),
    ],
)
def test_numbers_of_cells_in_the_form_that_is_shown(number: float, shown: str, lost: int) -> None:
    found = FileWords()
    found.number(number)
    assert compare(found, [shown]).lost == lost


def test_digits() -> None:
    assert numbers_in("1,234.50 and 7.5e3 or 0") == {"12345": 1, "75": 1, "": 1}
    assert (digits_of(0.00012), digits_of(1.5e20), digits_of(300)) == ("12", "15", "3")


def test_letters_that_are_not_known_are_not_compared() -> None:
    kept = compare(file(f"caf{OTHER} bar"), ["café bar"])
    assert (kept.words, kept.lost, kept.gained) == (1, 0, 0)


def test_words_that_a_file_may_repeat() -> None:
    found = FileWords()
    found.once("name name", "header")
    found.once("name")
    found.name("id")
    kept = compare(found, ["name id"])
    assert (kept.words, kept.lost, kept.gained) == (1, 0, 0)


def test_a_mail_of_outlook_is_compared(compared: Compared, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path(__file__).parents[4] / "examples" / "office"
    monkeypatch.syspath_prepend(str(folder))
    made = runpy.run_path(str(folder / "papers.py"))
    data = made["msg"]("Bowls", "Ilse", "ilse@tamm.example", "Your seven bowls are ready.")
    whole, less = compared("a.msg", data).kept, compared("a.msg", data, without="seven").kept
    assert whole is not None
    assert less is not None
    assert (whole.words, whole.lost, less.lost) == (5, 0, 1)


LARGE_XML = """<?xml version="1.0"?><!-- no --><list kind="quay fees"><item>Toll &amp; rope
</item><item>eight<b>een</b></item><page>&lt;p&gt;Dry pier&lt;/p&gt;</page></list>"""


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", b'{"fee": "seven euros", "kind": "toll"}'),
        ("a.csv", b"fee;seven\ntoll;eighteen\n" * 50),
        ("a.csv", "fee;seven\ntoll;Möwe\n".encode("cp1252")),
        ("a.tsv", "fee\tseven\ntoll\teighteen\n".encode("utf-16")),
        ("a.md", b"---\ntoll: 3\n---\n# Fees\n\nSeven.\n"),
        ("a.xml", LARGE_XML.encode()),
        ("a.xlsx", None),
    ],
)
def test_a_large_file_is_compared_in_parts(
    compared: Compared, monkeypatch: pytest.MonkeyPatch, name: str, data: bytes | None
) -> None:
    if data is None:
        openpyxl = pytest.importorskip("openpyxl")
        book = openpyxl.Workbook()
        book.active.append(["fee", "toll"])
        book.active.append(["seven euros", 987654321.98])
        data = saved(book)
    monkeypatch.setattr("hopyard.indexes.documents.kept.table._LARGEST", 10)
    if name != "a.xml":  # a word may have tags within it
        monkeypatch.setattr("hopyard.indexes.documents.kept.streams._BLOCK", 7)
    reading = compared(name, data)
    if reading.kept is not None:  # else it is its file, byte for byte
        assert (reading.kept.lost, reading.kept.gained) == (0, 0), str(reading.kept)
    less = compared(name, data, without="even").kept
    assert less is not None
    assert less.lost == (0 if name == "a.xml" else data.count(b"even") or 1)


def test_words_that_a_large_file_loses_are_shown(
    compared: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.documents.kept.table._LARGEST", 10)
    data = b"fee;seven\ntoll;eighteen\n"
    kept = compared("a.csv", data, without="seven").kept
    assert str(kept) == 'kept 75 % of the words; not read: words such as "seven"'


def test_letters_that_are_drawn_twice_are_no_other_words() -> None:
    kept = compare(
        file("the offiice keeps allll lliists, number 1100"), ["the office keeps all lists, 100"]
    )
    assert (kept.lost, kept.gained, kept.examples) == (2, 0, ("number", "1100"))
