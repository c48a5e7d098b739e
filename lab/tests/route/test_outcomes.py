"""The oracle: worked by hand, and what holds for all outcomes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.route.outcomes import Answered, Outcome, best_strategy, cheapest_as_good_as, oracle

NAMES = ("direct", "single", "chain")


def answered(**outcomes: tuple[float, bool, float]) -> Answered:
    made = {name: Outcome(*values, calls=1) for name, values in outcomes.items()}
    return Answered("bridges", "q", "When?", made)


GUESSED = answered(direct=(1.0, True, 150), single=(1.0, True, 900), chain=(1.0, True, 1100))
LOOKED_UP = answered(direct=(0.0, False, 150), single=(0.4, True, 900), chain=(1.0, True, 1100))
LINKED = answered(direct=(0.0, False, 150), single=(0.0, False, 900), chain=(0.5, True, 2500))
LOST = answered(direct=(0.0, False, 150), single=(0.0, False, 900), chain=(0.0, False, 2500))


@pytest.mark.parametrize(
    ("question", "best", "as_single"),
    [
        (GUESSED, "direct", "direct"),
        (LOOKED_UP, "chain", "single"),
        (LINKED, "chain", "direct"),
        (LOST, "direct", "direct"),
    ],
)
def test_each_question_by_hand(question: Answered, best: str, as_single: str) -> None:
    assert oracle(question, NAMES) == best
    assert cheapest_as_good_as(question, NAMES, "single") == as_single


def test_only_the_named_strategies_count() -> None:
    assert oracle(GUESSED, ("single", "chain")) == "single"
    assert cheapest_as_good_as(LOST, ("chain",), "single") == "single"


def test_of_equal_strategies_the_cheapest_is_the_best() -> None:
    assert best_strategy([GUESSED, GUESSED], ("chain", "single")) == "single"
    assert best_strategy([GUESSED, LOOKED_UP], NAMES) == "chain"


outcomes = st.builds(
    Outcome,
    f1=st.sampled_from([0.0, 0.4, 1.0]),
    right=st.booleans(),
    tokens=st.integers(1, 3).map(float),
    calls=st.just(1.0),
)


@given(st.fixed_dictionaries(dict.fromkeys(NAMES, outcomes)))
def test_the_oracle_is_never_worse_and_matching_one_strategy_never_dearer(
    made: dict[str, Outcome],
) -> None:
    each = Answered("s", "q", "?", made)
    best = made[oracle(each, NAMES)]
    assert best.f1 == max(outcome.f1 for outcome in made.values())
    for name in NAMES:
        matched = made[cheapest_as_good_as(each, NAMES, name)]
        assert matched.f1 >= made[name].f1
        assert matched.tokens <= made[name].tokens
        assert matched.f1 <= best.f1
