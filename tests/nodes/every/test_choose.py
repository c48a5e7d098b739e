"""Which passages are read, and in which groups."""

from __future__ import annotations

from dataclasses import replace

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.every.choose import document_lines, grouped, selected


def passage(document: str, position: int) -> Passage:
    name = f"{document}#{position}"
    return Passage(name, document, position, document.upper(), f"Text {name}.", "", 3)


PASSAGES = [
    passage(*place) for place in [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("b", 1), ("c", 0)]
]
ALL = [passage.id for passage in PASSAGES]
LENGTHS = dict.fromkeys(ALL, 10)


def ids(passages: list[Passage]) -> list[str]:
    return [passage.id for passage in passages]


def test_all_passages_are_read_if_they_fit() -> None:
    assert ids(selected(PASSAGES, LENGTHS, {}, 60)) == ALL


def test_the_best_passage_of_each_document_is_read_first() -> None:
    ranks = {"a#2": 0, "a#1": 1, "a#0": 2, "b#1": 3, "c#0": 4, "b#0": 5}
    assert ids(selected(PASSAGES, LENGTHS, ranks, 30)) == ["a#2", "b#1", "c#0"]
    assert ids(selected(PASSAGES, LENGTHS, ranks, 49)) == ["a#1", "a#2", "b#1", "c#0"]
    assert ids(selected(PASSAGES, LENGTHS, ranks, 20)) == ["a#2", "b#1"]


def test_what_the_search_did_not_find_comes_last() -> None:
    assert ids(selected(PASSAGES, LENGTHS, {"b#1": 0}, 10)) == ["b#1"]
    assert ids(selected(PASSAGES, {**LENGTHS, "b#1": 99}, {"b#1": 0}, 20)) == ["a#0", "c#0"]


def test_a_document_is_divided_only_if_it_is_longer_than_a_group() -> None:
    assert grouped(PASSAGES, LENGTHS, 30) == [ALL[:3], ALL[3:]]
    assert grouped(PASSAGES, LENGTHS, 40) == [ALL[:3], ALL[3:]]
    assert grouped(PASSAGES, LENGTHS, 20) == [ALL[:2], ["a#2"], ["b#0", "b#1"], ["c#0"]]
    assert grouped(PASSAGES, LENGTHS, 1) == [[name] for name in ALL]


def test_a_passage_that_continues_the_last_does_not_repeat_its_heading() -> None:
    shown = [
        PASSAGES[0],
        replace(PASSAGES[1], section="Cargo", pages="2"),
        PASSAGES[3],
        PASSAGES[1],
    ]
    assert document_lines(shown) == (
        "[1] A: Text a#0.\n[2] continues [1], Cargo, page 2: Text a#1.\n[3] B: Text b#0.\n"
        "[4] A: Text a#1."
    )
