"""Hand-worked values solve π = (1 − d)·r + d·Pᵀπ exactly."""

from collections.abc import Mapping

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hopyard.indexes.searches.pagerank.walk import Walk

Edges = Mapping[tuple[int, int], float]


def matrix(nodes: int, edges: Edges) -> csr_array:
    dense = np.zeros((nodes, nodes))
    for (left, right), weight in edges.items():
        dense[left, right] = dense[right, left] = weight
    return csr_array(dense)


CHAIN = {(0, 1): 1.0, (1, 2): 1.0}
BRIDGE = {(0, 1): 0.5, (1, 2): 0.5, (2, 3): 1.0}
"""e1–p1–e2–p2, and an isolated p3."""
OWN_ENTITIES = {(0, 3): 1.0, (1, 4): 1.0, (2, 5): 1.0}
"""Three passages, an entity each."""
NEIGHBOURS = {(0, 1): 1.0, (1, 2): 1.0}


@pytest.mark.parametrize(
    ("nodes", "edges", "reset", "damping", "expected"),
    [
        (2, {(0, 1): 1.0}, [1, 0], 0.5, [2 / 3, 1 / 3]),
        (2, {(0, 1): 1.0}, [1, 0], 0.85, [20 / 37, 17 / 37]),
        (2, {(0, 1): 7.0}, [1, 0], 0.5, [2 / 3, 1 / 3]),
        (3, CHAIN, [1, 0, 0], 0.5, [7 / 12, 1 / 3, 1 / 12]),
        (3, {(0, 1): 3.0, (0, 2): 1.0}, [1, 0, 0], 0.5, [2 / 3, 1 / 4, 1 / 12]),
        (5, BRIDGE, [1, 0, 0, 0, 0], 0.5, [19 / 33, 10 / 33, 1 / 11, 1 / 33, 0]),
        (3, {(0, 1): 1.0}, [0.5, 0, 0.5], 0.5, [4 / 9, 2 / 9, 1 / 3]),
        (
            6,
            OWN_ENTITIES | NEIGHBOURS,
            [0, 1, 0, 0, 0, 0],
            0.5,
            [8 / 69, 42 / 69, 8 / 69, 2 / 69, 7 / 69, 2 / 69],
        ),
        (6, OWN_ENTITIES, [0, 1, 0, 0, 0, 0], 0.5, [0, 2 / 3, 0, 0, 1 / 3, 0]),
        # HippoRAG 2: a fact counts in both directions, a passage 1 for each phrase.
        (
            3,
            {(0, 1): 2.0, (0, 2): 1.0, (1, 2): 1.0},
            [1, 0, 0],
            0.5,
            [69 / 112, 27 / 112, 1 / 7],
        ),
        (3, {(0, 1): 1.0, (0, 2): 1.0, (1, 2): 1.0}, [1, 0, 0], 0.5, [3 / 5, 1 / 5, 1 / 5]),
    ],
)
def test_hand_worked_graphs(
    nodes: int, edges: Edges, reset: list[float], damping: float, expected: list[float]
) -> None:
    ranks = Walk(matrix(nodes, edges)).pagerank(np.array(reset, float), damping)
    np.testing.assert_allclose(ranks, expected, rtol=0, atol=1e-8)


@st.composite
def graphs(draw: st.DrawFn, *, lone: bool = True) -> csr_array:
    """Up to 12 nodes. Without lone nodes, a ring connects all of them."""
    nodes = draw(st.integers(3, 12))
    pairs = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)).filter(
        lambda pair: pair[0] < pair[1]
    )
    edges = draw(st.dictionaries(pairs, st.floats(0.01, 10), max_size=20))
    ring = {} if lone else {(i, i + 1): 1.0 for i in range(nodes - 1)} | {(0, nodes - 1): 1.0}
    return matrix(nodes, ring | edges)


@st.composite
def resets(draw: st.DrawFn, nodes: int) -> NDArray[np.float64]:
    values = st.one_of(st.just(0.0), st.floats(0.001, 1))
    drawn = draw(st.lists(values, min_size=nodes, max_size=nodes).filter(any))
    return np.array(drawn)


DAMPINGS = st.sampled_from([0.1, 0.5, 0.85, 0.99])


@given(st.data(), graphs(), DAMPINGS)
def test_equals_networkx(data: st.DataObject, graph: csr_array, damping: float) -> None:
    reset = data.draw(resets(graph.shape[0]))
    chances = dict(enumerate(reset.tolist()))
    expected = networkx.pagerank(
        networkx.from_scipy_sparse_array(graph),
        alpha=damping,
        personalization=chances,
        dangling=chances,
        tol=1e-12,
        max_iter=10_000,
    )
    ranks = Walk(graph).pagerank(reset, damping)
    np.testing.assert_allclose(ranks, [expected[node] for node in range(len(reset))], atol=1e-8)


