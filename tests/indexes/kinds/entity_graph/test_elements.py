"""Descriptions and strengths: what is asked, kept, stored and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE, Described, Extraction, Fact
from hopyard.indexes.kinds.entity_graph.find.placing import Places, place_extraction
from hopyard.indexes.kinds.entity_graph.graph.graph import (
    Description,
    EntityGraph,
    join_descriptions,
)
from hopyard.indexes.kinds.entity_graph.read.neighbourhood import neighbourhood
from hopyard.models.calls.parse import json_schema, parse
from hopyard.prompts.indexes.element_outputs import PassageElements
from hopyard.prompts.indexes.elements import ELEMENTS
from hopyard.state.errors import IndexMissingError, UsageError
from hopyard.state.text.tokens import tokens_of

from .find.library import Library

CURIE = "Marie Curie discovered radium. She won the Nobel Prize in 1903 with Pierre Curie."
RADIUM = "Radium is a metal. Marie Curie named radium in Paris."
DOCUMENTS = [Document("curie", "Marie Curie", CURIE), Document("radium", "Radium", RADIUM)]
DESCRIBED = {"entity_graph": {"builder": "model", "descriptions": True}}


def entity(name: str, type_: str, description: str) -> dict[str, str]:
    return {"name": name, "type": type_, "description": description}


def fact(number: int, parts: tuple[str, str, str], description: str, strength: float) -> Any:
    subject, relation, object_ = parts
    return {
        "sentence": number, "subject": subject, "relation": relation, "object": object_,
        "description": description, "strength": strength,
    }  # fmt: skip


OUTPUTS: dict[str, dict[str, Any]] = {
    "Marie Curie": {
        "entities": [
            entity("Marie Curie", "Scientist", "Marie Curie won the Nobel Prize in 1903."),
            entity("Pierre Curie", "scientist", "Pierre Curie shared the Nobel Prize."),
            entity("Albert Einstein", "scientist", "He is not in the passage."),
        ],
        "facts": [
            fact(1, ("Marie Curie", "discovered", "radium"), "She found radium.", 9),
            fact(2, ("Marie Curie", "won with", "Pierre Curie"), "They won it together.", 40),
        ],
    },
    "Radium": {
        "entities": [
            entity("Radium", "element", "Radium is a metal."),
            entity("Marie Curie", "scientist", "Marie Curie named radium."),
            entity("Marie  Curie", "chemist", "A second description of one passage."),
        ],
        "facts": [fact(2, ("Marie Curie", "named", "radium"), "", 0)],
    },
}


def script(name: str, messages: list[dict[str, Any]]) -> Any:
    title = str(messages[-1]["content"]).splitlines()[0].removeprefix("Title: ")
    output = OUTPUTS.get(title, {"entities": [], "facts": []})
    if name == "PassageFacts":
        names = [each["name"] for each in output["entities"]]
        wanted = ("sentence", "subject", "relation", "object")
        facts = [{key: each[key] for key in wanted} for each in output["facts"]]
        return {"entities": names, "facts": facts}
    return output


@pytest.fixture
def library(tmp_path: Path) -> Library:
    library = Library(tmp_path / "index", "model")
    library.chat.answers = script
    return library


def graph_of(library: Library) -> EntityGraph:
    return EntityGraph.load(library.folder)


# The prompt


def test_only_the_builtin_model_is_held_to_limits() -> None:
    few, all_ = json_schema(ELEMENTS.output), json_schema(ELEMENTS.of("capable").output)
    lists = ["entities", "facts"]
    assert list(few["properties"]) == list(all_["properties"]) == lists
    assert all("maxItems" in few["properties"][name] for name in lists)
    assert "axItems" not in json.dumps(all_)
    assert "axLength" not in json.dumps(all_)
    assert few["title"] == all_["title"]


def test_an_item_that_is_cut_off_leaves_the_others() -> None:
    whole = json.dumps({"entities": [entity("A", "b", "c")], "facts": []})
    cut = whole.replace('"}]', '"}, {"name": "D"}]').replace(
        '"facts": []', '"facts": [{"sentence": 1, "subject": "A"'
    )
    found, _ = parse(cut, PassageElements)
    assert found == PassageElements.model_validate_json(whole)


# From an output to an extraction


def places(text: str = CURIE, title: str = "Marie Curie") -> Places:
    return Places(Passage("p", "p", 0, title, text, "", 0))


def test_a_description_has_the_sentence_that_shares_most_words() -> None:
    text = "Alba is old. Alba sings in Oslo and Rome. Alba lives in Oslo."
    placed = place_extraction(
        places(text, "Bert"),
        ["Alba", "Oslo", "Bert", "Rome"],
        [],
        entities=[
            Described(name="alba", type="person", description="Alba sings songs in Rome."),
            Described(name="Oslo", description="It is large."),
            Described(name="Bert", type="person", description="Bert is the title."),
            Described(name="Rome"),
            Described(name="Cora", type="person", description="Cora is absent."),
        ],
    )
    assert [(each.name, each.sentence) for each in placed.entities] == [
        ("alba", 1), ("Oslo", 1), ("Bert", NOWHERE)
    ]  # fmt: skip


# Settings


@pytest.mark.parametrize(
    ("settings", "needed"),
    [
        (
            {"builder": "rules", "descriptions": True},
            "entity_graph.descriptions needs entity_graph.builder",
        ),
        ({"builder": "gliner"}, "no builder 'gliner' .* choose one of model, terms, rules, or"),
    ],
)
def test_a_setting_that_needs_another_says_so(
    library: Library, settings: dict[str, Any], needed: str
) -> None:
    with pytest.raises(UsageError, match=needed):
        library.build(DOCUMENTS, entity_graph=settings)
    assert library.chat.requests == []


def test_other_elements_are_asked_for_again_and_the_same_are_not(library: Library) -> None:
    asked = []
    for graph in (
        {"builder": "model"},
        {**DESCRIBED["entity_graph"]},
        {**DESCRIBED["entity_graph"]},
        {"builder": "model"},
    ):
        library.build(DOCUMENTS, entity_graph=graph)
        asked.append(len(library.chat.requests))
    assert asked == [2, 4, 4, 4], "the ledger knows the last"
    library.build(DOCUMENTS, **DESCRIBED)
    [author] = library.stats.written.authors
    assert author.model == "scripted (descriptions)"
    assert library.stats.plain()["descriptions"] is True
    assert {calls.prompt for calls in library.stats.written.calls} == {"facts", "elements"}


def test_an_update_asks_what_the_last_build_asked(library: Library) -> None:
    library.build(DOCUMENTS[:1], **DESCRIBED)
    assert library.estimate_add(DOCUMENTS[1], entity_graph={})[1].model == "scripted"
    library.add(DOCUMENTS[1], entity_graph={})
    assert {request.name for request in library.chat.requests} == {"PassageElements"}
    [author] = library.stats.written.authors
    assert author.passages == 2
    graph = graph_of(library)
    [radium] = graph.entities_of("radium")
    assert graph.descriptions(radium) == [Description("element", "Radium is a metal.", "radium", 0)]


# The graph


def test_the_graph_keeps_what_each_passage_says(library: Library) -> None:
    library.build(DOCUMENTS, **DESCRIBED)
    graph = graph_of(library)
    [marie] = graph.entities_of("marie curie")
    assert graph.descriptions(marie) == [
        Description("scientist", "Marie Curie won the Nobel Prize in 1903.", "curie", 0),
        Description("scientist", "Marie Curie named radium.", "radium", 1),
    ]
    assert graph.type_of(marie) == "scientist"
    [radium] = graph.entities_of("radium")
    assert graph.type_of(radium) == "element"
    assert graph.fact_strengths.tolist() == [9, 10, 1]
    assert [graph.fact_text(row) for row in range(3)] == [
        "She found radium.", "They won it together.", "Marie Curie named Radium"
    ]  # fmt: skip
    assert library.stats.written.dropped_names == 1


def test_without_descriptions_the_files_are_empty(library: Library) -> None:
    library.build(DOCUMENTS)
    graph = graph_of(library)
    [marie] = graph.entities_of("marie curie")
    assert (graph.descriptions(marie), graph.type_of(marie)) == ([], "")
    assert graph.fact_strengths.tolist() == [1, 1, 1]
    assert graph.fact_text(0) == "Marie Curie discovered Radium"
    files = graph.files
    parts = (files.types, files.descriptions, files.fact_strengths)
    assert not any(map(len, parts))
    assert "descriptions" not in library.stats.plain()


def test_files_that_do_not_fit_are_refused(library: Library) -> None:
    library.build(DOCUMENTS, **DESCRIBED)
    other = library.folder / "fact_strengths.npy"
    other.write_bytes((library.folder / "types-bounds.npy").read_bytes())
    with pytest.raises(IndexMissingError, match="fact_strengths"):
        graph_of(library)


def test_an_entity_has_type_and_descriptions(library: Library) -> None:
    library.build(DOCUMENTS, **DESCRIBED)
    with Index.open(library.directory) as index:
        graph = index.reader("entity-graph")
        [hood] = KINDS["entity-graph"].look_up(graph, "marie curie", index.passages, 10)
    told = hood.plain()
    assert told["type"] == "scientist"
    assert [each["passage"] for each in told["descriptions"]] == ["curie", "radium"]
    assert [(each["description"], each["strength"]) for each in told["facts"]] == [
        ("She found radium.", 9),
        ("They won it together.", 10),
        ("", 1),
    ]


def test_a_statement_of_two_passages_has_its_highest_strength(library: Library) -> None:
    said = {"Title: One": ("They met at sea.", 2), "Title: Two": ("They met.", 7)}
    library.chat.answers = lambda _, messages: {
        "entities": [entity("Alba", "person", "She swims."), entity("Bert", "person", "")],
        "facts": [
            fact(1, ("Alba", "met", "Bert"), *said[str(messages[-1]["content"]).splitlines()[0]])
        ],
    }
    texts = [Document(name, name, f"{name}: Alba met Bert.") for name in ("One", "Two")]
    library.build(texts, **DESCRIBED)
    graph = graph_of(library)
    [alba] = graph.entities_of("alba")
    with Index.open(library.directory) as index:
        [statement] = neighbourhood(graph, alba, index.passages).facts
    assert statement.passages == ("One", "Two")
    assert (statement.description, statement.strength) == ("They met at sea.", 7)


# Storage


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
sentences = st.integers(NOWHERE, 5)


@given(
    st.builds(
        Extraction,
        facts=st.lists(
            st.builds(Fact, strength=st.floats(0, 10), description=texts, sentence=sentences),
            max_size=3,
        ).map(tuple),
        entities=st.lists(st.builds(Described, description=texts, sentence=sentences)).map(tuple),
    )
)
def test_what_is_stored_is_read_back(extraction: Extraction) -> None:
    stored = extraction.model_dump_json(exclude_defaults=True)
    assert Extraction.model_validate_json(stored) == extraction


# One text of several descriptions


def description(text: str) -> Description:
    return Description("", text, "p", 0)


def test_descriptions_are_joined_longest_first_within_a_budget() -> None:
    given = [description(text) for text in ("Ab.", "Abcdefg.", "AB.", "", "Abc.")]
    assert join_descriptions(given) == "Abcdefg. Abc. AB."
    # 8 + 1 characters of 12 are used: "Abc." does not fit, "AB." does.
    assert join_descriptions(given, tokens=3) == "Abcdefg. AB."
    assert join_descriptions([description("One two three.")], tokens=3) == "One two"
    assert join_descriptions([]) == ""


@given(st.lists(texts.map(description)), st.integers(1, 20))
def test_joined_descriptions_keep_to_the_budget(given: list[Description], tokens: int) -> None:
    assert tokens_of(join_descriptions(given, tokens)) <= tokens
