"""From records to numbers: what each strategy reached and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from hopyard.evaluation.records import Cost, PromptCalls, Record
from hopyard.measures.bootstrap import Interval, difference, interval

__all__ = ("Comparison", "StrategyResult", "compare", "needless_retrieval_rate", "summarize")

_MEASURES: Final = ("em", "f1", "accuracy")
_COSTS: Final = tuple(Cost.model_fields)


class StrategyResult(BaseModel):
    """What one strategy reached. Rates are 0 to 1; None where nothing could be measured."""

    model_config = ConfigDict(frozen=True)

    n: int
    em: float
    f1: float
    accuracy: float
    intervals: dict[str, Interval]
    """95 % by the paired bootstrap, of em, f1, accuracy and tokens."""
    retrieval: dict[str, float] | None
    retrieval_n: int
    """Questions with supporting documents."""
    usage: dict[str, float]
    """Means a question; what the strategy takes by itself, whoever paid."""
    retrieval_rate: float
    needless_retrieval_rate: float | None
    truncated: int
    unanswered: int
    failures: int
    """Questions with an output that could not be used, or with an error."""
    prompts: dict[str, PromptCalls]
    parse_rates: dict[str, float]
    """By prompt: share of outputs that fitted the schema, retries counted, repaired ones fit."""
    routes: dict[str, int]
    """Strategies that the route chose, where it chose."""


class Comparison(BaseModel):
    """A strategy less the baseline, over the questions that both answered."""

    model_config = ConfigDict(frozen=True)

    baseline: str
    n: int
    differences: dict[str, Interval]


def summarize(records: Iterable[Record]) -> dict[str, StrategyResult]:
    """The result of every strategy, in the order in which they first stand in the records."""
    by_strategy: dict[str, dict[str, Record]] = {}
    for record in records:
        by_strategy.setdefault(record.strategy, {})[record.question_id] = record
    direct = by_strategy.get("direct", {})
    return {
        name: _result([of[one] for one in sorted(of)], direct) for name, of in by_strategy.items()
    }


def compare(records: Iterable[Record], baseline: str) -> dict[str, Comparison]:
    """Every other strategy against a named one, question by question."""
    by_strategy: dict[str, dict[str, Record]] = {}
    for record in records:
        by_strategy.setdefault(record.strategy, {})[record.question_id] = record
    base = by_strategy.pop(baseline, {})
    found = {}
    for name, of in by_strategy.items():
        both = sorted(of.keys() & base.keys())
        if both:
            found[name] = Comparison(
                baseline=baseline,
                n=len(both),
                differences=_differences([of[one] for one in both], [base[one] for one in both]),
            )
    return found


def needless_retrieval_rate(
    records: Sequence[Record], direct: Mapping[str, Record]
) -> float | None:
    """Of the questions that the model answers without a document, the share retrieved for.

    Args:
        records: Of one strategy.
        direct: By question, of the strategy that retrieves nothing.

    Returns:
        0 to 1; None where no question was answered rightly without a document.
    """
    known = [one for one in records if _knows(direct.get(one.question_id))]
    return fmean(one.retrieved for one in known) if known else None


def _knows(record: Record | None) -> bool:
    return record is not None and record.accuracy == 1 and not record.unanswered


def _result(records: Sequence[Record], direct: Mapping[str, Record]) -> StrategyResult:
    prompts = _prompts(records)
    with_gold = [record.retrieval for record in records if record.retrieval is not None]
    return StrategyResult(
        n=len(records),
        **{name: fmean(getattr(one, name) for one in records) for name in _MEASURES},
        intervals=_each(lambda read: interval([read(one) for one in records])),
        retrieval=(
            {name: fmean(one[name] for one in with_gold) for name in with_gold[0]}
            if with_gold
            else None
        ),
        retrieval_n=len(with_gold),
        usage={
            name: round(fmean(getattr(one.cost, name) for one in records), 3) for name in _COSTS
        },
        retrieval_rate=fmean(one.retrieved for one in records),
        needless_retrieval_rate=needless_retrieval_rate(records, direct),
        truncated=sum(one.truncated for one in records),
        unanswered=sum(one.unanswered for one in records),
        failures=sum(bool(one.failures) for one in records),
        prompts=prompts,
        parse_rates={name: _rate(calls) for name, calls in prompts.items()},
        routes=dict(Counter(one.route["strategy"] for one in records if one.route)),
    )


def _differences(records: Sequence[Record], baseline: Sequence[Record]) -> dict[str, Interval]:
    return _each(
        lambda read: difference([read(one) for one in records], [read(one) for one in baseline])
    )


def _each(
    measure: Callable[[Callable[[Record], float]], Interval | None],
) -> dict[str, Interval]:
    """An interval of every measure and of the tokens."""
    readers: dict[str, Callable[[Record], float]] = {
        "em": lambda one: one.em,
        "f1": lambda one: one.f1,
        "accuracy": lambda one: one.accuracy,
        "tokens": lambda one: one.cost.input_tokens + one.cost.output_tokens,
    }
    found = {name: measure(read) for name, read in readers.items()}
    return {name: value for name, value in found.items() if value is not None}


def _prompts(records: Iterable[Record]) -> dict[str, PromptCalls]:
    totals: dict[str, dict[str, Any]] = {}
    for record in records:
        for name, calls in record.calls.items():
            total = totals.setdefault(name, {})
            for field, value in calls.model_dump().items():
                total[field] = total.get(field, 0) + value
    return {name: PromptCalls(**totals[name]) for name in sorted(totals)}


def _rate(calls: PromptCalls) -> float:
    return (calls.parsed + calls.repaired) / calls.calls if calls.calls else 1.0