@given(st.data(), graphs(), DAMPINGS)
def test_is_a_distribution_that_ignores_scale_and_order(
    data: st.DataObject, graph: csr_array, damping: float
) -> None:
    reset = data.draw(resets(graph.shape[0]))
    ranks = Walk(graph).pagerank(reset, damping)
    assert ranks.sum() == pytest.approx(1, abs=1e-12)
    assert ranks.min() >= 0
    scaled = Walk(graph * 4.0).pagerank(reset * 1024, damping)
    np.testing.assert_array_equal(scaled, ranks)  # powers of two: to the last bit
    order = np.array(data.draw(st.permutations(range(len(reset)))))
    shuffled = Walk(graph[order][:, order]).pagerank(reset[order], damping)
    np.testing.assert_allclose(shuffled, ranks[order], atol=1e-8)


@given(st.data(), graphs(lone=False), DAMPINGS)
def test_is_linear_without_lone_nodes(
    data: st.DataObject, graph: csr_array, damping: float
) -> None:
    walk, nodes = Walk(graph), graph.shape[0]
    one, other = (reset / reset.sum() for reset in (data.draw(resets(nodes)) for _ in range(2)))
    mixed = walk.pagerank(0.3 * one + 0.7 * other, damping)
    parts = 0.3 * walk.pagerank(one, damping) + 0.7 * walk.pagerank(other, damping)
    np.testing.assert_allclose(mixed, parts, atol=2e-8)


@given(graphs(lone=False), DAMPINGS)
def test_degree_times_rank_is_symmetric(graph: csr_array, damping: float) -> None:
    walk = Walk(graph)
    ranks = np.array([walk.pagerank(row, damping, 1e-12) for row in np.eye(graph.shape[0])])
    flow = graph.sum(axis=1)[:, None] * ranks
    np.testing.assert_allclose(flow, flow.T, atol=1e-9)


@given(graphs(lone=False), DAMPINGS)
def test_a_reset_by_degree_stays(graph: csr_array, damping: float) -> None:
    degrees = graph.sum(axis=1)
    ranks = Walk(graph).pagerank(degrees, damping)
    np.testing.assert_allclose(ranks, degrees / degrees.sum(), atol=1e-8)


def test_the_tolerance_bounds_the_error() -> None:
    rng = np.random.default_rng(0)
    dense = rng.random((200, 200)) * (rng.random((200, 200)) < 0.05)
    graph = csr_array(np.triu(dense, 1) + np.triu(dense, 1).T)
    reset = rng.random(200)
    exact = np.linalg.solve(
        np.eye(200) - 0.85 * (graph / graph.sum(axis=1)).toarray(), 0.15 * reset / reset.sum()
    )
    errors = {
        tolerance: np.abs(Walk(graph).pagerank(reset, 0.85, tolerance) - exact).sum()
        for tolerance in (1e-2, 1e-5, 1e-8, 1e-13)
    }
    assert all(error <= tolerance for tolerance, error in errors.items())
    assert errors[1e-2] > 1e-8  # a larger tolerance saves products


class CountedProducts(csr_array):
    products = 0

    def __matmul__(self, other: object) -> object:
        self.products += 1
        return super().__matmul__(other)


@pytest.mark.parametrize(("damping", "most"), [(0.5, 20), (0.85, 42)])
def test_takes_fewer_products_than_power_iteration(damping: float, most: int) -> None:
    """Power iteration takes about 28 and 117: it shrinks the error by the damping."""
    long_chain = CountedProducts(matrix(100, {(i, i + 1): 1.0 for i in range(99)}))
    Walk(long_chain).pagerank(np.eye(100)[0], damping)
    assert 10 < long_chain.products <= most


def test_a_tolerance_below_the_rounding_ends() -> None:
    ranks = Walk(matrix(3, CHAIN)).pagerank(np.array([1.0, 0, 0]), 0.5, 1e-300)
    np.testing.assert_allclose(ranks, [7 / 12, 1 / 3, 1 / 12], rtol=0, atol=1e-15)


def test_without_damping_the_walk_stays_at_the_reset() -> None:
    ranks = Walk(matrix(3, CHAIN)).pagerank(np.array([3.0, 0, 1.0]), 0)
    np.testing.assert_array_equal(ranks, [0.75, 0, 0.25])


def test_without_edges_the_walk_stays_at_the_reset() -> None:
    ranks = Walk(matrix(3, {})).pagerank(np.array([3.0, 0, 1.0]), 0.5)
    np.testing.assert_allclose(ranks, [0.75, 0, 0.25])
