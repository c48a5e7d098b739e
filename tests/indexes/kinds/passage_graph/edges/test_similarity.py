import numpy as np
import pytest

from hopyard.indexes.kinds.passage_graph.similarity import (
    jaccard,
    row_cosines,
    similarities,
    similarity,
)

EAST = np.array([1, 0], dtype=np.float32)
NORTH = np.array([0, 1], dtype=np.float32)
BETWEEN = np.array([0.6, 0.8], dtype=np.float32)


def test_jaccard_by_hand() -> None:
    assert jaccard({"frodo", "gondor"}, {"gondor", "aragorn"}) == pytest.approx(1 / 3)
    assert jaccard({"frodo"}, {"frodo"}) == 1.0
    assert jaccard({"frodo"}, {"sam"}) == 0.0


def test_two_empty_keyword_sets_have_nothing_in_common() -> None:
    assert jaccard(set(), set()) == 0.0


@pytest.mark.parametrize(
    ("left", "right", "vector", "expected"),
    [
        ({"frodo"}, {"frodo"}, EAST, 1.0),
        ({"frodo"}, {"sam"}, EAST, 0.5),
        ({"frodo"}, {"frodo", "sam"}, NORTH, 0.25),
        ({"frodo"}, {"frodo", "sam"}, BETWEEN, (0.5 + 0.6) / 2),
        (set(), set(), -EAST, -0.5),
    ],
)
def test_similarity_is_the_mean_of_jaccard_and_cosine(
    left: set[str], right: set[str], vector: np.ndarray, expected: float
) -> None:
    assert similarity(left, right, EAST, vector) == pytest.approx(expected, abs=1e-7)
    assert similarity(right, left, vector, EAST) == similarity(left, right, EAST, vector)


def test_one_against_many_is_each_pair() -> None:
    others = np.stack([EAST, NORTH, BETWEEN])
    words = [{"a"}, {"a", "b"}, set()]
    each = [similarity({"a"}, word, EAST, other) for word, other in zip(words, others, strict=True)]
    np.testing.assert_allclose(similarities({"a"}, EAST, words, others), each, atol=1e-7)


def test_a_pair_scores_the_same_to_the_last_bit_in_any_block() -> None:
    rng = np.random.default_rng(0)
    left = rng.standard_normal((257, 384)).astype(np.float32)
    right = rng.standard_normal((257, 384)).astype(np.float32)
    together = row_cosines(left, right)
    alone = [row_cosines(left[i : i + 1], right[i : i + 1])[0] for i in range(len(left))]
    np.testing.assert_array_equal(together, alone)
