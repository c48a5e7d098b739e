"""The walk over the graph without a model, on graphs that a hand can follow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.dense.flat import FlatIndex
from hopyard.indexes.kinds.passage_graph.graph import EDGE_ROW, GraphFiles, GraphIndex
from hopyard.indexes.kinds.passage_graph.traversal import (
    Query,
    by_helpfulness,
    entries,
    exits,
    helpfulness,
    importance,
    query_of,
    walk,
)
from hopyard.indexes.search import SEARCHES, Search
from hopyard.indexes.searches import passage_graph
from hopyard.models.embedder import Vector
from hopyard.state.settings.fields import Context

from .conftest import Library
from .script import people

PASSAGES = ["a", "b", "c", "d"]
QUERY = Query(np.array([1, 0], dtype=np.float32), frozenset())


def drawn(*edges: tuple[str, str, float]) -> GraphIndex:
    """A graph whose edges lie at a cosine to the query; equal cosines are the same question."""
    edges = tuple(sorted(edges, key=lambda edge: edge[0]))
    cosines = sorted({cosine for _, _, cosine in edges})
    rows = [
        (PASSAGES.index(tail), PASSAGES.index(head), cosines.index(cosine), 0.0)
        for tail, head, cosine in edges
    ]
    vectors = [(cosine, np.sqrt(1 - cosine**2)) for cosine in cosines]
    empty = Ragged.of([[] for _ in edges], np.int32)
    return GraphIndex(
        GraphFiles(
            passages=PASSAGES,
            edges=np.array(rows, dtype=EDGE_ROW),
            questions=Ragged.of_texts(f"Question {cosine}?" for cosine in cosines),
            vectors=np.array(vectors, dtype=np.float32).reshape(-1, 2),
            vocabulary=Ragged.of_texts([]),
            edge_keywords=empty,
            passage_keywords=Ragged.of([[] for _ in PASSAGES], np.int32),
        )
    )


def test_entries_join_edges_with_one_question_and_one_head() -> None:
    graph = drawn(("a", "c", 0.9), ("b", "c", 0.9), ("a", "d", 0.9), ("d", "b", 0.5))

    found = entries(graph, QUERY, 4)

    assert [(entry.edge.head, entry.times) for entry in found] == [("c", 2), ("d", 1), ("b", 1)]
    assert entries(graph, QUERY, 0) == []


def test_exits_are_the_most_similar_first_each_question_once() -> None:
    graph = drawn(("a", "b", 0.2), ("a", "c", 0.8), ("a", "d", 0.8), ("b", "a", 0.9))

    ways = exits(graph, QUERY, "a")

    assert [(way.edge.head, way.place) for way in ways] == [("c", 1), ("b", 0)]
    assert exits(graph, QUERY, "d") == []


def test_an_exit_leads_to_an_allowed_passage() -> None:
    graph = drawn(("a", "b", 0.9), ("a", "c", 0.7), ("a", "d", 0.5))
    query = Query(QUERY.vector, QUERY.keywords, frozenset({"c", "d"}))
    assert [way.edge.head for way in exits(graph, query, "a")] == ["c", "d"]
    assert [way.place for way in exits(graph, query, "a")] == [
        way.place for way in exits(graph, QUERY, "a")[1:]
    ]


def test_a_walk_by_hand() -> None:
    graph = drawn(("a", "b", 0.9), ("a", "c", 0.1), ("b", "c", 0.5), ("c", "b", 0.3))

    def visits(rounds: int) -> dict[str, int]:
        return walk(graph, QUERY, [], ["a"], rounds)

    assert visits(0) == {"a": 1}
    assert visits(1) == {"a": 1, "b": 1}
    assert visits(2) == {"a": 1, "b": 1, "c": 1}
    # From c the walk comes back to b, which hops no second time.
    assert visits(3) == visits(9) == {"a": 1, "b": 2, "c": 1}


def test_a_walk_begins_with_edges_and_with_passages() -> None:
    graph = drawn(("a", "c", 0.9), ("b", "c", 0.9), ("c", "d", 0.5))

    entered = entries(graph, QUERY, 2)

    assert walk(graph, QUERY, entered, ["a", "c"], 0) == {"c": 3, "a": 1}
    # In the round, c hops to d and a to c.
    assert walk(graph, QUERY, entered, ["a", "c"], 1) == {"c": 4, "a": 1, "d": 1}


def test_importance_and_helpfulness_by_hand() -> None:
    assert importance({"a": 3, "b": 1}) == {"a": 0.75, "b": 0.25}
    assert helpfulness(0.4, 0.75) == pytest.approx(0.575)


@given(st.dictionaries(st.text(), st.integers(1, 1000), min_size=1))
def test_importance_adds_up_to_1(visits: dict[str, int]) -> None:
    assert sum(importance(visits).values()) == pytest.approx(1)


def test_helpfulness_weighs_similarity_and_visits() -> None:
    vectors = np.array([[1, 0], [0.6, 0.8], [0.6, 0.8], [0, 1]], dtype=np.float32)
    dense = FlatIndex.build(PASSAGES, vectors)

    found = by_helpfulness(drawn(), dense, QUERY, {"a": 1, "b": 1, "c": 1, "d": 5})

    # SIM is half of the cosine: no passage shares a keyword with the query.
    assert [(unit["id"], unit["score"]) for unit in found] == [
        ("a", round((0.5 + 1 / 8) / 2, 4)),
        ("d", round((0 + 5 / 8) / 2, 4)),
        ("b", round((0.3 + 1 / 8) / 2, 4)),
        ("c", round((0.3 + 1 / 8) / 2, 4)),
    ]
    assert by_helpfulness(drawn(), dense, QUERY, {}) == []


async def search(library: Library, text: str, k: int) -> list[str]:
    async def embed(text: str) -> Vector:
        vector: Vector = library.embedder.embed_query(text)
        return vector

    with Index.open(library.directory, library.embedder) as index:
        found = await SEARCHES["passage-graph"].run(Search(text, k, index, Context(), embed))
    assert [unit["score"] for unit in found] == sorted((u["score"] for u in found), reverse=True)
    return [unit["id"] for unit in found]


@pytest.mark.usefixtures("many_edges")
async def test_the_search_walks_a_built_graph(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Alba's passage names Bert, and only his own passage says which plant he grows."""
    monkeypatch.setattr(passage_graph, "ENTRIES", 2)
    monkeypatch.setattr(passage_graph, "ROUNDS", 1)
    library.build(people(10))
    question = "Whom does Alba know?"

    found = await search(library, question, 4)

    with Index.open(library.directory, library.embedder) as index:
        graph, dense = index.reader("passage-graph"), index.reader("dense")
        vector = library.embedder.embed_query(question)
        query = query_of(question, vector)
        nearest = [name for name, _ in dense.search(vector, 1)]
        visits = walk(graph, query, entries(graph, query, 1), nearest, 1)
        assert found == [unit["id"] for unit in by_helpfulness(graph, dense, query, visits)][:4]
    assert found[0] == "alba"
    monkeypatch.setattr(passage_graph, "ROUNDS", 0)
    assert len(visits) > len(await search(library, question, 100))


async def test_a_graph_without_edges_is_entered_by_its_passages(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passage_graph, "ENTRIES", 4)
    library.build_without_model(people(6))

    found = await search(library, "Whom does Cora know?", 3)

    with Index.open(library.directory, library.embedder) as index:
        vector = library.embedder.embed_query("Whom does Cora know?")
        nearest = [name for name, _ in index.reader("dense").search(vector, 4)]
    assert len(found) == 3
    assert set(found) <= set(nearest)
