"""From judgements of pairs to win rates, the bias of the judge for a place, and its agreement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

from pydantic import BaseModel, ConfigDict

from hopyard.measures.bootstrap import Interval
from hopyard.measures.exact import score_interval
from lab.global_eval.judge_pair import CRITERIA
from lab.global_eval.pairwise import PairJudgement

__all__ = ("JudgeBias", "WinRates", "judge_bias", "win_rates")

_ORDERS: Final = 2

WinRates = dict[str, dict[str, dict[str, Interval]]]
"""By criterion, condition and the condition that it is compared with: the win rate, 0 to 1."""

_Group = tuple[str, frozenset[str], int]
"""Question, pair of conditions, repeat."""


class JudgeBias(BaseModel):
    """How far the order of the answers decides, for one criterion."""

    model_config = ConfigDict(frozen=True)

    first: Interval
    """Win rate of the answer shown first; 0.5 if the order does not matter."""
    agreement: Interval
    """Share of pairs with the same verdict in both orders."""
    ties: float
    """Share of verdicts that are ties."""


def win_rates(judgements: Iterable[PairJudgement]) -> WinRates:
    """How often each condition wins against another.

    A win is 1, a tie 0.5. They are averaged over the repeats and orders of a question, and then
    over the questions, with 95 % intervals over questions. A repeat counts if both orders have a
    verdict, so that no place is shown more often than the other.
    """
    balanced = _balanced(judgements)
    values: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    for (question, pair, _), found in balanced.items():
        one, other = sorted(pair)
        for criterion in CRITERIA:
            scores = values.setdefault((criterion, one, other), {}).setdefault(question, [])
            scores += [_score(judgement.winners[criterion], one) for judgement in found]
    rates: WinRates = {criterion: {} for criterion in CRITERIA}
    for (criterion, each, other), by_question in values.items():
        rate = _over_questions(by_question)
        rates[criterion].setdefault(each, {})[other] = rate
        rates[criterion].setdefault(other, {})[each] = _reverse(rate)
    return rates


def judge_bias(judgements: Iterable[PairJudgement]) -> dict[str, JudgeBias]:
    """How far the order decides, by criterion; empty if no pair was judged in both orders."""
    both = {key: found for key, found in _balanced(judgements).items() if len(found) == _ORDERS}
    return {criterion: _bias(both, criterion) for criterion in CRITERIA} if both else {}


def _bias(both: Mapping[_Group, Sequence[PairJudgement]], criterion: str) -> JudgeBias:
    first: dict[str, list[float]] = {}
    agreement: dict[str, list[float]] = {}
    ties = []
    for (question, _, _), found in both.items():
        winners = [judgement.winners[criterion] for judgement in found]
        ties += [not winner for winner in winners]
        scores = [_score(judgement.winners[criterion], judgement.first) for judgement in found]
        first.setdefault(question, []).append(fmean(scores))
        agreement.setdefault(question, []).append(float(len(set(winners)) == 1))
    return JudgeBias(
        first=_over_questions(first), agreement=_over_questions(agreement), ties=fmean(ties)
    )


def _balanced(judgements: Iterable[PairJudgement]) -> dict[_Group, list[PairJudgement]]:
    """Judgements by rule, and the repeats that have a verdict in both orders."""
    groups: dict[_Group, list[PairJudgement]] = {}
    for judgement in judgements:
        pair = frozenset({judgement.first, judgement.second})
        group = groups.setdefault((judgement.question_id, pair, judgement.repeat), [])
        if judgement.winners:
            group.append(judgement)
    return {
        key: found
        for key, found in groups.items()
        if found and (found[0].by == "rule" or len(found) == _ORDERS)
    }


def _over_questions(values: Mapping[str, Sequence[float]]) -> Interval:
    """Mean of the questions' means, with its interval."""
    return score_interval([fmean(values[question]) for question in sorted(values)])


def _score(winner: str, condition: str) -> float:
    return 0.5 if not winner else float(winner == condition)


def _reverse(rate: Interval) -> Interval:
    return Interval(*(round(1 - bound, 6) for bound in (rate.mean, rate.high, rate.low)))
