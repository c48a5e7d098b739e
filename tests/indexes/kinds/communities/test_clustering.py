"""Modularity by hand, and what every hierarchy of communities keeps."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.communities.clustering import (
    Hierarchy,
    cluster,
    cluster_again,
    modularity,
    partitions_before,
)

Edges = Mapping[tuple[int, int], float]

TRIANGLES = dict.fromkeys([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)], 1.0)
"""Two triangles, joined by the edge 2-3."""


def graph(edges: Edges, size: int) -> sparse.csr_array:
    ends = list(edges)
    first, second = ([pair[end] for pair in ends] for end in (0, 1))
    half = sparse.csr_array((list(edges.values()), (first, second)), shape=(size, size))
    return sparse.csr_array(half + half.T)


def blocks() -> Edges:
    """Two groups of three blocks of three vertices.

    A pair inside a block weighs 9, a pair inside a group 2, and one edge of weight 1 joins the
    groups. A block has degree 2·27 + 2·18 = 90, a group 270, and m is 271.
    """
    edges: dict[tuple[int, int], float] = {}
    for start in (0, 9):
        of_group = [range(start + 3 * block, start + 3 * block + 3) for block in range(3)]
        for block in of_group:
            edges |= dict.fromkeys(combinations(block, 2), 9.0)
        for each, other in combinations(of_group, 2):
            edges |= dict.fromkeys(product(each, other), 2.0)
    return edges | {(0, 9): 1.0}


def members(hierarchy: Hierarchy, level: int) -> list[list[int]]:
    return [hierarchy.members[row].tolist() for row in hierarchy.at(level).tolist()]


@pytest.mark.parametrize(
    ("partition", "quality"),
    [
        ([0, 0, 0, 1, 1, 1], 5 / 14),  # 2 (3/7 - (7/14)²)
        ([9, 9, 9, 4, 4, 4], 5 / 14),  # the numbers of communities do not matter
        ([0] * 6, 0),  # 1 - 1
        ([0, 1, 2, 3, 4, 5], -34 / 196),  # four vertices of degree 2, two of degree 3
        ([0, 0, 1, 1, 1, 1], 24 / 196),  # 1/7 + 4/7 - (4/14)² - (10/14)²
    ],
)
def test_modularity_by_hand(partition: list[int], quality: float) -> None:
    found = modularity(graph(TRIANGLES, 6), np.array(partition))
    assert found == pytest.approx(quality)


def test_modularity_counts_weights() -> None:
    path = graph({(0, 1): 3, (1, 2): 1}, 3)  # m = 4, degrees 3, 4, 1
    assert modularity(path, np.array([0, 0, 1])) == pytest.approx(3 / 4 - (49 + 1) / 64)
    assert modularity(graph({}, 3), np.arange(3)) == 0


def test_two_triangles_are_two_communities() -> None:
    hierarchy = cluster(graph(TRIANGLES, 6), max_size=3)
    assert members(hierarchy, 0) == [[0, 1, 2], [3, 4, 5]]
    assert (hierarchy.levels, hierarchy.parent.tolist()) == (1, [-1, -1])


def test_a_community_above_the_size_is_divided() -> None:
    # The groups are the best partition of the whole: joining two blocks gains 18/271 and loses
    # 90² / (2 · 271²) = 0.055. In a group alone, m is 135, and it would lose 90² / (2 · 135²).
    hierarchy = cluster(graph(blocks(), 18), max_size=8)
    assert members(hierarchy, 0) == [list(range(9)), list(range(9, 18))]
    assert members(hierarchy, 1) == [list(range(start, start + 3)) for start in range(0, 18, 3)]
    assert hierarchy.parent.tolist() == [-1, -1, 0, 0, 0, 1, 1, 1]
    assert cluster(graph(blocks(), 18), max_size=9).levels == 1


def test_what_is_not_divided_is_part_of_all_levels_below() -> None:
    edges = blocks() | dict.fromkeys(combinations(range(18, 21), 2), 1.0)
    hierarchy = cluster(graph(edges, 22), max_size=8)
    assert members(hierarchy, 0)[2:] == [[18, 19, 20], [21]]
    assert members(hierarchy, 1)[:2] == [[18, 19, 20], [21]]
    assert hierarchy.partition(1)[18:].tolist() == [2, 2, 2, 3]


def test_a_clique_stays_whole_above_the_size() -> None:
    clique = dict.fromkeys(combinations(range(6), 2), 1.0)
    assert members(cluster(graph(clique, 6), max_size=2), 0) == [list(range(6))]


def test_loops_change_nothing_and_an_empty_graph_has_no_level() -> None:
    looped = graph(TRIANGLES, 6) + sparse.diags_array([50.0, 0, 0, 0, 0, 0])
    assert members(cluster(sparse.csr_array(looped), max_size=3), 0) == [[0, 1, 2], [3, 4, 5]]
    empty = cluster(graph({}, 0), max_size=3)
    assert (len(empty), empty.levels) == (0, 0)
    assert members(cluster(graph({}, 3), max_size=3), 0) == [[0], [1], [2]]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Edges, int]:
    size = draw(st.integers(1, 24))
    pairs = st.tuples(st.integers(0, size - 1), st.integers(0, size - 1))
    drawn = draw(st.dictionaries(pairs, st.sampled_from([0.5, 1.0, 2.0, 7.0]), max_size=60))
    return {(each, other): weight for (each, other), weight in drawn.items() if each < other}, size


@given(graphs(), st.integers(1, 6))
def test_every_level_holds_each_entity_once(made: tuple[Edges, int], max_size: int) -> None:
    edges, size = made
    weights = graph(edges, size)
    hierarchy = cluster(weights, max_size=max_size)
    _, component = sparse.csgraph.connected_components(weights)
    for level in range(hierarchy.levels):
        found = members(hierarchy, level)
        assert sorted(entity for each in found for entity in each) == list(range(size))
        assert all(each == sorted(each) and len(set(component[each])) == 1 for each in found)
        partition = hierarchy.partition(level).tolist()
        assert [hierarchy.members[row].tolist().count(e) for e, row in enumerate(partition)] == (
            [1] * size
        )
        own = [hierarchy.members[row].tolist() for row in np.flatnonzero(hierarchy.level == level)]
        assert own == sorted(own, key=lambda each: (-len(each), each[0]))
    assert modularity(weights, hierarchy.partition(0)) >= 0


@given(graphs(), st.integers(1, 6))
def test_children_divide_their_parent(made: tuple[Edges, int], max_size: int) -> None:
    hierarchy = cluster(graph(*made), max_size=max_size)
    parent = hierarchy.parent
    for row in range(len(hierarchy)):
        children = [hierarchy.members[child].tolist() for child in np.flatnonzero(parent == row)]
        assert len(children) != 1
        own = hierarchy.members[row].tolist()
        if children:
            assert len(own) > max_size
            assert sorted(entity for each in children for entity in each) == own
    below = hierarchy.level[parent >= 0]
    assert np.array_equal(below, hierarchy.level[parent[parent >= 0]] + 1)


@given(graphs(), st.randoms(use_true_random=False))
def test_the_order_of_edges_does_not_matter(made: tuple[Edges, int], random: Random) -> None:
    edges, size = made
    shuffled = [(pair[::-1] if random.random() < 0.5 else pair) for pair in edges]
    random.shuffle(shuffled)
    other = {pair: edges[pair if pair in edges else pair[::-1]] for pair in shuffled}
    one, two = (cluster(graph(each, size), max_size=3) for each in (edges, other))
    assert np.array_equal(one.level, two.level)
    assert np.array_equal(one.parent, two.parent)
    assert np.array_equal(one.members.values, two.members.values)
    assert np.array_equal(one.members.bounds, two.members.bounds)


def test_modularity_of_each_level_by_hand() -> None:
    weights = graph(blocks(), 18)
    hierarchy = cluster(weights, max_size=8)
    groups, parts = (modularity(weights, hierarchy.partition(level)) for level in (0, 1))
    assert groups == pytest.approx(270 / 271 - 2 * (271 / 542) ** 2)
    assert parts == pytest.approx(162 / 271 - (4 * 90**2 + 2 * 91**2) / 542**2)


# From earlier communities


def labels_of(*texts: str) -> Ragged:
    return Ragged.of_texts(texts)


def test_earlier_communities_stay_though_another_division_is_as_good() -> None:
    # A square has two divisions into opposite sides, of the same modularity.
    square = graph(dict.fromkeys([(0, 1), (1, 2), (2, 3), (0, 3)], 1.0), 4)
    for before in ([0, 0, 1, 1], [0, 1, 1, 0]):
        found = cluster(square, max_size=4, before=[np.array(before)])
        same = found.partition(0)[:, None] == found.partition(0)
        wanted = np.array(before)[:, None] == np.array(before)
        assert (same == wanted).all()


def test_a_new_entity_joins_the_community_that_it_is_tied_to() -> None:
    edges = TRIANGLES | {(6, 5): 1.0, (6, 4): 1.0}
    found = cluster(graph(edges, 7), max_size=9, before=[np.array([0, 0, 0, 1, 1, 1, -1])])
    assert members(found, 0) == [[3, 4, 5, 6], [0, 1, 2]]


def test_an_entity_that_has_lost_its_edges_is_alone() -> None:
    edges = {pair: weight for pair, weight in TRIANGLES.items() if 5 not in pair}
    found = cluster(graph(edges, 6), max_size=9, before=[np.array([0, 0, 0, 1, 1, 1])])
    assert [5] in members(found, 0)


def test_entities_of_two_generations_are_the_same_by_their_label() -> None:
    last = cluster(graph(TRIANGLES, 6), max_size=9)
    names = labels_of("Ada", "Bo", "Cy", "Di", "Ed", "Ada")
    [before] = partitions_before(last, names, labels_of("Ada", "New", "Ada", "Di", "Ada"))
    first, second = last.partition(0)[[0, 5]].tolist()
    assert before.tolist() == [first, -1, second, last.partition(0)[3], -1]


def test_communities_far_worse_than_a_clustering_from_scratch_are_not_kept() -> None:
    weights = graph(blocks(), 18)
    good = cluster(weights, max_size=3)
    apart = np.arange(18) % 2  # no community; Leiden cannot repair all of it in one cycle
    found = cluster_again(weights, max_size=3, before=[apart])
    for level in range(found.levels):
        kept = modularity(weights, found.partition(level))
        assert kept >= 0.98 * modularity(weights, good.partition(level))


@given(st.integers(2, 30), st.integers(0, 10_000))
def test_levels_from_earlier_communities_are_nested_partitions(size: int, seed: int) -> None:
    random = Random(seed)
    edges = {
        pair: random.random() + 0.01
        for pair in combinations(range(size), 2)
        if random.random() < 0.3
    }
    before = np.array([random.randrange(-1, 4) for _ in range(size)])
    found = cluster(graph(edges, size), max_size=3, before=[before])
    for level in range(found.levels):
        held = sorted(entity for part in members(found, level) for entity in part)
        assert held == list(range(size))
    for row in range(len(found)):
        if (parent := int(found.parent[row])) >= 0:
            assert {*found.members[row].tolist()} <= {*found.members[parent].tolist()}
