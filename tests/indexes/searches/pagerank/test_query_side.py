"""Where the walks begin, and over which weights they go, on the graph by hand of `made_graph`."""

import asyncio
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction, Mention
from hopyard.indexes.kinds.entity_graph.graph import weights
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.read.linking import linked
from hopyard.indexes.searches.pagerank.hipporag2 import fact_seeds
from hopyard.indexes.searches.pagerank.names import name_weights
from hopyard.indexes.searches.pagerank.query import (
    Query,
    linked_or_nearest,
    named_entities,
    with_words,
)
from hopyard.indexes.searches.pagerank.settings import PageRankSettings
from hopyard.indexes.searches.pagerank.statements import (
    Statement,
    nearest_statements,
    sentence_cosines,
)

from ...kinds.entity_graph.made_graph import EXTRACTIONS, SYNONYMS, graph_of


@pytest.fixture
def graph(tmp_path: Path) -> EntityGraph:
    return graph_of(tmp_path, synonyms=SYNONYMS)


@pytest.fixture
def without_facts(tmp_path: Path) -> EntityGraph:
    found = {name: Extraction(mentions=each.mentions) for name, each in EXTRACTIONS.items()}
    return graph_of(tmp_path, found)


def row(graph: EntityGraph, name: str) -> int:
    [entity] = graph.entities_of(name)
    return entity


def with_vectors(graph: EntityGraph, **vectors: NDArray[np.float32]) -> EntityGraph:
    return EntityGraph(replace(graph.files, **vectors))


def query_of(graph: EntityGraph, text: str = "", **search: Any) -> Query:
    vector = np.array([1, 0], np.float32)
    return Query(SimpleNamespace(text=text, **search), PageRankSettings(), graph, vector)  # type: ignore[arg-type]


def dense(graph: EntityGraph, cosines: dict[str, float]) -> Any:
    """An index whose passages have these cosines with the question."""

    def vectors(ids: list[str]) -> NDArray[np.float32]:
        return np.array([[cosines[name], 0] for name in ids], np.float32)

    return SimpleNamespace(
        reader=lambda _: SimpleNamespace(vectors=vectors),
        passages=lambda ids: [SimpleNamespace(text=f"{name}. Two. Three.") for name in ids],
    )


def test_hipporag_counts_facts_and_adds_synonyms(graph: EntityGraph) -> None:
    matrix = weights.facts_only(graph)
    iron, darby = row(graph, "iron bridge"), row(graph, "abraham darby")
    severn, dudley = row(graph, "severn"), row(graph, "dudley")
    # "Darby built Iron Bridge" is in two passages; a fact and a synonym join it to the Severn.
    assert matrix[iron, darby] == 2
    assert matrix[iron, severn] == pytest.approx(1 + 0.9)
    assert matrix[iron, dudley] == pytest.approx(0.81)
    assert (matrix != matrix.T).nnz == 0


def test_hipporag2_counts_both_directions_and_a_synonym_replaces_facts(graph: EntityGraph) -> None:
    matrix = weights.facts_and_passages(graph)
    iron, darby, severn = (row(graph, name) for name in ("iron bridge", "abraham darby", "severn"))
    assert matrix[iron, darby] == 4
    assert matrix[iron, severn] == pytest.approx(2 * 0.9)
    passage = graph.entities + graph.passage_rows["darby"]
    assert matrix[darby, passage] == matrix[passage, darby] == 1  # named twice there
    assert (matrix != matrix.T).nnz == 0


def test_linearrag_shares_a_passage_among_its_mentions(graph: EntityGraph) -> None:
    matrix = weights.shares(graph)
    passage = graph.entities + graph.passage_rows["darby"]
    darby, dudley, iron = (row(graph, name) for name in ("abraham darby", "dudley", "iron bridge"))
    assert matrix[passage, darby] == pytest.approx(2 / 4)
    assert matrix[passage, dudley] == matrix[passage, iron] == pytest.approx(1 / 4)
    assert matrix.sum(axis=1)[graph.entities :] == pytest.approx(1)


def test_without_facts_the_names_of_a_sentence_belong_together(without_facts: EntityGraph) -> None:
    graph = without_facts
    matrix = weights.together(graph)
    iron, darby, dudley = (row(graph, name) for name in ("iron bridge", "abraham darby", "dudley"))
    assert matrix[darby, dudley] == 1
    assert matrix[darby, iron] == 1
    assert matrix[iron, dudley] == 0
    assert matrix.diagonal().sum() == 0


