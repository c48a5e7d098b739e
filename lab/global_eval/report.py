"""The report of an evaluation of questions about a whole corpus: JSON, and a page for people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from pydantic import BaseModel, ConfigDict

from hopyard.evaluation.plan import Plan, RunInfo
from hopyard.evaluation.records import PromptCalls, Record
from hopyard.measures.bootstrap import Interval
from hopyard.measures.questions import fingerprint
from hopyard.prompts.indexes.communities import REPORT
from hopyard.state.storage.atomic import write_file
from hopyard.state.storage.lines import write_model
from hopyard.state.text.counting import counted
from lab.gate_card import render_markdown
from lab.global_eval.pairwise import PairJudgement, shown_answer
from lab.global_eval.win_rates import JudgeBias, WinRates, judge_bias, win_rates

__all__ = (
    "GLOBAL_PAGE",
    "GLOBAL_REPORT",
    "ConditionResult",
    "GlobalReport",
    "make_global_report",
    "save_global_report",
)

GLOBAL_REPORT: Final = "global.json"
GLOBAL_PAGE: Final = "global.md"


class ConditionResult(BaseModel):
    """The length, cost and failures of a condition's answers. Means are a question."""

    model_config = ConfigDict(frozen=True)

    n: int
    about: str
    words: float
    """Words of an answer, without markers."""
    calls: float
    """As if the condition had paid for every call, without the writing of community reports."""
    tokens: float
    share_of_most: float
    """Tokens, as a share of those of the condition that takes the most (the paper's "% Max")."""
    report_calls: int
    """Calls that wrote community reports while questions were answered, and were paid for; in
    all."""
    report_tokens: int
    unanswered: int
    failed: int
    truncated: int


class GlobalReport(BaseModel):
    """The results of an evaluation, without the text of questions and answers."""

    model_config = ConfigDict(frozen=True)

    name: str
    model: str
    embedding: str
    settings: dict[str, Any]
    questions: int
    selection: str = ""
    questions_fingerprint: str
    complete: bool
    """Whether every condition has answered every question."""
    judge: str = ""
    """The model that judged the answers; "" if none did."""
    repeats: int
    conditions: dict[str, ConditionResult]
    win_rates: WinRates = {}
    bias: dict[str, JudgeBias] = {}
    """By criterion."""
    judged: int = 0
    """Judgements by the judge."""
    by_rule: int = 0
    """Judgements that needed no judge."""
    judge_failures: int = 0
    """Calls of the judge without a usable verdict."""


def make_global_report(
    plan: Plan,
    info: RunInfo,
    records: Iterable[Record],
    *,
    judge: str = "",
    repeats: int = 1,
    judgements: Sequence[PairJudgement] = (),
) -> GlobalReport:
    """Make the report of a plan's questions and conditions from the records so far.

    Args:
        plan: The plan of the evaluation.
        info: The settings of the records.
        records: The answers; a question's last record of a condition counts.
        judge: The model that judged the answers.
        repeats: How often each order of a pair was judged.
        judgements: Of the answers.
    """
    wanted = {question.id for question in plan.questions}
    answers = {
        (record.strategy, record.question_id): record
        for record in records
        if record.question_id in wanted
    }
    by_condition = {
        variant.name: [found for (name, _), found in answers.items() if name == variant.name]
        for variant in plan.variants
    }
    most = max(map(_tokens, by_condition.values()), default=0.0)
    return GlobalReport(
        name=info.name,
        model=info.model,
        embedding=info.embedding,
        settings=info.settings,
        questions=len(plan.questions),
        selection=plan.selection,
        questions_fingerprint=fingerprint(plan.questions),
        complete=all(len(found) == len(wanted) for found in by_condition.values()),
        judge=judge,
        repeats=repeats,
        conditions={
            variant.name: _condition(by_condition[variant.name], variant.about, most)
            for variant in plan.variants
            if by_condition[variant.name]
        },
        win_rates=win_rates(judgements),
        bias=judge_bias(judgements),
        judged=sum(judgement.by == "judge" for judgement in judgements),
        by_rule=sum(judgement.by == "rule" for judgement in judgements),
        judge_failures=sum(bool(judgement.failure) for judgement in judgements),
    )


def _condition(records: Sequence[Record], about: str, most: float) -> ConditionResult:
    tokens = _tokens(records)
    written = [calls for record in records for calls in _calls(record, writing=True)]
    paid = [(calls, 1 - calls.cached / calls.calls) for calls in written if calls.calls]
    return ConditionResult(
        n=len(records),
        about=about,
        words=fmean(len(shown_answer(record).split()) for record in records),
        calls=fmean(
            sum(calls.calls for calls in _calls(record, writing=False)) for record in records
        ),
        tokens=tokens,
        share_of_most=tokens / most if most else 0.0,
        report_calls=sum(calls.calls - calls.cached for calls in written),
        report_tokens=round(sum(_sum(calls) * share for calls, share in paid)),
        unanswered=sum(record.unanswered for record in records),
        failed=sum(record.failed for record in records),
        truncated=sum(record.truncated for record in records),
    )


def _tokens(records: Sequence[Record]) -> float:
    """Mean tokens of a question, without the writing of community reports."""
    totals = [sum(_sum(calls) for calls in _calls(record, writing=False)) for record in records]
    return fmean(totals) if totals else 0.0


def _sum(calls: PromptCalls) -> int:
    return calls.input_tokens + calls.output_tokens


def _calls(record: Record, *, writing: bool) -> list[PromptCalls]:
    """The calls that write community reports, or the others."""
    return [
        calls
        for name, calls in record.calls.items()
        if (name.partition("/")[0] == REPORT.name) == writing
    ]


def save_global_report(report: GlobalReport, folder: Path) -> None:
    """Write global.json and global.md."""
    write_model(folder / GLOBAL_REPORT, report)
    tools = {"counted": counted, "rate": _rate, "bounds": _bounds}
    page = render_markdown("lab.global_eval", GLOBAL_PAGE, report=report, **tools)
    write_file(folder / GLOBAL_PAGE, page.encode())


def _rate(value: Interval | None) -> str:
    if value is None:
        return "–"
    text = _bounds(value)
    return f"**{text}**" if value.low > 0.5 or value.high < 0.5 else text


def _bounds(value: Interval) -> str:
    return f"{100 * value.mean:.1f} [{100 * value.low:.0f}, {100 * value.high:.0f}]"
