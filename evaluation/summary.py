"""From records to numbers: what each strategy reached and what it cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Final

from pydantic import BaseModel

from hopyard.evaluation.judge import Judgement, Judgements
from hopyard.evaluation.records import PromptCalls, Record, RecordCost
from hopyard.measures.answers import score_answer
from hopyard.measures.bootstrap import Interval, difference, interval
from hopyard.measures.exact import Paired, mcnemar, score_interval
from hopyard.measures.questions import Question

_COSTS: Final = tuple(RecordCost.model_fields)
_SCORES: Final[Mapping[str, Callable[[Record], float]]] = {
    "em": lambda record: record.em,
    "f1": lambda record: record.f1,
    "accuracy": lambda record: record.accuracy,
}
_RIGHT: Final = ("em", "accuracy", "judged")
"""Scores that say whether an answer is right: 1, or less."""


def _tokens(record: Record) -> float:
    return record.cost.input_tokens + record.cost.output_tokens


class StrategyResult(BaseModel, frozen=True):
    """The results of a strategy. Rates are 0 to 1; None if nothing could be measured."""

    n: int
    em: float
    f1: float
    accuracy: float
    intervals: dict[str, Interval]
    """95 % of every score and of the tokens: by the paired bootstrap, or exact where a score is 0
    for every question, or 1."""
    judged: float | None = None
    """Share of answers that the judge finds equivalent to a gold answer."""
    confirmed: float | None = None
    """Share of answers that the judge finds equivalent and whose documents state every link; None
    for a strategy that reads none."""
    partly: float | None = None
    """Share of answers that are partly right."""
    supported: float | None = None
    """Share of an answer's statements that its citations support, over answers that state
    something."""
    covered: float | None = None
    """Share of the reference answer's points that an answer covers."""
    judge_failures: int = 0
    """Answers for which a call of the judge gave no usable output."""
    retrieval: dict[str, float] | None
    retrieval_n: int
    """Questions with supporting documents."""
    usage: dict[str, float]
    """Means a question, as if the strategy had paid for every call."""
    retrieval_rate: float
    needless_retrieval_rate: float | None
    truncated: int
    unconfirmed: int = 0
    """Answers that are marked as not confirmed by the documents in full."""
    unanswered: int
    failures: int
    """Questions with an unusable output or an error."""
    failed: int = 0
    """Questions that a failure left without an answer; their scores are 0."""
    prompts: dict[str, PromptCalls]
    parse_rates: dict[str, float]
    """By prompt: share of outputs that fitted the schema, with retries and repaired outputs."""
    routes: dict[str, int]
    """How often the route chose each strategy, if it chose."""


class Comparison(BaseModel, frozen=True):
    """A strategy less the baseline, over the questions that both answered."""

    baseline: str
    n: int
    differences: dict[str, Interval]
    paired: dict[str, Paired] = {}
    """Right answers of the two, and McNemar's p; of em, accuracy and judged."""


def summarize(
    records: Iterable[Record], judgements: Judgements | None = None
) -> dict[str, StrategyResult]:
    """The result of every strategy, in the order of their first records.

    Args:
        judgements: Of every record; None if they were not judged.
    """
    by_strategy = _group(records)
    direct = by_strategy.get("direct", {})
    return {
        name: _result([found[question] for question in sorted(found)], direct, judgements)
        for name, found in by_strategy.items()
    }


def compare(
    records: Iterable[Record], baseline: str, judgements: Judgements | None = None
) -> dict[str, Comparison]:
    """Every other strategy against the baseline, question by question."""
    by_strategy = _group(records)
    base = by_strategy.pop(baseline, {})
    comparisons = {}
    for name, found in by_strategy.items():
        if both := sorted(found.keys() & base.keys()):
            values = _scores([found[question] for question in both], judgements)
            before = _scores([base[question] for question in both], judgements)
            comparisons[name] = Comparison(
                baseline=baseline,
                n=len(both),
                differences={
                    measure: difference(values[measure], before[measure]) for measure in values
                },
                paired={
                    measure: mcnemar(values[measure], before[measure])
                    for measure in _RIGHT
                    if measure in values
                },
            )
    return comparisons


def trivial_baselines(questions: Sequence[Question]) -> dict[str, dict[str, Interval]]:
    """The scores of the same answer to every question, where a gold answer is yes or no.

    Returns:
        By answer (yes, no): em, f1, accuracy, and judged, which is em: another answer than yes or
        no is not equivalent. Empty if no gold answer is yes or no.
    """
    scores = {
        answer: [score_answer(answer, question.answers) for question in questions]
        for answer in ("yes", "no")
    }
    if not any(score["em"] for found in scores.values() for score in found):
        return {}
    sources = {name: name for name in _SCORES} | {"judged": "em"}
    return {
        answer: {
            name: score_interval([score[source] for score in found])
            for name, source in sources.items()
        }
        for answer, found in scores.items()
    }


