"""Where names are written in a passage, and what becomes of names and facts that are not."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE, Fact, Mention
from hopyard.indexes.kinds.entity_graph.find.placing import Places, place_extraction

TEXT = (
    "Carl Rogers worked in Chicago. He founded a school. In 1963 Rogers left Chicago for La Jolla."
)


def places(text: str, title: str = "") -> Places:
    return Places(Passage("p", "p", 0, title, text, "", 0))


def fact(subject: str, object_: str, sentence: int = NOWHERE) -> Fact:
    return Fact(subject=subject, relation="is", object=object_, sentence=sentence)


@pytest.mark.parametrize(
    ("name", "text", "written"),
    [
        ("Chicago", TEXT, [0, 2]),
        ("chicago", TEXT, [0, 2]),
        ("Chic", TEXT, []),
        ("La  Jolla", TEXT, [2]),
        ("US", "Because of us. The US won.", [1]),
        ("NATO", "Nato met.", [0]),
        ("U.S. Army", "He liked it. The U.S. Army came.", [1]),
        ("US troops", "He liked it. The U.S. troops came.", [1]),
        ("O'Brien", "Is O’Brien here?", [0]),
        ("Boeing B-29", "It was a Boeing B - 29 then.", [0]),
        ("the Beatles", "Beatles came.", [0]),
        ("東京", "彼は東京へ行った。大阪は遠い。", [0]),
        ("서울", "나는 서울은 좋다.", [0]),
        ("울은", "나는 서울은 좋다.", []),
        ("C++", "We use C++ here.", [0]),
        ("C", "We use C++ here, and C#. They use C.", [1]),
        ("", TEXT, []),
        ("?!", "What?!", []),
    ],
)
def test_a_name_is_found_as_whole_words(name: str, text: str, written: list[int]) -> None:
    assert places(text).sentences_with(name) == written


def test_a_name_of_the_title_alone_is_in_no_sentence() -> None:
    found = places(TEXT, "Person-centred therapy")
    assert found.mentions("Person-centred therapy") == [
        Mention(name="Person-centred therapy", sentence=NOWHERE)
    ]
    assert found.mentions("Freud") == []
    assert places(TEXT, "Chicago").mentions("Chicago") == [
        Mention(name="Chicago", sentence=0),
        Mention(name="Chicago", sentence=2),
    ]


@pytest.mark.parametrize(
    ("subject", "object_", "sentence"),
    [
        ("Rogers", "1963", 2),  # both
        ("Carl Rogers", "La Jolla", 0),  # the first with either
        ("Freud", "1963", 2),
        ("Freud", "Vienna", NOWHERE),
    ],
)
def test_a_fact_has_the_first_sentence_with_both_ends_else_with_either(
    subject: str, object_: str, sentence: int
) -> None:
    assert places(TEXT).sentence_of(subject, object_) == sentence


def test_a_stated_sentence_counts_where_it_holds_an_end() -> None:
    given = [
        fact("Rogers", "Chicago", 2),
        fact("Chicago", "city", 2),  # stated: the second sentence with Chicago
        fact("La Jolla", "city", 0),  # not there: the sentence that has it
        fact("La Jolla", "town", 7),  # no such sentence
        fact("Therapy", "method", 1),  # only the title has it, so the statement is believed
    ]
    placed = place_extraction(places(TEXT, "Therapy"), [], given)
    assert [kept.sentence for kept in placed.facts] == [2, 2, 2, 2, 1]


def test_what_the_passage_does_not_support_is_dropped_and_counted() -> None:
    given = [
        fact("Carl Rogers", "psychologist"),
        fact("carl rogers", "Psychologist"),  # again
        fact("Freud", "Vienna"),  # neither is in the passage
        fact("Carl Rogers", ""),
        Fact(subject="Carl Rogers", relation=" ", object="Chicago"),
    ]
    placed = place_extraction(places(TEXT), ["Carl Rogers", "psychologist", "Freud"], given)
    assert placed.facts == (fact("Carl Rogers", "psychologist", 0),)
    assert placed.dropped_facts == 4
    # A name that is not written is kept where a fact uses it.
    assert placed.mentions == (
        Mention(name="Carl Rogers", sentence=0),
        Mention(name="psychologist", sentence=0),
    )
    assert placed.dropped_names == 1


names = st.sampled_from(["Rogers", "Chicago", "1963", "La Jolla", "Freud"]) | st.text(max_size=8)


@given(
    names=st.lists(names),
    facts=st.lists(st.builds(fact, names, names, st.integers(-2, 9))),
    text=st.just(TEXT) | st.text(max_size=40),
)
def test_all_is_kept_once_or_counted(names: list[str], facts: list[Fact], text: str) -> None:
    found = places(text, "Rogers")
    placed = place_extraction(found, names, facts)
    assert len(placed.facts) + placed.dropped_facts == len(facts)
    assert len(set(placed.mentions)) == len(placed.mentions)
    stated = [mention.sentence for mention in placed.mentions]
    stated += [fact.sentence for fact in placed.facts]
    assert all(NOWHERE <= sentence < len(found.sentences) for sentence in stated)
    again = place_extraction(found, [m.name for m in placed.mentions], placed.facts)
    assert (again.facts, again.dropped_facts, again.dropped_names) == (placed.facts, 0, 0)


def test_a_long_run_of_spaces_costs_no_time() -> None:
    began = time.perf_counter()
    places("a" + " " * 20_000 + "b. End-").sentences_with("a - - - - b")
    assert time.perf_counter() - began < 1
