from __future__ import annotations

from itertools import permutations
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.classifiers.contributions import (
    MOST_PASSAGES,
    CoalitionValues,
    coalitions,
    contributions,
    needs_retrieval,
    passage_contributions,
    shares_of_answer,
)
from hopyard.state.errors import UsageError

values = st.floats(-20, 20, allow_nan=False, width=32)
four_values = st.builds(CoalitionValues, values, values, values, values)


def test_worked_by_hand() -> None:
    found = contributions(CoalitionValues(none=0.1, question=0.5, passages=1.1, both=2.0))
    assert found.question == pytest.approx(0.65)  # ½[(2.0 − 1.1) + (0.5 − 0.1)]
    assert found.passages == pytest.approx(1.25)  # ½[(2.0 − 0.5) + (1.1 − 0.1)]
    assert needs_retrieval(found)


@given(four_values)
def test_captum_gives_the_closed_form_and_its_axioms(v: CoalitionValues) -> None:
    found = contributions(v)
    closed = ((v.both - v.passages) + (v.question - v.none)) / 2
    assert found.question == pytest.approx(closed, abs=1e-5)
    assert found.question + found.passages == pytest.approx(v.both - v.none, abs=1e-5)
    # What both do together, and neither, cancels out.
    apart = v.passages - v.question
    assert found.passages - found.question == pytest.approx(apart, abs=1e-5)


def test_a_tie_retrieves_and_a_null_player_gets_nothing() -> None:
    assert needs_retrieval(contributions(CoalitionValues(0, 1, 1, 2)))
    assert contributions(CoalitionValues(1, 1, 3, 3)).question == pytest.approx(0)


tables = st.integers(0, 4).flatmap(lambda k: st.lists(values, min_size=2**k, max_size=2**k))
"""v of every coalition of up to four passages."""


def value_of(table: list[float], *passages: int) -> float:
    return table[sum(1 << place for place in passages)]


def by_orders(table: list[float]) -> list[float]:
    """The definition: what a passage adds to those before it, averaged over all orders."""
    passages = range(len(table).bit_length() - 1)
    return [
        sum(
            value_of(table, *order[: order.index(passage) + 1])
            - value_of(table, *order[: order.index(passage)])
            for order in permutations(passages)
        )
        / factorial(len(passages))
        for passage in passages
    ]


def test_coalitions_come_after_those_in_them() -> None:
    assert coalitions(0) == [()]
    assert coalitions(3) == [(), (0,), (1,), (0, 1), (2,), (0, 2), (1, 2), (0, 1, 2)]
    assert len(coalitions(5)) == 32


def test_passages_worked_by_hand() -> None:
    """A bridge question: 0 and 1 are needed together, 2 holds half of the answer alone."""
    #        –    0    1   01   2   02   12  012
    table = [0.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.5, 1.0]
    found = passage_contributions(table)
    # Over the six orders passage 0 adds 0, 0, 1, ½, 0 and ½.
    assert found == pytest.approx((1 / 3, 1 / 3, 1 / 3))
    # Without passage 2's half: it adds nothing, and 0 and 1 share the answer.
    assert passage_contributions([0, 0, 0, 1, 0, 0, 0, 1]) == pytest.approx((0.5, 0.5, 0))
    # A passage that misleads: alone it takes away what the model says without any.
    assert passage_contributions([0.5, 1.0, 0.0, 1.0]) == pytest.approx((0.75, -0.25))


@given(tables)
def test_the_formula_gives_the_definition_for_passages(table: list[float]) -> None:
    found = passage_contributions(table)
    assert found == pytest.approx(by_orders(table), abs=1e-9)


def test_no_passage_one_passage_and_too_many() -> None:
    assert passage_contributions([0.3]) == ()
    assert passage_contributions([0.25, 1.0]) == pytest.approx((0.75,))
    with pytest.raises(UsageError, match=r"256 coalitions.*at most 7.*retrieval\.k=7"):
        passage_contributions([0.0] * 2 ** (MOST_PASSAGES + 1))
    for count in (0, 3):
        with pytest.raises(ValueError, match=f"{count} values"):
            passage_contributions([0.0] * count)


def test_shares_worked_by_hand() -> None:
    """Eight equal passages, two of them players: an eighth each, and six elsewhere."""
    shares = shares_of_answer([0, 1 / 8, 1 / 8, 2 / 8], 1.0)
    assert shares.passages == pytest.approx((1 / 8, 1 / 8))
    assert (shares.others, shares.without) == pytest.approx((6 / 8, 0))


@pytest.mark.parametrize(
    ("table", "everything", "passages", "others", "without"),
    [
        ([0.2, 0.8], 0.8, (0.6,), 0.0, 0.2),  # a fifth does not come back
        ([0.0, 0.0], 0.0, (0.0,), 0.0, 0.0),  # nothing comes back
        ([0.0, 0.5], 0.0, (0.0,), 0.0, 0.0),  # the other passages mislead
        ([0.0, 0.6], 0.3, (0.3,), 0.0, 0.0),  # the other passages take half of it away
        ([0.5, 0.0], 0.5, (0.0,), 0.25, 0.25),  # the player misleads, the others make up for it
        ([1.0], 1.0, (), 0.0, 1.0),
    ],
)
def test_shares_of_what_comes_back(
    table: list[float],
    everything: float,
    passages: tuple[float, ...],
    others: float,
    without: float,
) -> None:
    shares = shares_of_answer(table, everything)
    assert shares.passages == pytest.approx(passages)
    assert (shares.others, shares.without) == pytest.approx((others, without))


parts = st.floats(0, 1, width=32)


@given(st.lists(parts, min_size=8, max_size=8), parts)
def test_shares_add_up_to_the_value_of_all(table: list[float], everything: float) -> None:
    shares = shares_of_answer(table, everything)
    each = [*shares.passages, shares.others, shares.without]
    assert all(0 <= share <= 1 for share in each)
    assert sum(each) == pytest.approx(everything if any(each) else 0, abs=1e-9)
