"""The read side: entry by edges, ways out, and damage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.passage_graph.graph import EDGE_ROW, GraphFiles, GraphIndex
from hopyard.indexes.kinds.passage_graph.similarity import similarity
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError

PASSAGES = ["a", "b", "c", "d"]
WORDS = ["alba", "bert", "cora", "élan"]
QUESTIONS = ["Who is Alba?", "Who is Bert?", "Où est l'élan?"]
VECTORS = np.array([[1, 0], [0, 1], [0.6, 0.8]], dtype=np.float32)


def drawn(edges: list[tuple[int, int, int, float]], keywords: list[list[int]]) -> GraphFiles:
    return GraphFiles(
        passages=PASSAGES,
        edges=np.array(edges, dtype=EDGE_ROW),
        questions=Ragged.of_texts(QUESTIONS),
        vectors=VECTORS,
        vocabulary=Ragged.of_texts(WORDS),
        edge_keywords=Ragged.of(keywords, np.int32),
        passage_keywords=Ragged.of([[0], [1, 2], [], [3]], np.int32),
    )


@pytest.fixture
def files() -> GraphFiles:
    """a -> b twice and a -> c; b -> c; d without edges."""
    return drawn(
        [(0, 1, 1, 0.9), (0, 2, 2, 0.7), (0, 1, 0, 0.2), (1, 2, 2, 0.5)],
        [[0, 1], [3], [0], [1, 3]],
    )


@pytest.fixture
def graph(files: GraphFiles, tmp_path: Path) -> GraphIndex:
    files.save(tmp_path)
    return GraphIndex.load(tmp_path)


def unit(*values: float) -> np.ndarray:
    vector = np.array(values, dtype=np.float32)
    return vector / np.linalg.norm(vector)


def test_an_edge_carries_all_that_the_paper_gives_it(graph: GraphIndex) -> None:
    edge = graph.out_edges("a")[1]
    assert (edge.id, edge.tail, edge.head, edge.question) == (1, "a", "c", "Où est l'élan?")
    assert (edge.keywords, edge.similarity) == (frozenset({"élan"}), 0.7)


def test_ways_out_respect_direction_and_come_best_first(graph: GraphIndex) -> None:
    assert [(edge.head, edge.similarity) for edge in graph.out_edges("a")] == [
        ("b", 0.9),
        ("c", 0.7),
        ("b", 0.2),
    ]
    assert [edge.head for edge in graph.out_edges("b")] == ["c"]
    assert graph.out_edges("c") == graph.out_edges("d") == graph.out_edges("unknown") == []
    assert [edge.id for edge in graph] == [0, 1, 2, 3]
    assert len(graph) == 4
    assert list(graph.passage_ids) == PASSAGES


def test_keywords_of_passages(graph: GraphIndex) -> None:
    assert graph.passage_keywords("b") == {"bert", "cora"}
    assert graph.passage_keywords("c") == graph.passage_keywords("unknown") == frozenset()


def test_entry_by_hand(graph: GraphIndex) -> None:
    # Jaccard 1/1 and cosine 1: SIM 1; then edge 0 with Jaccard 1/2 and cosine 0.
    found = graph.entry_edges(unit(1, 0), frozenset({"alba"}), 2)
    assert [(edge.id, score) for edge, score in found] == [
        (2, pytest.approx(1.0)),
        (1, pytest.approx(0.3)),
    ]
    assert type(found[0][1]) is float


def test_equal_edges_come_in_the_order_of_their_ids(graph: GraphIndex) -> None:
    found = graph.entry_edges(unit(0.6, 0.8), frozenset(), 4)
    assert [edge.id for edge, _ in found][:2] == [1, 3]


def test_a_question_of_another_dimension_is_refused(graph: GraphIndex) -> None:
    with pytest.raises(EmbeddingMismatchError, match="dimension 2"):
        graph.entry_edges(unit(1, 0, 0), frozenset(), 1)
    with pytest.raises(EmbeddingMismatchError, match="dimension 2"):
        graph.similarities(unit(1, 0, 0), frozenset(), graph.out_edges("a"))


codes = st.lists(st.integers(0, len(WORDS) - 1), max_size=3, unique=True)
one_edge = st.tuples(st.integers(0, 3), st.integers(0, 2), codes)


@given(
    edges=st.lists(one_edge, max_size=30),
    query=st.sampled_from([(1.0, 0.0), (0.0, 1.0), (0.6, 0.8), (-1.0, 0.3), (2.0, 1.0)]),
    keywords=st.frozensets(st.sampled_from([*WORDS, "unheard of"]), max_size=3),
    k=st.integers(0, 40),
)
def test_entry_is_that_of_brute_force(
    edges: list[tuple[int, int, list[int]]],
    query: tuple[float, float],
    keywords: frozenset[str],
    k: int,
) -> None:
    edges = sorted(edges, key=lambda edge: edge[0])
    graph = GraphIndex(
        drawn([(tail, 0, row, 0.0) for tail, row, _ in edges], [words for *_, words in edges])
    )
    vector = unit(*query)
    scored = [
        (similarity(keywords, {WORDS[code] for code in words}, vector, VECTORS[row]), number)
        for number, (_, row, words) in enumerate(edges)
    ]
    wanted = [(number, score) for score, number in sorted(scored, key=lambda s: (-s[0], s[1]))]

    found = graph.entry_edges(vector, keywords, k)

    assert [(edge.id, score) for edge, score in found] == wanted[:k]
    everything = list(graph)
    assert graph.similarities(vector, keywords, everything) == [score for score, _ in scored]


@pytest.mark.parametrize(
    "name",
    [
        "edges.npy",
        "vectors.npy",
        "ids.json",
        "questions.npy",
        "questions-bounds.npy",
        "vocabulary.npy",
        "edge_keywords-bounds.npy",
        "passage_keywords.npy",
    ],
)
def test_damage_is_named(files: GraphFiles, tmp_path: Path, name: str) -> None:
    files.save(tmp_path)
    whole = (tmp_path / name).read_bytes()
    for damage in (whole[: len(whole) // 2], b"", None):
        if damage is None:
            (tmp_path / name).unlink()
        else:
            (tmp_path / name).write_bytes(damage)
        with pytest.raises(IndexMissingError, match=f"{name}' .* run `hopyard index build"):
            GraphIndex.load(tmp_path)


@pytest.mark.parametrize(
    ("edges", "keywords", "name"),
    [
        ([(0, 9, 0, 0.1)], [[0]], "edges"),
        ([(0, 1, 7, 0.1)], [[0]], "edges"),
        ([(1, 0, 0, 0.1), (0, 1, 0, 0.1)], [[0], [0]], "edges"),
        ([(0, 1, 0, 0.1)], [[0], [1]], "edge_keywords"),
        ([(0, 1, 0, 0.1)], [[99]], "edge_keywords"),
    ],
)
def test_files_that_do_not_fit_each_other_are_named(
    tmp_path: Path, edges: list, keywords: list, name: str
) -> None:
    drawn(edges, keywords).save(tmp_path)
    with pytest.raises(IndexMissingError, match=rf"{name}\.npy' does not fit the other files"):
        GraphIndex.load(tmp_path)


@given(st.lists(st.text(), max_size=20))
def test_texts_are_read_back_and_found(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    directory = tmp_path_factory.mktemp("texts")
    texts = sorted({text.encode("utf-8", "replace").decode() for text in texts}, key=str.encode)
    Ragged.of_texts(texts).save(directory, "texts")
    read = Ragged.load(directory, "texts", np.uint8)
    assert [read.text(row) for row in range(len(read))] == texts
    assert [read.find(text) for text in texts] == list(range(len(texts)))
    assert read.find("no such text, surely") is None
