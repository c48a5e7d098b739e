"""From records to numbers: what each strategy reached and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from hopyard.evaluation.records import PromptCalls, Record, RecordCost
from hopyard.measures.bootstrap import Interval, difference, interval

__all__ = ("Comparison", "StrategyResult", "compare", "needless_retrieval_rate", "summarize")

_MEASURES: Final = ("em", "f1", "accuracy")
_COSTS: Final = tuple(RecordCost.model_fields)
_COMPARED: Final[Mapping[str, Callable[[Record], float]]] = {
    "em": lambda record: record.em,
    "f1": lambda record: record.f1,
    "accuracy": lambda record: record.accuracy,
    "tokens": lambda record: record.cost.input_tokens + record.cost.output_tokens,
}
"""Values of a record that get an interval."""


class StrategyResult(BaseModel):
    """What a strategy reached. Rates are 0 to 1; None if nothing could be measured."""

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
    """Means a question, as if the strategy had paid for every call."""
    retrieval_rate: float
    needless_retrieval_rate: float | None
    truncated: int
    unanswered: int
    failures: int
    """Questions with an unusable output or an error."""
    prompts: dict[str, PromptCalls]
    parse_rates: dict[str, float]
    """By prompt: share of outputs that fitted the schema, with retries and repaired outputs."""
    routes: dict[str, int]
    """How often the route chose each strategy, if it chose."""


class Comparison(BaseModel):
    """A strategy less the baseline, over the questions that both answered."""

    model_config = ConfigDict(frozen=True)

    baseline: str
    n: int
    differences: dict[str, Interval]


def summarize(records: Iterable[Record]) -> dict[str, StrategyResult]:
    """The result of every strategy, in the order of their first records."""
    by_strategy = _group(records)
    direct = by_strategy.get("direct", {})
    return {
        name: _result([found[question] for question in sorted(found)], direct)
        for name, found in by_strategy.items()
    }


def compare(records: Iterable[Record], baseline: str) -> dict[str, Comparison]:
    """Every other strategy against the baseline, question by question."""
    by_strategy = _group(records)
    base = by_strategy.pop(baseline, {})
    comparisons = {}
    for name, found in by_strategy.items():
        if both := sorted(found.keys() & base.keys()):
            differences = {
                measure: difference(
                    [read(found[question]) for question in both],
                    [read(base[question]) for question in both],
                )
                for measure, read in _COMPARED.items()
            }
            comparisons[name] = Comparison(baseline=baseline, n=len(both), differences=differences)
    return comparisons


def needless_retrieval_rate(
    records: Sequence[Record], direct: Mapping[str, Record]
) -> float | None:
    """Of the questions that the model answers without a document, the share retrieved for.

    Args:
        records: Of one strategy.
        direct: By question, of the strategy that retrieves nothing.

    Returns:
        0 to 1; None if no question was answered rightly without a document.
    """
    known = [record for record in records if _is_known(direct.get(record.question_id))]
    return fmean(record.retrieved for record in known) if known else None


def _is_known(record: Record | None) -> bool:
    return record is not None and record.accuracy == 1 and not record.unanswered


def _group(records: Iterable[Record]) -> dict[str, dict[str, Record]]:
    """Records by strategy and question; a question's last record counts."""
    by_strategy: dict[str, dict[str, Record]] = {}
    for record in records:
        by_strategy.setdefault(record.strategy, {})[record.question_id] = record
    return by_strategy


def _result(records: Sequence[Record], direct: Mapping[str, Record]) -> StrategyResult:
    prompts = _sum_calls(records)
    with_gold = [record.retrieval for record in records if record.retrieval is not None]
    return StrategyResult(
        n=len(records),
        **{name: fmean(getattr(record, name) for record in records) for name in _MEASURES},
        intervals={
            name: interval([read(record) for record in records]) for name, read in _COMPARED.items()
        },
        retrieval=(
            {name: fmean(values[name] for values in with_gold) for name in with_gold[0]}
            if with_gold
            else None
        ),
        retrieval_n=len(with_gold),
        usage={
            name: round(fmean(getattr(record.cost, name) for record in records), 3)
            for name in _COSTS
        },
        retrieval_rate=fmean(record.retrieved for record in records),
        needless_retrieval_rate=needless_retrieval_rate(records, direct),
        truncated=sum(record.truncated for record in records),
        unanswered=sum(record.unanswered for record in records),
        failures=sum(bool(record.failures) for record in records),
        prompts=prompts,
        parse_rates={name: _parse_rate(calls) for name, calls in prompts.items()},
        routes=dict(Counter(record.route["strategy"] for record in records if record.route)),
    )


def _sum_calls(records: Iterable[Record]) -> dict[str, PromptCalls]:
    totals: dict[str, dict[str, Any]] = {}
    for record in records:
        for name, calls in record.calls.items():
            total = totals.setdefault(name, {})
            for field, value in calls.model_dump().items():
                total[field] = total.get(field, 0) + value
    return {name: PromptCalls(**totals[name]) for name in sorted(totals)}


def _parse_rate(calls: PromptCalls) -> float:
    return (calls.parsed + calls.repaired) / calls.calls if calls.calls else 1.0
