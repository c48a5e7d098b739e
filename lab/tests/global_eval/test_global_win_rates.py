"""From judgements to win rates and the judge's bias, by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.measures.bootstrap import interval
from lab.global_eval.judge_pair import CRITERIA
from lab.global_eval.pairwise import PairJudgement
from lab.global_eval.win_rates import judge_bias, win_rates

NAMES = ("C0", "SS", "TS")


def judged(question: str, first: str, second: str, winner: str, repeat: int = 0) -> PairJudgement:
    """A judgement with the same winner by each criterion but directness, which is a tie."""
    winners = dict.fromkeys(CRITERIA, winner) | {"directness": ""}
    return PairJudgement(
        question_id=question, first=first, second=second, repeat=repeat, by="judge", winners=winners
    )


def both(
    question: str, one: str, other: str, *winners: str, repeat: int = 0
) -> list[PairJudgement]:
    """Both orders of a pair."""
    return [
        judged(question, one, other, winners[0], repeat),
        judged(question, other, one, winners[1], repeat),
    ]


def test_win_rates_by_hand() -> None:
    judgements = [
        *both("q1", "C0", "SS", "C0", "C0"),  # 1
        *both("q1", "C0", "SS", "C0", "", repeat=1),  # 3/4: together 7/8
        *both("q2", "C0", "SS", "SS", "C0"),  # 1/2
        *both("q3", "C0", "SS", "SS", "SS"),  # 0
        *both("q3", "C0", "TS", "", ""),
    ]
    rates = win_rates(judgements)
    assert rates.keys() == CRITERIA.keys()
    rate = rates["comprehensiveness"]["C0"]["SS"]
    assert rate == interval([7 / 8, 1 / 2, 0])
    assert rate.mean == pytest.approx(11 / 24, abs=1e-6)
    # The extreme resamples of three questions, 1/27 each, are outside of no 95 % interval.
    assert (rate.low, rate.high) == pytest.approx((0, 7 / 8))
    reverse = rates["comprehensiveness"]["SS"]["C0"]
    assert reverse == pytest.approx((13 / 24, 1 / 8, 1), abs=1e-6)
    assert rates["diversity"]["C0"]["TS"] == (0.5, 0.5, 0.5)
    assert rates["directness"]["C0"]["SS"].mean == 0.5
    assert "TS" not in rates["empowerment"]["SS"]


def test_a_repeat_without_a_verdict_in_both_orders_does_not_count() -> None:
    failed = PairJudgement(
        question_id="q1", first="SS", second="C0", by="judge", failure="It fitted no schema."
    )
    lone = [judged("q1", "C0", "SS", "C0"), failed]
    assert win_rates(lone) == {criterion: {} for criterion in CRITERIA}
    assert judge_bias(lone) == {}
    more = win_rates([*lone, *both("q1", "C0", "SS", "SS", "SS", repeat=1)])
    assert more["diversity"]["C0"]["SS"].mean == 0


def test_a_rule_decides_alone_and_says_nothing_of_the_judge() -> None:
    by_rule = judged("q1", "C0", "SS", "C0").model_copy(update={"by": "rule"})
    assert win_rates([by_rule])["diversity"]["C0"]["SS"] == pytest.approx((1, 0.025, 1))  # exact
    assert judge_bias([by_rule]) == {}


def test_bias_for_a_place_by_hand() -> None:
    judgements = [
        *both("q1", "C0", "SS", "C0", "SS"),  # the first wins twice
        *both("q1", "C0", "TS", "C0", "C0"),  # the order does not matter
        *both("q2", "C0", "SS", "", "SS"),  # a tie, then the first
    ]
    found = judge_bias(judgements)["diversity"]
    assert found.first == interval([(1 + 1 / 2) / 2, (1 / 2 + 1) / 2])
    assert found.agreement.mean == pytest.approx((1 / 2 + 0) / 2)
    assert found.ties == pytest.approx(1 / 6)
    control = judge_bias(judgements)["directness"]
    assert (control.first.mean, control.agreement.mean, control.ties) == (0.5, 1, 1)


JUDGEMENTS = st.lists(
    st.builds(
        lambda question, pair, place, repeat: both(
            question, *pair, *((*pair, "")[which] for which in place), repeat=repeat
        ),
        st.sampled_from(["q1", "q2", "q3"]),
        st.sampled_from([("C0", "SS"), ("C0", "TS"), ("SS", "TS")]),
        st.tuples(st.integers(0, 2), st.integers(0, 2)),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda found: (
        found[0].question_id,
        found[0].first,
        found[0].second,
        found[0].repeat,
    ),
)


@given(JUDGEMENTS)
def test_two_conditions_share_every_win(groups: list[list[PairJudgement]]) -> None:
    rates = win_rates([each for group in groups for each in group])["diversity"]
    for each, others in rates.items():
        for other, rate in others.items():
            back = rates[other][each]
            assert rate.mean + back.mean == pytest.approx(1, abs=2e-6)
            assert rate.low + back.high == pytest.approx(1, abs=2e-6)
            assert 0 <= rate.low <= rate.mean <= rate.high <= 1


@given(JUDGEMENTS)
def test_a_judge_that_always_picks_the_first_finds_no_difference(
    groups: list[list[PairJudgement]],
) -> None:
    picked = [
        each.model_copy(update={"winners": dict.fromkeys(CRITERIA, each.first)})
        for group in groups
        for each in group
    ]
    rates = win_rates(picked)["empowerment"]
    assert {rate.mean for others in rates.values() for rate in others.values()} == {0.5}
    bias = judge_bias(picked)["empowerment"]
    assert (bias.first.mean, bias.agreement.mean) == (1, 0)
