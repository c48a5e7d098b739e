from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.passage_graph import edges as matching
from hopyard.indexes.kinds.passage_graph.edges import best_matches
from hopyard.indexes.kinds.passage_graph.questions import Questions

Ask = Callable[..., Questions]
Literal = Callable[[Questions, Questions], tuple[list[int], list[float]]]

WORDS = "abcdef"
# Few directions, so that equal vectors, equal questions and ties turn up all the time.
DIRECTIONS = [(1, 0, 0), (0, 1, 0), (0, 0, 1), (3, 4, 0), (-1, 0, 0), (1, 1, 1), (2, 2, 1)]

Row = tuple[int, frozenset[str], tuple[float, ...]]


def _rows(passages: int = 3, most: int = 8) -> st.SearchStrategy[list[Row]]:
    direction = st.sampled_from(DIRECTIONS) | st.tuples(*[st.integers(1, 9)] * 3)
    row = st.tuples(
        st.integers(0, passages), st.frozensets(st.sampled_from(WORDS), max_size=3), direction
    )
    return st.lists(row, max_size=most)


def _questions(ask: Ask, rows: list[Row]) -> Questions:
    return ask(*zip(*rows, strict=True)) if rows else ask([], [], np.empty((0, 3)))


@pytest.fixture(params=["as shipped", "tiny blocks"])
def _constants(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small inputs must need several blocks, too."""
    if request.param == "tiny blocks":
        monkeypatch.setattr(matching, "_PAIRS", 5)
        monkeypatch.setattr(matching, "_SCORED", 2)


def test_a_graph_worked_by_hand(ask: Ask) -> None:
    """Three passages. 0: Shire, 1: Frodo, 2: Gondor."""
    outcoming = ask(
        owners=[0, 0, 1, 2],
        keywords=[{"frodo"}, {"gondor", "king"}, set(), {"frodo"}],
        vectors=[(1, 0), (0, 1), (0.6, 0.8), (0, 1)],
    )
    incoming = ask(
        owners=[0, 1, 2, 2],
        keywords=[{"shire"}, {"frodo"}, {"gondor"}, {"gondor", "king"}],
        vectors=[(1, 0), (0.6, 0.8), (0, 1), (-1, 0)],
    )
    matches = best_matches(outcoming, incoming)
    # 0 {frodo} (1,0):        1 -> (1 + 0.6)/2 = 0.8;  2, 3 -> 0, -0.5
    # 0 {gondor, king} (0,1): 1 -> 0.8/2;  2 -> (1/2 + 1)/2 = 0.75;  3 -> (1 + 0)/2 = 0.5
    # 1 {} (0.6,0.8):         0 -> 0.3;  2 -> 0.4;  3 -> -0.3; its own question, 1, is left out
    # 2 {frodo} (0,1):        0 -> 0;  1 -> (1 + 0.8)/2 = 0.9
    assert matches.incoming.tolist() == [1, 2, 2, 1]
    np.testing.assert_allclose(matches.similarity, [0.8, 0.75, 0.4, 0.9], atol=1e-7)


def test_the_first_wins_among_equals(ask: Ask) -> None:
    outcoming = ask([0, 1], [{"a"}, {"a"}], [(1, 0), (1, 0)])
    incoming = ask([1, 2, 0, 1], [{"a"}] * 4, [(1, 0)] * 4)
    assert best_matches(outcoming, incoming).incoming.tolist() == [0, 1]


def test_a_near_vector_without_keyword_beats_a_far_one_with(ask: Ask) -> None:
    outcoming = ask([0], [{"a", "b", "c"}], [(1, 0)])
    incoming = ask([1, 2], [{"c", "d", "e"}, {"f"}], [(0, 1), (1, 0.1)])
    assert best_matches(outcoming, incoming).incoming.tolist() == [1]


def test_no_match_where_no_other_passage_asks(ask: Ask) -> None:
    outcoming = ask([0, 1], [{"a"}, {"a"}], [(1, 0), (1, 0)])
    incoming = ask([0, 0], [{"a"}, set()], [(1, 0), (0, 1)])
    matches = best_matches(outcoming, incoming)
    assert matches.incoming.tolist() == [-1, 0]
    assert matches.similarity.tolist() == [float("-inf"), 1.0]


def test_empty_sides(ask: Ask) -> None:
    none, one = _questions(ask, []), _questions(ask, [(0, frozenset("a"), (1, 0, 0))])
    assert best_matches(none, one).incoming.tolist() == []
    assert best_matches(none, none).incoming.tolist() == []
    assert best_matches(one, none).incoming.tolist() == [-1]


@given(outcoming=_rows(), incoming=_rows())
@pytest.mark.usefixtures("_constants")
def test_equal_to_every_pair_scored(
    ask: Ask, literal: Literal, outcoming: list[Row], incoming: list[Row]
) -> None:
    out, into = _questions(ask, outcoming), _questions(ask, incoming)
    matches = best_matches(out, into)
    assert (matches.incoming.tolist(), matches.similarity.tolist()) == literal(out, into)


def test_equal_to_every_pair_scored_on_real_sizes(ask: Ask, literal: Literal) -> None:
    """Zipf keywords and 384 dimensions."""
    rng = np.random.default_rng(7)

    def draw(count: int) -> Questions:
        words = [
            frozenset(f"w{code}" for code in rng.zipf(1.4, rng.integers(4))) for _ in range(count)
        ]
        topics = rng.standard_normal((20, 384))[rng.integers(20, size=count)]
        return ask(rng.integers(60, size=count), words, topics + rng.standard_normal((count, 384)))

    out, into = draw(250), draw(400)
    matches = best_matches(out, into)
    assert (matches.incoming.tolist(), matches.similarity.tolist()) == literal(out, into)
