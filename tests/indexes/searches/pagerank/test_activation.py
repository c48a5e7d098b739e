"""Hand-worked activations: a' = a·cos, highest kept."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.searches.pagerank.linear import Activation, activate, min_max, passage_reset


def run(
    seeds: Mapping[int, float],
    sentences: Sequence[Sequence[int]],
    cosines: Sequence[float],
    *,
    rounds: int = 2,
    threshold: float = 0.5,
    top_k: int = 1,
) -> dict[int, tuple[float, int]]:
    """Weight and level by entity. `sentences` holds the entities of each sentence."""
    entities = 1 + max([*seeds, *(entity for sentence in sentences for entity in sentence)])
    sentences_of = [
        [row for row, sentence in enumerate(sentences) if entity in sentence]
        for entity in range(entities)
    ]
    found = activate(
        seeds,
        Ragged.of(sentences_of, np.int64),
        Ragged.of(sentences, np.int64),
        lambda rows: np.array(cosines)[rows],
        rounds=rounds,
        threshold=threshold,
        top_k=top_k,
    )
    assert found.entities.tolist() == sorted(found.entities.tolist())
    pairs = zip(found.weights.tolist(), found.levels.tolist(), strict=True)
    return dict(zip(found.entities.tolist(), pairs, strict=True))


@pytest.mark.parametrize("rounds", [1, 2, 9])
def test_a_seed_keeps_its_score_in_its_own_sentence(rounds: int) -> None:
    found = run({0: 0.9}, [[0, 1]], [0.8], rounds=rounds)
    assert found == {0: (0.9, 1), 1: (pytest.approx(0.72), 2)}


CHAIN = [[0, 1], [1, 2], [2, 3]]


@pytest.mark.parametrize(("rounds", "reached"), [(0, 1), (1, 2), (2, 3), (3, 4), (9, 4)])
def test_each_round_is_a_hop(rounds: int, reached: int) -> None:
    found = run({0: 1.0}, CHAIN, [0.9, 0.9, 0.9], rounds=rounds)
    assert found == {row: (pytest.approx(0.9**row), row + 1) for row in range(reached)}


def test_the_threshold_prunes_an_activation() -> None:
    assert list(run({0: 1.0}, CHAIN, [0.8, 0.6, 0.9], rounds=3)) == [0, 1]  # 0.48 < 0.5
    assert list(run({0: 1.0}, CHAIN, [0.5, 1.0, 1.0], rounds=3)) == [0, 1, 2, 3]  # 0.5 passes


def test_a_seed_below_the_threshold_activates_no_other() -> None:
    assert run({0: 0.4}, [[0, 1]], [1.0], threshold=0.5) == {0: (0.4, 1)}


def test_a_seed_that_is_not_positive_is_left_out() -> None:
    assert run({0: -0.2, 1: 0.0, 2: 0.3}, [[0, 1, 2]], [1.0], threshold=0) == {
        0: (0.3, 2),
        1: (0.3, 2),
        2: (0.3, 1),
    }


def test_no_seed_activates_nothing() -> None:
    found = activate(
        {},
        Ragged.of([[0]], np.int64),
        Ragged.of([[0]], np.int64),
        lambda rows: np.ones(len(rows)),
        rounds=2,
        threshold=0.5,
        top_k=1,
    )
    assert [len(part) for part in found] == [0, 0, 0]


def test_an_entity_takes_its_best_sentences() -> None:
    sentences = [[0, 1], [0, 2], [0, 3]]
    assert list(run({0: 1.0}, sentences, [0.7, 0.9, 0.8], rounds=1)) == [0, 2]
    assert list(run({0: 1.0}, sentences, [0.7, 0.9, 0.8], rounds=1, top_k=2)) == [0, 2, 3]


def test_equal_sentences_are_taken_by_row() -> None:
    sentences = [[0, row] for row in range(1, 40)]
    assert list(run({0: 1.0}, sentences, [0.7] * 39, rounds=1, top_k=3)) == [0, 1, 2, 3]


def test_a_sentence_is_used_once_and_the_strongest_takes_first() -> None:
    # Both seeds are in sentence 0. Seed 1 is stronger, so seed 0 takes sentence 1.
    found = run({0: 0.8, 1: 0.9}, [[0, 1, 2], [0, 3]], [0.9, 0.8], rounds=1)
    assert found == {
        0: (pytest.approx(0.81), 1),  # raised from 0.8 by seed 1
        1: (0.9, 1),
        2: (pytest.approx(0.81), 2),
        3: (pytest.approx(0.64), 2),
    }


def test_a_higher_activation_replaces_a_lower_and_keeps_the_level() -> None:
    # Entity 2 gets 0.5 from seed 0 in round 1, 0.9·0.9 from entity 3 in round 2.
    found = run({0: 0.5, 1: 1.0}, [[0, 2], [1, 3], [3, 2]], [1.0, 0.9, 0.9])
    assert found[2] == (pytest.approx(0.81), 2)
    assert found[3] == (pytest.approx(0.9), 2)


@st.composite
def texts(draw: st.DrawFn) -> tuple[dict[int, float], list[list[int]], list[float]]:
    entities = st.integers(0, 8)
    sentences = draw(st.lists(st.lists(entities, max_size=4, unique=True), min_size=1, max_size=12))
    cosines = draw(st.lists(st.floats(-1, 1), min_size=len(sentences), max_size=len(sentences)))
    return draw(st.dictionaries(entities, st.floats(0.01, 1), min_size=1)), sentences, cosines


@given(texts(), st.integers(0, 5), st.floats(0, 1), st.integers(1, 4))
def test_order_of_seeds_and_bounds(
    text: tuple[dict[int, float], list[list[int]], list[float]],
    rounds: int,
    threshold: float,
    top_k: int,
) -> None:
    seeds, sentences, cosines = text
    found = run(seeds, sentences, cosines, rounds=rounds, threshold=threshold, top_k=top_k)
    backwards = dict(reversed(seeds.items()))
    again = run(backwards, sentences, cosines, rounds=rounds, threshold=threshold, top_k=top_k)
    assert again == found
    for entity, (weight, level) in found.items():
        assert weight <= max(seeds.values())  # the paper's formula grows without bound
        assert level <= rounds + 1
        assert (level == 1) == (entity in seeds)
        assert weight >= seeds.get(entity, threshold)


def active(**levels: tuple[float, int]) -> Activation:
    """Entities 0, 1, … with a weight and a level each."""
    weights, rounds = zip(*levels.values(), strict=True) if levels else ((), ())
    return Activation(np.arange(len(levels)), np.array(weights, float), np.array(rounds, np.int64))


def counts(rows: list[list[int]]) -> csr_array:
    return csr_array(np.array(rows))


@pytest.mark.parametrize(("level", "expected"), [(1, 0.1065), (2, 0.0932)])
def test_reset_of_a_passage_by_hand(level: int, expected: float) -> None:
    # 0.05·(1.5·1 + ln(1 + 0.8·ln 3 / level)); the second passage: 0 and no entity.
    reset = passage_reset(np.array([0.7, 0.2]), active(a=(0.8, level)), counts([[2, 0]]), ratio=1.5)
    np.testing.assert_allclose(reset, [expected, 0], atol=5e-5)


def test_reset_adds_up_the_entities_of_a_passage() -> None:
    reset = passage_reset(
        np.array([0.7, 0.2, 0.2]),
        active(a=(0.8, 1), b=(0.6, 3)),
        counts([[0, 1, 0], [0, 4, 1], [9, 9, 9]]),  # the third entity is not active
        ratio=2,
    )
    second = np.log(1 + 0.8 * np.log(2) + 0.6 * np.log(5) / 3)
    third = np.log(1 + 0.6 * np.log(2) / 3)
    np.testing.assert_allclose(reset, 0.05 * np.array([2, second, third]))


def test_reset_without_entities_ranks_as_the_cosines() -> None:
    reset = passage_reset(np.array([0.3, 0.9, 0.5]), active(), counts([[1, 1, 1]]), ratio=1)
    np.testing.assert_allclose(reset, [0, 0.05, 0.05 / 3])


@pytest.mark.parametrize(
    ("scores", "expected"),
    [([3, 1, 2], [1, 0, 0.5]), ([0.4, 0.4], [1, 1]), ([-0.3], [1]), ([], [])],
)
def test_min_max(scores: list[float], expected: list[float]) -> None:
    np.testing.assert_allclose(min_max(np.array(scores)), expected)
