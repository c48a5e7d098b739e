from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.passage_graph.edges import (
    Edges,
    best_matches,
    build_edges,
    cap_edges,
    edge_keywords,
    edge_limit,
    merge_duplicates,
)
from hopyard.indexes.kinds.passage_graph.questions import Questions

Ask = Callable[..., Questions]


def _edges(rows: list[tuple[int, int, int, int, float]]) -> Edges:
    """Rows of tail, head, in-coming, out-coming, similarity."""
    columns = list(zip(*rows, strict=True)) if rows else [[], [], [], [], []]
    whole = [np.array(column, dtype=np.int64) for column in columns[:4]]
    return Edges(*whole, np.array(columns[4], dtype=np.float64))


def _rows(edges: Edges) -> list[tuple[int, ...]]:
    parts = (edges.tail, edges.head, edges.incoming, edges.outcoming)
    return list(zip(*(part.tolist() for part in parts), strict=True))


_any_edges = st.lists(
    st.tuples(
        st.integers(0, 6),
        st.integers(0, 6),
        st.integers(0, 9),
        st.integers(0, 30),
        st.sampled_from([0.1, 0.25, 0.5, 0.75, 0.9]),
    ),
    max_size=40,
).map(_edges)


def test_a_graph_worked_by_hand(ask: Ask) -> None:
    """Both out-coming questions of passage 0 match in-coming 1; the better pair names the edge."""
    outcoming = ask(
        [0, 0, 1, 2], [{"frodo", "ring"}, {"frodo", "gondor"}, {"shire"}, set()], [(1, 0)] * 4
    )
    incoming = ask([0, 1], [{"shire"}, {"frodo", "gondor", "hobbit"}], [(1, 0)] * 2)
    edges = build_edges(outcoming, incoming, best_matches(outcoming, incoming), vertices=3)
    # Direction: 0 -> 1 exists because 0 asks what 1 answers; 1 -> 0 is an edge of its own.
    assert _rows(edges) == [(0, 1, 1, 1), (1, 0, 0, 2), (2, 0, 0, 3)]
    np.testing.assert_allclose(edges.similarity, [(1 + 2 / 3) / 2, 1.0, 0.5])
    assert edge_keywords(edges, outcoming, incoming) == [
        {"frodo", "gondor", "hobbit"},
        {"shire"},
        {"shire"},
    ]


def test_questions_without_a_match_make_no_edge(ask: Ask) -> None:
    outcoming = ask([0, 1], [set(), set()], [(1, 0), (1, 0)])
    incoming = ask([0], [set()], [(1, 0)])
    edges = build_edges(outcoming, incoming, best_matches(outcoming, incoming), vertices=2)
    assert _rows(edges) == [(1, 0, 0, 1)]


def test_duplicates_keep_the_largest_similarity_then_the_first_question() -> None:
    edges = _edges([(0, 1, 3, 9, 0.5), (0, 1, 3, 8, 0.75), (0, 1, 3, 7, 0.75), (2, 1, 3, 6, 0.5)])
    assert _rows(merge_duplicates(edges)) == [(0, 1, 3, 7), (2, 1, 3, 6)]


def test_the_cap_keeps_the_best_and_one_exit_for_each_vertex() -> None:
    edges = _edges(
        [
            (0, 1, 1, 0, 0.9),
            (0, 2, 2, 1, 0.8),
            (0, 3, 3, 2, 0.7),
            (1, 2, 2, 3, 0.2),
            (1, 3, 3, 4, 0.1),
        ]
    )
    # 0.2 is not among the three largest, but it is the only way out of vertex 1.
    assert [row[:2] for row in _rows(cap_edges(edges, 3))] == [(0, 1), (0, 2), (1, 2)]
    assert [row[:2] for row in _rows(cap_edges(edges, 1))] == [(0, 1), (1, 2)]
    assert _rows(cap_edges(edges, 99)) == _rows(edges)


@pytest.mark.parametrize(
    ("vertices", "factor", "limit"),
    [(0, 1.0, 0), (1, 1.0, 0), (2, 1.0, 2), (8, 1.0, 24), (8, 0.5, 12), (10, 1.0, 33)],
)
def test_edge_limit_by_hand(vertices: int, factor: float, limit: int) -> None:
    assert edge_limit(vertices, factor) == limit


@given(edges=_any_edges, limit=st.integers(0, 50))
def test_cap_properties(edges: Edges, limit: int) -> None:
    merged = merge_duplicates(edges)
    capped = cap_edges(merged, limit)
    tails = set(merged.tail.tolist())
    assert len(capped) == min(len(merged), max(limit, len(tails)))
    assert set(capped.tail.tolist()) == tails
    # An edge that is left out is no better than those kept, the first edge of each tail aside.
    kept = set(_rows(capped))
    left_out = [
        s for row, s in zip(_rows(merged), merged.similarity, strict=True) if row not in kept
    ]
    first = np.diff(capped.tail, prepend=-1) != 0
    optional = capped.similarity[~first]
    assert not left_out or not len(optional) or max(left_out) <= optional.min()


@given(edges=_any_edges, seed=st.randoms(use_true_random=False))
def test_the_order_of_the_input_does_not_matter(edges: Edges, seed: object) -> None:
    order = list(range(len(edges)))
    seed.shuffle(order)  # type: ignore[attr-defined]
    shuffled = edges.take(np.array(order, dtype=np.int64))
    # The head goes with the in-coming question in real graphs; here it is drawn, so leave it out.
    results = []
    for given_edges in (edges, shuffled):
        capped = cap_edges(merge_duplicates(given_edges), 5)
        results.append((capped.tail.tolist(), capped.incoming.tolist(), capped.similarity.tolist()))
    assert results[0] == results[1]
