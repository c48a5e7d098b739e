"""What the entity graph's rules find in a passage."""

from __future__ import annotations

from dataclasses import replace

from hopyard.indexes.kinds.entity_graph.extraction import NOWHERE, Extraction, Mention
from hopyard.indexes.kinds.entity_graph.rules import extract
from hopyard.indexes.records import Passage


def passage(title: str, text: str) -> Passage:
    return Passage("p", "d", 0, title, text, "hash", 1)


def mentions(title: str, text: str) -> list[tuple[str, int]]:
    found = extract(passage(title, text), "en")
    assert not found.facts
    return [(mention.name, mention.sentence) for mention in found.mentions]


def test_title_with_and_without_its_qualifier_then_the_names_of_each_sentence() -> None:
    assert mentions(
        "Mercury (planet)", "It orbits the Sun.\n\nMercury is near Venus. No name."
    ) == [
        ("Mercury (planet)", NOWHERE),
        ("Mercury", NOWHERE),
        ("Sun", 0),
        ("Mercury", 1),
        ("Venus", 1),
    ]


def test_a_name_counts_as_often_as_it_occurs() -> None:
    assert mentions("", "We saw Ann, and Ann saw us.") == [("Ann", 0), ("Ann", 0)]


def test_a_headline_has_names_inside_it() -> None:
    title = "Why the new mayor of Green Bay is not fond of Ann Lee"
    assert mentions(title, "") == [(title, NOWHERE), ("Green Bay", NOWHERE), ("Ann Lee", NOWHERE)]
    assert mentions("Ann Lee of Green Bay", "") == [("Ann Lee of Green Bay", NOWHERE)]


def test_only_title_and_text_give_names() -> None:
    shared = {"author": "Ann Lee"}
    found = replace(passage("", "nothing"), section="Ann Lee", header="Ann Lee", metadata=shared)
    assert extract(found, "en") == Extraction()


def test_korean_titles_are_found_with_their_particles() -> None:
    found = extract(passage("이순신", "이순신은 장군이다."), "ko")
    assert found.mentions == (Mention(name="이순신"), Mention(name="이순신", sentence=0))