def test_a_name_of_a_question_keeps_its_signs(tmp_path: Path) -> None:
    names = ("C++", "C#", "C", "A+", "A-", ".NET", "NET", "EU", "हिन्दी")
    mentions = tuple(Mention(name=name, sentence=0) for name in names)
    graph = graph_of(tmp_path, {"all": Extraction(mentions=mentions)})
    question = "Do C, C++ and (C#) need .NET? Was it A- or A+ in हिन्दी, or for EU- und US-Häuser?"
    found = [graph.label(link.entity) for link in linked(graph, question).links]
    assert found == ["C", "C++", "C#", ".NET", "A-", "A+", "हिन्दी", "EU"]


def test_a_rare_name_weighs_more(graph: EntityGraph) -> None:
    matrix = weights.rarity(graph)
    severn, dudley = row(graph, "severn"), row(graph, "dudley")
    passages = {name: graph.entities + place for name, place in graph.passage_rows.items()}
    assert matrix[severn, passages["severn"]] == pytest.approx(np.log(1 + 5 / 3))
    assert matrix[dudley, passages["darby"]] == pytest.approx(np.log(1 + 5))
    assert matrix[row(graph, "abraham darby"), row(graph, "iron bridge")] == pytest.approx(3 * 2)


def test_seeds_of_hipporag2() -> None:
    # X is in 4 passages and two facts: (1.0 / 4 + 0.6 / 4) / 2.
    facts = [Statement("", (0, 1), 1.0), Statement("", (0, 2), 0.6), Statement("", (3,), 0.0)]
    assert fact_seeds(facts, np.array([4, 2, 1, 1])) == pytest.approx({2: 0.6, 1: 0.5, 0: 0.2})
    many = [Statement("", (place,), 1 - place / 10) for place in range(8)]
    assert list(fact_seeds(many, np.ones(8, np.int64))) == [0, 1, 2, 3, 4]


def test_a_fact_of_several_passages_counts_once(graph: EntityGraph) -> None:
    texts = [" ".join(graph.fact(fact).values()) for fact in graph.files.facts]
    twice = "Abraham Darby built Iron Bridge"
    assert texts.count(twice) == 2
    cosines = [0.9 if text == twice else 0.1 + 0.1 * place for place, text in enumerate(texts)]
    vectors = np.array([[cosine, 0] for cosine in cosines], np.float32)
    found = nearest_statements(query_of(with_vectors(graph, fact_vectors=vectors)), 2)
    assert found[0].text == twice
    assert len({statement.text for statement in found}) == 2
    assert found[0].score == 1


def test_a_sentence_is_as_near_as_its_passage(
    without_facts: EntityGraph, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = without_facts
    monkeypatch.setattr("hopyard.indexes.searches.pagerank.statements._BLOCK", 2)
    cosines = {"bridge": 0.5, "darby": 0.75, "severn": 0.25, "stone": 0.0, "zoo": 0.0}
    query = query_of(graph, index=dense(graph, cosines))
    rows = np.arange(len(graph.files.sentences))[::-1]
    passages = [graph.passage_ids[place] for place in graph.files.sentences["passage"][rows]]
    assert sentence_cosines(query, rows) == pytest.approx([cosines[name] for name in passages])
    found = nearest_statements(query, 3)
    assert [statement.text for statement in found] == ["darby.", "Two.", "bridge."]
    assert [statement.score for statement in found] == pytest.approx([1, 1, 2 / 3])
    darby, dudley = row(graph, "abraham darby"), row(graph, "dudley")
    assert set(found[0].entities) == {darby, dudley}


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who built the Iron Bridge?", ["Iron Bridge"]),
        ("where is the iron bridge", ["iron bridge"]),
        ("In which town was Abraham Darby born?", ["Abraham Darby"]),
        ("Did Abraham Darby visit a zoo?", ["Abraham Darby"]),
        ("Did Abraham Darby visit the zoo?", ["Abraham Darby"]),
        ("Did Abraham Darby visit The Zoo?", ["Abraham Darby", "The Zoo"]),
        ("The zoo of Abraham Darby?", ["Abraham Darby"]),
        ("is there a zoo", ["zoo"]),
        ("Who?", []),
    ],
)
def test_names_of_a_question(graph: EntityGraph, question: str, names: list[str]) -> None:
    found = [link.name.removeprefix("the ") for link in linked(graph, question).links]
    assert [name.removeprefix("a ") for name in found] == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("김민수는 어디에서 태어났나?", ["김민수"]),
        ("한빛대학교의 총장은 누구인가?", ["한빛대학교"]),
        ("FIFA는 1904년에 어디에서 설립되었나?", ["FIFA", "1904년"]),
        ("김민수 화가의 고향은?", ["김민수 화가"]),
        # 를 follows a vowel only, so this is another name.
        ("김민를 아는가?", []),
    ],
)
def test_particles_follow_korean_names_of_a_question(
    tmp_path: Path, question: str, names: list[str]
) -> None:
    mentions = tuple(
        Mention(name=name)
        for name in ("김민", "김민수", "김민수 화가", "한빛대학교", "FIFA", "1904년")
    )
    graph = graph_of(tmp_path, {"p": Extraction(mentions=mentions)})
    assert [link.name for link in linked(graph, question).links] == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Did Abraham Darby meet Otto Lind in 1779?", ["Otto Lind"]),
        ("Was Otto Lind with Eva Brandt when Otto Lind died?", ["Otto Lind", "Eva Brandt"]),
        # An extension of a known name is no name of its own.
        ("Did the Iron Bridge Trust pay?", []),
        ("Who built the Iron Bridge?", []),
    ],
)
def test_names_that_the_graph_does_not_know(
    graph: EntityGraph, question: str, names: list[str]
) -> None:
    assert linked(graph, question).unknown == names


