"""The lines of a community, their order, and the way back to sentences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.communities.elements import Elements, Group
from hopyard.indexes.kinds.communities.records import Source
from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction, Fact, Mention
from hopyard.indexes.kinds.entity_graph.graph.files import DESCRIPTION
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.graph.weights import together
from hopyard.state.errors import UsageError

from ..entity_graph.made_graph import EXTRACTIONS, graph_of, read
from .meetings import TEXTS, meetings, reader_of


def ids(group: Group) -> str:
    """The elements of a group, with labels left out."""
    return " ".join(element.id for element in group.elements)


def lines(group: Group) -> list[str]:
    return [f"{element.id} {element.text}" for element in group.elements]


def test_sentences_are_relationships_of_a_graph_by_rules(tmp_path: Path) -> None:
    """Degrees: Bert 3, Alba and Cora 2, Elsa 1. Combined: S0 and S2 have 5, and S5 has 4."""
    assert list(map(lines, meetings(tmp_path).groups([0, 1, 2, 3, 4]))) == [
        ["E0 Alba", "S1 Alba swims."],
        ["E1 Bert", "E0 Alba", "S0 Alba met Bert."],
        ["E2 Cora", "S3 Cora sings."],
        ["E1 Bert", "E0 Alba", "E2 Cora", "S2 Bert met Cora and Alba."],
        ["E1 Bert", "E4 Elsa", "S5 Bert met Elsa."],
        ["E3 Dirk", "S4 Dirk sleeps."],
        ["E3 Dirk"],
    ]


def test_a_sentence_is_from_a_passage_and_about_entities(tmp_path: Path) -> None:
    groups = list(meetings(tmp_path).groups([0, 1, 2]))
    elements = {element.id: element for group in groups for element in group.elements}
    assert (elements["S1"].source, elements["S1"].names) == ("A", ("Alba",))
    assert (elements["S2"].source, elements["S2"].names) == ("B", ("Bert", "Alba", "Cora"))
    assert [each.id for each in elements.values() if each.is_name] == ["E1", "E0", "E2"]


def test_a_sentence_with_one_entity_of_the_community_describes_it(tmp_path: Path) -> None:
    assert list(map(lines, meetings(tmp_path).groups([0, 2, 4]))) == [
        ["E0 Alba", "S0 Alba met Bert."],
        ["E0 Alba", "S1 Alba swims."],
        ["E2 Cora", "S3 Cora sings."],
        ["E0 Alba", "E2 Cora", "S2 Bert met Cora and Alba."],
        ["E4 Elsa", "S5 Bert met Elsa."],
        ["E4 Elsa"],
    ]


def test_names_that_only_titles_have_are_lines_too(tmp_path: Path) -> None:
    names = {name: Extraction(mentions=(Mention(name="Zoo"),)) for name in ("a", "b")}
    elements = Elements(graph_of(tmp_path, names), reader_of({"a": "x", "b": "y"}))
    assert list(map(lines, elements.groups([0]))) == [["E0 Zoo"]]
    assert elements.quotes(["E0"]) == [("a", "A"), ("b", "B")]


def test_facts_are_relationships_by_combined_degree(tmp_path: Path) -> None:
    """Degrees: Abraham Darby, Iron Bridge and Severn 2, Stone and Dudley 1.

    Two passages state that Darby built the bridge, which is one relationship.
    """
    graph = graph_of(tmp_path)
    groups = list(Elements(graph, read).groups(range(graph.entities)))
    facts = [group for group in groups if group.relationship and "R" in group.relationship.id]
    assert list(map(ids, facts)) == ["E4 E5 R0", "E0 E4 R1", "E0 E3 R2", "E1 E5 R4"]
    assert [group.relationship.text for group in facts[:2] if group.relationship] == [
        "Iron Bridge crosses SEVERN",
        "Abraham Darby built Iron Bridge",
    ]


def test_a_sentence_describes_one_entity_the_least_connected(tmp_path: Path) -> None:
    graph = graph_of(tmp_path)
    groups = Elements(graph, read).groups(range(graph.entities))
    described = {
        group.relationship.id: (group.ends[0].text, group.relationship.text)
        for group in groups
        if group.relationship and group.relationship.id[0] == "S"
    }
    assert described["S2"] == ("Dudley", "Abraham Darby was born in Dudley.")
    assert described["S1"] == ("Abraham Darby", "Abraham Darby built it.")
    assert sorted(described) == ["S0", "S1", "S2", "S3", "S4", "S5"]


def test_a_fact_that_leaves_the_community_is_not_its_relationship(tmp_path: Path) -> None:
    groups = Elements(graph_of(tmp_path), read).groups([0, 3, 4])
    assert [found for found in map(ids, groups) if "R" in found] == ["E0 E4 R1", "E0 E3 R2"]


def test_a_fact_about_one_entity_is_a_relationship_with_one_end(tmp_path: Path) -> None:
    same = Extraction(facts=(Fact(subject="Alba", relation="is", object="alba"),))
    elements = Elements(graph_of(tmp_path, {"a": same}), reader_of({"a": "Alba is alba."}))
    assert list(map(ids, elements.groups([0]))) == ["E0 R0"]


def test_a_line_has_no_line_break_and_is_cut(tmp_path: Path) -> None:
    texts = {"a": "Alba met\nE9 Bert and\nall of the others at the harbour."}
    [group] = meetings(tmp_path, texts).groups([0, 1, 2], longest=10)
    assert group.relationship is not None
    assert group.relationship.text == "Alba met E9 Bert and all of the others"


NAMES = ["Ada", "Ben", "Cid", "Dan", "Eve", "Fay"]


@given(st.lists(st.lists(st.sampled_from(NAMES), min_size=1), min_size=1))
def test_every_entity_and_every_shared_sentence_is_in_a_group_once(
    tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]]
) -> None:
    texts = {"a": " ".join(f"{' '.join(names)} x." for names in sentences)}
    elements = meetings(tmp_path_factory.mktemp("graph"), texts)
    graph = elements.graph
    groups = list(elements.groups(range(graph.entities)))
    assert {end.id for group in groups for end in group.ends} == {
        f"E{row}" for row in range(graph.entities)
    }
    joining = [group for group in groups if group.relationship and len(group.ends) > 1]
    shared = [group.relationship.id for group in joining if group.relationship]
    counts = np.diff(graph.entities_of_sentence.indptr)
    assert sorted(shared) == sorted(f"S{row}" for row in np.flatnonzero(counts > 1))
    degree = np.diff(together(graph).indptr)
    ends = [[int(end.id[1:]) for end in group.ends] for group in joining]
    combined = [sum(sorted(degree[rows])[-2:]) for rows in ends]
    assert combined == sorted(combined, reverse=True)


def described(tmp_path: Path) -> Elements:
    """The graph by hand with descriptions of Darby and of a fact."""
    files = graph_of(tmp_path).files
    written = replace(
        files,
        types=Ragged.of_texts(["person", "state"]),
        descriptions=np.array([(0, 0, 0, 1), (0, 0, 1, 0)], DESCRIPTION),
        description_texts=Ragged.of_texts(["A founder.", "A founder from Dudley."]),
        fact_descriptions=Ragged.of_texts(["", "He built it.", "", "Darby cast it.", ""]),
        fact_strengths=np.ones(5, np.float32),
    )
    return Elements(EntityGraph(written), read)


def test_descriptions_stand_in_place_of_sentences(tmp_path: Path) -> None:
    groups = list(described(tmp_path).groups([0, 4]))
    assert list(map(lines, groups)) == [
        ["E4 Iron Bridge", "S0 The Iron Bridge crosses the Severn."],
        ["E4 Iron Bridge", "S3 Abraham Darby built the Iron Bridge."],
        [
            "E0 Abraham Darby (person): A founder from Dudley. A founder.",
            "E4 Iron Bridge",
            "R1 He built it. Darby cast it.",
        ],
    ]


# Sources and quotes


def test_sources(tmp_path: Path) -> None:
    elements = Elements(graph_of(tmp_path), read)
    built = [Source(passage="bridge", sentence=1), Source(passage="darby", sentence=1)]
    assert elements.sources("R1") == elements.sources("R3") == built
    assert elements.sources("E3") == [Source(passage="darby", sentence=0)]
    assert elements.sources("S5") == [Source(passage="stone", sentence=0)]
    assert elements.sources("E6") == [Source(passage="zoo", sentence=-1)], "only in the title"


@pytest.mark.parametrize("name", ["E7", "R5", "S6", "X1", "E", "E-1", ""])
def test_an_unknown_element_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="no element"):
        Elements(graph_of(tmp_path), read).sources(name)


def test_quotes_that_support_most_elements_are_first(tmp_path: Path) -> None:
    """`Alba met Bert.` names both, as `Bert met Cora and Alba.` does."""
    quotes = meetings(tmp_path).quotes(["E0", "E1"])
    assert quotes == [
        ("a", "Alba met Bert."),
        ("b", "Bert met Cora and Alba."),
        ("a", "Alba swims."),
        ("d", "Bert met Elsa."),
    ]


def test_each_element_has_a_quote_before_any_has_two(tmp_path: Path) -> None:
    elements = meetings(tmp_path)
    assert elements.quotes(["E0", "E3", "E4"], 3) == [
        ("a", "Alba met Bert."),
        ("c", "Dirk sleeps."),
        ("d", "Bert met Elsa."),
    ]
    assert elements.quotes(["E0", "S5"], 1) == [("d", "Bert met Elsa.")], "relationships first"


def test_elements_lead_to_passages(tmp_path: Path) -> None:
    assert Elements(graph_of(tmp_path), read).quotes(("R1", "E6")) == [
        ("bridge", "Abraham Darby built it."),
        ("zoo", "Michael Darby kept a zoo."),
        ("darby", "Abraham Darby built the Iron Bridge."),
    ]


def test_a_name_that_only_the_title_has_is_quoted_by_the_title(tmp_path: Path) -> None:
    texts = dict.fromkeys(EXTRACTIONS, "It is small.") | {"zoo": "It is large."}
    elements = Elements(graph_of(tmp_path), reader_of(texts))
    assert elements.quotes(["E6"]) == [("zoo", "ZOO")]


def test_the_sentences_of_the_graph_are_in_their_passages(tmp_path: Path) -> None:
    elements = meetings(tmp_path)
    for row in range(len(elements.graph.files.sentences)):
        [(passage, sentence)] = elements.quotes([f"S{row}"])
        assert sentence in TEXTS[passage]
