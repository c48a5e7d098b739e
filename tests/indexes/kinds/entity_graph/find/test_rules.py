"""What the entity graph's rules find in a passage."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE, Extraction, Mention
from hopyard.indexes.kinds.entity_graph.find.rules import extract, rules_for


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


@pytest.mark.parametrize(
    "title",
    [
        "Why the new mayor of Green Bay is not fond of Ann Lee",
        "All rents in Green Bay stay firm, says Ann Lee",
        "Green Bay isn't fond of Ann Lee",
        "Is Green Bay fond of Ann Lee?",
    ],
)
def test_a_headline_is_no_name_and_has_names_inside_it(title: str) -> None:
    assert mentions(title, "") == [("Green Bay", NOWHERE), ("Ann Lee", NOWHERE)]


@pytest.mark.parametrize(
    "title",
    [
        "Ann Lee of Green Bay",
        "Rail strikes of Green Bay and Oslo",
        "Ann Lee 3: Summer Vacation",
        "Photosynthesis",
        "Life Is Beautiful",
    ],
)
def test_a_short_title_is_a_name(title: str) -> None:
    assert mentions(title, "") == [(title, NOWHERE)]


def test_a_long_title_is_a_name_where_the_text_uses_it() -> None:
    title = "Who Framed Roger Rabbit?"
    assert mentions(title, "") == []
    assert mentions(title, f"{title} is a film.") == [(title, NOWHERE), (title, 0)]


def test_the_first_words_of_a_page_are_no_name() -> None:
    title = "About the lynx Where is the lynx? What"
    assert mentions(title, f"{title} does the lynx eat? We saw Ann Lee.") == [("Ann Lee", 2)]


def test_a_headline_in_title_case_has_the_names_of_its_text() -> None:
    title = "Mayor Ann Lee Could Help Green Bay Come a Step Closer to Gold"
    assert mentions(title, "") == []
    text = "The mayor, Ann Lee, is content."
    assert mentions("Could Ann Lee Help?", text) == [("Ann Lee", 0)]


def test_a_heading_names_what_the_text_names() -> None:
    text = "## Data Retention Policy\n\nThe Audit Board keeps files.\n\n## Audit Board\n\nIt meets."
    assert mentions("", text) == [("Audit Board", 1), ("Audit Board", 2)]


def test_characters_of_html_are_read_as_they_are_meant() -> None:
    text = "It rains &amp; snows. Then Ann O&#039;Hara met Bob &amp; Sons. In the end Eve won."
    assert mentions("", text) == [("Ann O'Hara", 1), ("Bob & Sons", 1), ("Eve", 2)]
    assert mentions("Bob &amp; Sons", "") == [("Bob & Sons", NOWHERE)]


def test_only_title_and_text_give_names() -> None:
    shared = {"author": "Ann Lee"}
    found = replace(passage("", "nothing"), section="Ann Lee", header="Ann Lee", metadata=shared)
    assert extract(found, "en") == Extraction()


def test_korean_titles_are_found_with_their_particles() -> None:
    found = extract(passage("이순신", "이순신은 장군이다."), "ko")
    assert found.mentions == (Mention(name="이순신"), Mention(name="이순신", sentence=0))


def test_german_passages_are_read_by_german_rules_in_every_corpus() -> None:
    text = (
        "Die Mitarbeiter der Schicht haben im Jahr drei Tage Urlaub. Der Antrag geht an Sabine "
        "Kühl in Rostock, und der Antrag gilt ein Jahr."
    )
    german = passage("", text)
    assert rules_for(german, "en") == "de"
    found = {mention.name for mention in extract(german, rules_for(german, "en")).mentions}
    assert {"Sabine Kühl", "Rostock"} <= found
    assert not {"Jahr", "Antrag", "Der Antrag"} & found
    english = passage(
        "", "The application goes to Sabine Kühl in Rostock, and it is valid for a year."
    )
    assert rules_for(english, "en") == "en"
    assert rules_for(passage("", "Live or Die may refer to:"), "en") == "en"
