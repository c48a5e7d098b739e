"""The outcome of each strategy for a question, and the choice of an oracle."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

__all__ = ("Answered", "Outcome", "best_strategy", "cheapest_as_good_as", "oracle")

_SAME: Final = 1e-9
"""Two F1 that differ by less are equal."""


@dataclass(frozen=True)
class Outcome:
    """The score and the cost of a strategy's answer.

    Attributes:
        f1: With the gold answer, 0 to 1.
        right: Whether the answer contains a gold answer.
        tokens: Model tokens, in and out.
        calls: Model calls.
    """

    f1: float
    right: bool
    tokens: float
    calls: float


@dataclass(frozen=True)
class Answered:
    """A question that several strategies answered.

    Attributes:
        set: The question set.
        id: Of the question, in its set.
        question: As it was asked.
        outcomes: By strategy.
        routed: The strategy that the recorded run of `auto` took, and its outcome; None where
            there is no such run.
    """

    set: str
    id: str
    question: str
    outcomes: Mapping[str, Outcome]
    routed: tuple[str, Outcome] | None = None


def best_strategy(answered: Sequence[Answered], names: Iterable[str]) -> str:
    """The strategy with the highest mean F1, or the cheapest of several.

    Args:
        answered: At least one question.
        names: At least one strategy that answered all of them.
    """

    def rank(name: str) -> tuple[float, float]:
        outcomes = [each.outcomes[name] for each in answered]
        f1 = fmean(outcome.f1 for outcome in outcomes)
        return -round(f1, 9), fmean(outcome.tokens for outcome in outcomes)

    return min(names, key=rank)


def oracle(answered: Answered, names: Collection[str]) -> str:
    """The cheapest strategy whose answer is as good as the best one.

    Args:
        answered: A question.
        names: The strategies to choose from, at least one.
    """
    return _cheapest(answered, names, max(answered.outcomes[name].f1 for name in names))


def cheapest_as_good_as(answered: Answered, names: Collection[str], other: str) -> str:
    """The cheapest strategy whose answer is at least as good as that of one strategy.

    Args:
        answered: A question.
        names: The strategies to choose from; `other` counts in any case.
        other: The strategy to match.
    """
    return _cheapest(answered, {*names, other}, answered.outcomes[other].f1)


def _cheapest(answered: Answered, names: Collection[str], f1: float) -> str:
    good = [name for name in names if answered.outcomes[name].f1 >= f1 - _SAME]
    return min(good, key=lambda name: (answered.outcomes[name].tokens, name))
