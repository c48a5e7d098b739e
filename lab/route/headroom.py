"""The headroom of a route: what choosing the strategy for each question is worth at best.

An oracle knows how every strategy will answer. It takes the luckiest of several answers to each
question, so it is an upper bound that no route reaches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from hopyard.measures.bootstrap import Interval, difference, interval
from lab.route.outcomes import Answered, Outcome, best_strategy, cheapest_as_good_as, oracle
from lab.route.records import RouteRecords, reading

__all__ = (
    "ALL",
    "Chosen",
    "Headroom",
    "PolicyResult",
    "SetHeadroom",
    "always",
    "measure_headroom",
    "measure_policies",
    "verdict",
)

ALL = "all"
"""All question sets together."""

Chosen = Sequence[tuple[str, Outcome]]
"""A policy's choice for each question: the strategy, and the outcome with the route's own cost."""


class PolicyResult(BaseModel):
    """A policy on some questions.

    Attributes:
        f1: Mean, with its interval.
        accuracy: Share of answers that contain a gold answer.
        tokens: Mean, with its interval.
        calls: Mean.
        chosen: Questions by strategy.
        f1_difference: To the best strategy alone, question by question.
        tokens_difference: To the best strategy alone.
    """

    model_config = ConfigDict(frozen=True)

    f1: Interval
    accuracy: float
    tokens: Interval
    calls: float
    chosen: dict[str, int]
    f1_difference: Interval
    tokens_difference: Interval


class SetHeadroom(BaseModel):
    """The policies on one question set.

    Attributes:
        questions: How many.
        best: The strategy with the highest mean F1.
        best_reading: The same among those that read documents.
        policies: By name.
    """

    model_config = ConfigDict(frozen=True)

    questions: int
    best: str
    best_reading: str
    policies: dict[str, PolicyResult]


class Headroom(BaseModel):
    """The headroom on each question set, and on all together.

    Attributes:
        model: The chat model that answered.
        strategies: Those compared.
        sets: By name, `all` last where there are several.
    """

    model_config = ConfigDict(frozen=True)

    model: str
    strategies: tuple[str, ...]
    sets: dict[str, SetHeadroom]


EQUAL_READING = "perfect route, reads documents, F1 of the best"
EQUAL_ANY = "perfect route, F1 of the best"


def always(answered: Sequence[Answered], name: str) -> Chosen:
    """One strategy for every question."""
    return [(name, each.outcomes[name]) for each in answered]


def measure_headroom(records: RouteRecords) -> Headroom:
    """Measure each question set, and all of them together."""
    groups = {name: records.of(name) for name in records.infos}
    if len(groups) > 1:
        groups[ALL] = list(records.answered)
    return Headroom(
        model=records.model,
        strategies=records.strategies,
        sets={name: _measure_set(group, records.strategies) for name, group in groups.items()},
    )


def _measure_set(answered: Sequence[Answered], names: Sequence[str]) -> SetHeadroom:
    readers = reading(names) or tuple(names)
    best, best_reading = best_strategy(answered, names), best_strategy(answered, readers)
    policies: dict[str, Chosen] = {f"always {name}": always(answered, name) for name in names}
    if all(each.routed is not None for each in answered):
        policies["auto, as recorded"] = [each.routed for each in answered if each.routed]

    def add(name: str, chosen: Sequence[str]) -> None:
        pairs = zip(answered, chosen, strict=True)
        policies[name] = [(strategy, each.outcomes[strategy]) for each, strategy in pairs]

    add("oracle, reads documents", [oracle(each, readers) for each in answered])
    add(EQUAL_READING, [cheapest_as_good_as(each, readers, best_reading) for each in answered])
    if len(readers) < len(names):
        add("oracle", [oracle(each, names) for each in answered])
        add(EQUAL_ANY, [cheapest_as_good_as(each, names, best) for each in answered])
    return SetHeadroom(
        questions=len(answered),
        best=best,
        best_reading=best_reading,
        policies=measure_policies(policies, always(answered, best_reading)),
    )


def measure_policies(policies: Mapping[str, Chosen], baseline: Chosen) -> dict[str, PolicyResult]:
    """Each policy with its intervals, and its differences to a baseline on the same questions."""
    return {name: _measure(chosen, baseline) for name, chosen in policies.items()}


def _measure(chosen: Chosen, baseline: Chosen) -> PolicyResult:
    f1 = [outcome.f1 for _, outcome in chosen]
    tokens = [outcome.tokens for _, outcome in chosen]
    return PolicyResult(
        f1=interval(f1),
        accuracy=round(fmean(outcome.right for _, outcome in chosen), 4),
        tokens=interval(tokens),
        calls=round(fmean(outcome.calls for _, outcome in chosen), 3),
        chosen=dict(sorted(Counter(name for name, _ in chosen).items())),
        f1_difference=difference(f1, [outcome.f1 for _, outcome in baseline]),
        tokens_difference=difference(tokens, [outcome.tokens for _, outcome in baseline]),
    )


def verdict(found: SetHeadroom) -> str:
    """One or two sentences about the savings of a perfect route at equal F1."""
    best = found.policies[f"always {found.best_reading}"]
    text = (
        f"Always {found.best_reading} has the best F1 of the strategies that read documents, "
        f"{100 * best.f1.mean:.1f} at {best.tokens.mean:,.0f} tokens. "
        f"{_saving('A perfect route among them', found.policies[EQUAL_READING], best)}"
    )
    if EQUAL_ANY in found.policies:
        free = found.policies[EQUAL_ANY]
        text += (
            f" {_saving('With strategies that read none, it', free, best)} To do that, it would "
            "have to know when the model's memory is right: that is the gate's question."
        )
    return text


def _saving(who: str, perfect: PolicyResult, best: PolicyResult) -> str:
    share, low, high = (0.0 - value / best.tokens.mean for value in perfect.tokens_difference)
    return (
        f"{who} would have F1 {100 * perfect.f1.mean:.1f} at {perfect.tokens.mean:,.0f} tokens: "
        f"{share:.0%} fewer [{high:.0%}, {low:.0%}]."
    )
