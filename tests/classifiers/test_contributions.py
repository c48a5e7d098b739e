from __future__ import annotations

from itertools import permutations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopyard.classifiers.contributions import (
    MOST_PASSAGES,
    CoalitionValues,
    captum_contributions,
    captum_values,
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


@settings(deadline=None)
@given(four_values)
def test_efficiency(given_values: CoalitionValues) -> None:
    found = contributions(given_values)
    assert found.question + found.passages == pytest.approx(
        given_values.both - given_values.none, abs=1e-9
    )


@settings(deadline=None)
@given(none=values, alone=values, both=values)
def test_symmetry(none: float, alone: float, both: float) -> None:
    found = contributions(CoalitionValues(none, alone, alone, both))
    assert found.question == pytest.approx(found.passages, abs=1e-9)
    assert needs_retrieval(contributions(CoalitionValues(0, 1, 1, 2)))  # a tie retrieves


@settings(deadline=None)
@given(none=values, passages=values)
def test_a_null_player_gets_nothing(none: float, passages: float) -> None:
    found = contributions(CoalitionValues(none, none, passages, passages))
    assert found.question == pytest.approx(0, abs=1e-9)
    assert found.passages == pytest.approx(passages - none, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(four_values)
def test_captum_gives_the_closed_form(given_values: CoalitionValues) -> None:
    closed, found = contributions(given_values), captum_contributions(given_values)
    assert found.question == pytest.approx(closed.question, abs=1e-5)
    assert found.passages == pytest.approx(closed.passages, abs=1e-5)


@settings(deadline=None)
@given(four_values)
def test_the_label_asks_which_of_the_two_does_better_alone(given_values: CoalitionValues) -> None:
    """φ_D − φ_q = v(D) − v(q): what both do together, and neither, cancels out."""
    found = contributions(given_values)
    apart = given_values.passages - given_values.question
    assert found.passages - found.question == pytest.approx(apart, abs=1e-9)


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


@settings(max_examples=50, deadline=None)
@given(tables)
def test_the_formula_and_captum_give_the_definition_for_passages(table: list[float]) -> None:
    found = passage_contributions(table)
    assert found == pytest.approx(by_orders(table), abs=1e-9)
    assert captum_values(table) == pytest.approx(found, abs=1e-4)


@settings(max_examples=50, deadline=None)
@given(tables)
def test_passages_share_what_they_add(table: list[float]) -> None:
    assert sum(passage_contributions(table)) == pytest.approx(table[-1] - table[0], abs=1e-4)


@settings(max_examples=50, deadline=None)
@given(st.lists(values, min_size=8, max_size=8))
def test_passages_that_do_the_same_get_the_same(table: list[float]) -> None:
    table[2], table[6] = table[1], table[5]  # {1} as {0}, {1, 2} as {0, 2}
    found = passage_contributions(table)
    assert found[0] == pytest.approx(found[1], abs=1e-4)


@settings(max_examples=50, deadline=None)
@given(st.lists(values, min_size=4, max_size=4))
def test_a_passage_that_changes_nothing_gets_nothing(table: list[float]) -> None:
    """Passage 1 is the null player: every coalition is worth the same without it."""
    none, first, third, both = table
    found = passage_contributions([none, first, none, first, third, both, third, both])
    assert found[1] == pytest.approx(0, abs=1e-4)
    assert (found[0], found[2]) == pytest.approx(passage_contributions(table), abs=1e-4)


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


@settings(max_examples=50, deadline=None)
@given(st.lists(parts, min_size=8, max_size=8), parts)
def test_shares_add_up_to_the_value_of_all(table: list[float], everything: float) -> None:
    shares = shares_of_answer(table, everything)
    each = [*shares.passages, shares.others, shares.without]
    assert all(0 <= share <= 1 for share in each)
    assert sum(each) == pytest.approx(everything if any(each) else 0, abs=1e-9)