def _scores(records: Sequence[Record], judgements: Judgements | None) -> dict[str, list[float]]:
    """Every score of the records that each record has, and their tokens."""
    scores = {name: [read(record) for record in records] for name, read in _SCORES.items()}
    if judgements is not None:
        scores["judged"] = [judgement.judged for judgement in _judged(records, judgements)]
    return scores | {"tokens": [_tokens(record) for record in records]}


def _judged(records: Sequence[Record], judgements: Judgements) -> list[Judgement]:
    return [judgements[record.question_id, record.strategy] for record in records]


def needless_retrieval_rate(
    records: Sequence[Record], direct: Mapping[str, Record]
) -> float | None:
    """Of the questions that the model answers without a document, the share retrieved for.

    Args:
        direct: By question, of the strategy that retrieves nothing.

    Returns:
        0 to 1; None if no question was answered rightly without a document.
    """
    right = {name for name, each in direct.items() if each.accuracy == 1 and not each.unanswered}
    known = [record for record in records if record.question_id in right]
    return fmean(record.retrieved for record in known) if known else None


def _group(records: Iterable[Record]) -> dict[str, dict[str, Record]]:
    """Records by strategy and question; a question's last record counts."""
    by_strategy: dict[str, dict[str, Record]] = {}
    for record in records:
        by_strategy.setdefault(record.strategy, {})[record.question_id] = record
    return by_strategy


def _result(
    records: Sequence[Record], direct: Mapping[str, Record], judgements: Judgements | None
) -> StrategyResult:
    prompts = _sum_calls(records)
    scores = _scores(records, judgements)
    judged = [] if judgements is None else _judged(records, judgements)
    # An answer without statements, or a reference without points, has no such share.
    scores |= {
        name: found
        for name in ("supported", "covered")
        if (
            found := [
                value for judgement in judged if (value := getattr(judgement, name)) is not None
            ]
        )
    }
    with_gold = [record.retrieval for record in records if record.retrieval is not None]
    return StrategyResult(
        n=len(records),
        **{name: fmean(values) for name, values in scores.items() if name != "tokens"},
        intervals={
            name: (interval if name == "tokens" else score_interval)(values)
            for name, values in scores.items()
        },
        confirmed=_confirmed(records, judged),
        partly=fmean(judgement.verdict == "partly" for judgement in judged) if judged else None,
        judge_failures=sum(bool(judgement.failures) for judgement in judged),
        retrieval=(
            {name: fmean(values[name] for values in with_gold) for name in with_gold[0]}
            if with_gold
            else None
        ),
        retrieval_n=len(with_gold),
        usage=_usage(records),
        retrieval_rate=fmean(record.retrieved for record in records),
        needless_retrieval_rate=needless_retrieval_rate(records, direct),
        truncated=sum(record.truncated for record in records),
        unconfirmed=sum(bool(record.unconfirmed) for record in records),
        unanswered=sum(record.unanswered for record in records),
        failures=sum(bool(record.failures) for record in records),
        failed=sum(record.failed for record in records),
        prompts=prompts,
        parse_rates={
            name: (each.parsed + each.repaired) / each.calls if each.calls else 1.0
            for name, each in prompts.items()
        },
        routes=dict(Counter(record.route["strategy"] for record in records if record.route)),
    )


def _usage(records: Sequence[Record]) -> dict[str, float]:
    """Means a question; calls whose tokens are estimated only where there are such."""
    means = {
        name: round(fmean(getattr(record.cost, name) for record in records), 3) for name in _COSTS
    }
    return {name: mean for name, mean in means.items() if mean or name != "estimated_calls"}


def _confirmed(records: Sequence[Record], judged: Sequence[Judgement]) -> float | None:
    if not judged or not any(record.retrieved for record in records):
        return None
    return fmean(
        judgement.judged * (not record.unconfirmed)
        for record, judgement in zip(records, judged, strict=True)
    )


def _sum_calls(records: Iterable[Record]) -> dict[str, PromptCalls]:
    totals: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        for name, calls in record.calls.items():
            totals[name].update(calls.model_dump())
    return {name: PromptCalls.model_validate(totals[name]) for name in sorted(totals)}
