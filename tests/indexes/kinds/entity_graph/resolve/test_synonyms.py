import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.resolve import synonyms
from hopyard.indexes.kinds.entity_graph.resolve.synonyms import (
    NO_SYNONYMS,
    Synonyms,
    carry_over,
    find_synonyms,
)

POOL = [f"name {first}{second}" for first in "abcdef" for second in "xyz"]


def unit(*rows: tuple[float, ...]) -> NDArray[np.float32]:
    vectors = np.array(rows, dtype=np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def pool_vectors(names: list[str]) -> NDArray[np.float32]:
    """Vectors of few directions, so that names are near, and equally near, all the time."""
    rng = np.random.default_rng(5)
    directions = unit(*rng.integers(0, 3, (len(POOL), 3)) + np.float32(0.1))
    return directions[[POOL.index(name) for name in names]]


def same(left: Synonyms, right: Synonyms) -> None:
    np.testing.assert_array_equal(left.pairs, right.pairs)
    np.testing.assert_array_equal(left.similarity, right.similarity)


def test_pairs_worked_by_hand() -> None:
    names = ["alpha", "beta", "gamma", "us", "zeta 1963", "1963"]
    names = sorted(names)
    vectors = {
        "alpha": (1, 0, 0),
        "beta": (4, 3, 0),  # 0.8 to alpha
        "gamma": (0, 1, 0),  # 0.6 to beta
        "us": (1, 0, 0),  # two letters
        "1963": (1, 0, 0),  # a number
        "zeta 1963": (12, 5, 0),  # 12/13 to alpha, (48 + 15) / 65 to beta
    }
    found = find_synonyms(names, unit(*(vectors[name] for name in names)), threshold=0.79)
    pairs = [(names[left], names[right]) for left, right in found.pairs]
    assert pairs == [("alpha", "beta"), ("alpha", "zeta 1963"), ("beta", "zeta 1963")]
    np.testing.assert_allclose(found.similarity, [0.8, 12 / 13, 63 / 65], atol=1e-6)


def test_a_pair_stays_if_one_of_the_two_chooses_it() -> None:
    # hub chooses near; the far names choose hub, which chooses neither.
    names = ["far a", "far b", "hub", "near"]
    vectors = unit((1, 0.5, 0), (1, -0.5, 0), (1, 0, 0), (1, 0, 0.1))
    found = find_synonyms(names, vectors, threshold=0.8, most=1)
    assert found.pairs.tolist() == [[0, 2], [1, 2], [2, 3]]


def test_nothing_to_search() -> None:
    assert len(find_synonyms([], np.empty((0, 3), np.float32))) == 0
    assert len(find_synonyms(["1963", "us"], unit((1, 0), (1, 0)))) == 0
    with pytest.raises(ValueError, match="1 names and 2 vectors"):
        find_synonyms(["one name"], unit((1, 0), (1, 0)))


@given(
    before=st.sets(st.sampled_from(POOL)),
    now=st.sets(st.sampled_from(POOL)),
    most=st.integers(1, 5),
    threshold=st.sampled_from([0.8, 0.95]),
)
def test_an_update_equals_starting_over(
    before: set[str], now: set[str], most: int, threshold: float
) -> None:
    def find(names: list[str], previous: tuple[list[str], Synonyms] | None) -> Synonyms:
        vectors = pool_vectors(names)
        return find_synonyms(names, vectors, threshold=threshold, most=most, previous=previous)

    old = sorted(before)
    first = find(old, None)
    updated = find(sorted(now), (old, first))
    same(updated, find(sorted(now), None))
    # What was added and removed leaves no trace.
    same(find(old, (sorted(now), updated)), first)


@given(names=st.sets(st.sampled_from(POOL)), most=st.integers(1, 4))
def test_blocks_do_not_show(names: set[str], most: int) -> None:
    rows = sorted(names)
    whole = find_synonyms(rows, pool_vectors(rows), most=most)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(synonyms, "_BLOCK", 2)
        same(find_synonyms(rows, pool_vectors(rows), most=most), whole)


def test_hnsw_finds_nearly_all_pairs() -> None:
    rng = np.random.default_rng(0)
    centres = np.repeat(rng.standard_normal((200, 16)), 5, axis=0)
    vectors = unit(*(centres + 0.2 * rng.standard_normal(centres.shape)))
    names = [f"name {number:04}x" for number in range(len(vectors))]
    exact = find_synonyms(names, vectors)
    rough = find_synonyms(names, vectors, exact_pairs=0)
    everything = {tuple(pair) for pair in exact.pairs.tolist()}
    found = {tuple(pair) for pair in rough.pairs.tolist()}
    assert found <= everything
    assert len(found) > 0.98 * len(everything) > 1000
    same(rough, find_synonyms(names, vectors, exact_pairs=0))


def test_carry_over_drops_vanished_names() -> None:
    old = Synonyms(np.array([[0, 1], [0, 2]]), np.array([0.9, 0.8]))
    kept = carry_over(old, ["a", "b", "c"], ["a", "aa", "c"])
    assert kept.pairs.tolist() == [[0, 2]]
    assert kept.similarity.tolist() == [0.8]
    assert len(carry_over(NO_SYNONYMS, [], ["a"])) == 0