def near_names(graph: EntityGraph, question: str, cosine: float) -> Query:
    """A question over names with some cosine, of which "severn" is the nearest."""
    place = graph.files.names.find("severn")
    cosines = np.array([cosine - 0.1 * (row != place) for row in range(len(graph.files.names))])
    vectors = np.stack([cosines, cosines], axis=1).astype(np.float32)

    async def embed(_: str) -> NDArray[np.float32]:
        return np.array([1, 0], np.float32)

    index = SimpleNamespace(manifest=SimpleNamespace(language="en"))
    return query_of(
        with_vectors(graph, name_vectors=vectors), question, embed_alike=embed, index=index
    )


def test_an_unknown_name_stands_for_the_nearest(graph: EntityGraph) -> None:
    query = near_names(graph, "", 0.5)
    dudley, severn = row(graph, "dudley"), row(graph, "severn")
    found = asyncio.run(linked_or_nearest(query, ["Dudley", "Unknown"]))
    assert found == pytest.approx({dudley: 1.0, severn: 0.5})
    assert asyncio.run(linked_or_nearest(query, ["Dudley", "Unknown"], 0.6)) == {dudley: 1.0}
    assert asyncio.run(linked_or_nearest(near_names(graph, "", -0.1), ["Unknown"])) == {}


@pytest.mark.parametrize(
    ("question", "cosine", "found"),
    [
        ("Did Abraham Darby see Hafren?", 0.7, {"abraham darby": 1.0, "severn": 0.7}),
        ("Did Abraham Darby see Hafren?", 0.6, {"abraham darby": 1.0}),
        ("Who saw Hafren?", 0.7, {"severn": 0.7}),
        ("Who saw Hafren?", 0.6, {}),
        # A known name stays itself, however near another is.
        ("Does the Severn flow past Hafren?", 0.85, {"severn": 1.0}),
    ],
)
def test_the_entities_that_a_question_names(
    graph: EntityGraph, question: str, cosine: float, found: dict[str, float]
) -> None:
    named = asyncio.run(named_entities(near_names(graph, question, cosine)))
    assert named == pytest.approx({row(graph, name): each for name, each in found.items()})


def test_names_together_weigh_as_much_as_the_rarest() -> None:
    # 1/2 and 1/3, scaled to the sum 1/2.
    assert name_weights(np.array([2, 3])) == pytest.approx([0.3, 0.2])
    assert name_weights(np.array([1])) == pytest.approx([1])
    assert name_weights(np.array([4, 4])) == pytest.approx([0.125, 0.125])
    assert name_weights(np.array([0, 1])) == pytest.approx([0.5, 0.5])  # only a fact names one


def test_bm25_has_a_quarter_of_the_weight_of_passages() -> None:
    near, words = np.array([0.75, 0.25, 0]), np.array([0, 0.5, 0.5])
    assert with_words(near, words) == pytest.approx([0.5625, 0.3125, 0.125])
    assert with_words(near, np.zeros(3)) == pytest.approx(near)
