"""What the graph knows of an entity, worked out by hand from five short passages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction, Fact, Mention
from hopyard.indexes.kinds.entity_graph.graph.assemble import PassageRow
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.read.lookup import find_entities
from hopyard.indexes.kinds.entity_graph.read.neighbourhood import Neighbourhood, neighbourhood
from hopyard.state.errors import UsageError

from .made_graph import SENSES, SYNONYMS, TEXTS, graph_of, made_files, read


@pytest.fixture
def graph(tmp_path: Path) -> EntityGraph:
    return graph_of(tmp_path, senses=SENSES, synonyms=SYNONYMS)


def around(graph: EntityGraph, name: str, limit: int = 10) -> Neighbourhood:
    [entity] = find_entities(graph, name)
    return neighbourhood(graph, entity.row, read, limit)


def test_passages_have_the_sentences_that_name_the_entity(graph: EntityGraph) -> None:
    hood = around(graph, "Abraham Darby")
    assert [(place.name, place.mentions, place.sentences) for place in hood.places] == [
        ("Darby", 2, ["Abraham Darby was born in Dudley.", "Abraham Darby built the Iron Bridge."]),
        ("Bridge", 1, ["Abraham Darby built it."]),
    ]
    assert hood.names == ("abraham darby", "darby")
    assert (hood.entity.label, hood.entity.passages) == ("Abraham Darby", 2)


def test_a_mention_without_a_sentence_shows_the_sentences_with_its_label(tmp_path: Path) -> None:
    found = {"severn": Extraction(mentions=(Mention(name="River"), Mention(name="Wales")))}
    graph = graph_of(tmp_path, found)
    assert around(graph, "river").places[0].sentences == ["The Severn is a river."]
    assert around(graph, "Wales").places[0].sentences == []
    [near] = around(graph, "Wales").neighbours
    assert (near.sentences, near.passages) == (0, 1)


def test_neighbours_by_shared_sentences_then_by_shared_passages(graph: EntityGraph) -> None:
    hood = around(graph, "the iron bridge")
    assert [(each.entity.label, each.sentences, each.passages) for each in hood.neighbours] == [
        ("Abraham Darby", 1, 2),
        ("SEVERN", 1, 1),
        ("Dudley", 0, 1),
    ]


def test_facts_of_several_passages_are_one_and_come_first(graph: EntityGraph) -> None:
    facts = [
        (fact.subject.label, fact.relation, fact.object.label, fact.passages)
        for fact in around(graph, "Iron Bridge").facts
    ]
    assert facts == [
        ("Abraham Darby", "built", "Iron Bridge", ("bridge", "darby")),
        ("Iron Bridge", "crosses", "SEVERN", ("bridge",)),
    ]


def test_the_nearest_synonym_is_first(graph: EntityGraph) -> None:
    found = [
        (each.entity.label, round(each.cosine, 2)) for each in around(graph, "iron bridge").synonyms
    ]
    assert found == [("SEVERN", 0.9), ("Dudley", 0.81)]


def test_a_limit_cuts_each_list_and_not_the_totals(graph: EntityGraph) -> None:
    whole, cut = around(graph, "Iron Bridge"), around(graph, "Iron Bridge", 1)
    assert cut.totals == whole.totals
    assert whole.totals == {
        "mentions": 2,
        "passages": 2,
        "neighbours": 3,
        "facts": 2,
        "synonyms": 2,
    }
    assert cut.places[0].passage == whole.places[0].passage
    assert (cut.neighbours, cut.facts) == (whole.neighbours[:1], whole.facts[:1])
    assert cut.synonyms == whole.synonyms[:1]
    assert len(cut.places) == 1


@pytest.mark.parametrize("name", ["SEVERN", "the severn", " Severn’s ", "“Severn”"])
def test_a_name_is_found_in_any_spelling(graph: EntityGraph, name: str) -> None:
    assert [entity.label for entity in find_entities(graph, name)] == ["SEVERN"]


def test_a_name_may_mean_several_entities(graph: EntityGraph) -> None:
    assert [each.label for each in find_entities(graph, "darby")] == ["Abraham Darby", "Darby"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Bridge", r"named 'Bridge': did you mean Iron Bridge, "),
        ("Dudly", r"named 'Dudly': did you mean Dudley\?"),
        ("qqq", r"named 'qqq', nor a similar name\."),
        ("?!", r"named '\?!', nor a similar name\."),
    ],
)
def test_an_unknown_name_is_answered_with_near_names(
    graph: EntityGraph, name: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        find_entities(graph, name)


NAMES = st.sampled_from(["Ann", "Bob", "Cy", "Dan"])
MENTIONS = st.builds(Mention, name=NAMES, sentence=st.integers(-1, 1))
FACTS = st.builds(
    Fact, subject=NAMES, relation=st.just("knows"), object=NAMES, sentence=st.integers(-1, 1)
)
FOUND = st.builds(
    Extraction,
    mentions=st.lists(MENTIONS, max_size=6).map(tuple),
    facts=st.lists(FACTS, max_size=3).map(tuple),
)


@given(found=st.fixed_dictionaries(dict.fromkeys(TEXTS, FOUND)))
def test_counts_agree_with_those_of_plain_sets(found: dict[str, Extraction]) -> None:
    rows = [PassageRow(name, name, name, name.title()) for name in sorted(found)]
    graph = EntityGraph(made_files(rows, found))
    places: dict[str, set[tuple[str, int]]] = {}
    for passage, extraction in found.items():
        named = [(each.name, each.sentence) for each in extraction.mentions]
        known = {name for name, _ in named}
        for fact in extraction.facts:  # `collect` adds the names that only facts have
            for name in (fact.subject, fact.object):
                if name not in known:
                    known.add(name)
                    named.append((name, fact.sentence))
        for name, sentence in named:
            places.setdefault(name, set()).add((passage, sentence))
    for name, here in places.items():
        hood = around(graph, name)
        passages = {passage for passage, _ in here}
        assert {place.passage.id for place in hood.places} == passages
        wanted = {}
        for other in set(places) - {name}:
            shared = {place for place in here & places[other] if place[1] >= 0}
            together = passages & {passage for passage, _ in places[other]}
            if together:
                wanted[other] = (len(shared), len(together))
        assert {
            each.entity.label: (each.sentences, each.passages) for each in hood.neighbours
        } == wanted
