"""The report of an evaluation, for programs. `page.py` writes it for people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pydantic import BaseModel

from hopyard.evaluation.judge import Judgements
from hopyard.evaluation.plan import Plan, RunInfo
from hopyard.evaluation.records import Record
from hopyard.evaluation.summary import (
    Comparison,
    StrategyResult,
    compare,
    summarize,
    trivial_baselines,
)
from hopyard.measures.bootstrap import Interval
from hopyard.measures.questions import fingerprint

REPORT_FILE: Final = "report.json"


class Report(BaseModel, frozen=True):
    """The results of an evaluation, without the text of questions and documents."""

    name: str
    model: str
    embedding: str
    settings: dict[str, Any]
    questions: int
    selection: str = ""
    """Which questions of the set, such as "split dev, second half"; "" for all."""
    questions_fingerprint: str
    complete: bool
    """Whether every strategy has answered every question."""
    baseline: str
    about: dict[str, str]
    judge: str = ""
    """The model that judged the answers; "" if none did."""
    strategies: dict[str, StrategyResult]
    trivial: dict[str, dict[str, Interval]] = {}
    """Scores of the same answer (yes, no) to every question, where some gold answers are."""
    comparisons: dict[str, Comparison]


def make_report(
    plan: Plan,
    info: RunInfo,
    records: Iterable[Record],
    *,
    judge: str = "",
    judgements: Judgements | None = None,
) -> Report:
    """Make the report of a plan's questions and strategies from the records so far.

    Args:
        judgements: Of every record of the plan; None if they were not judged.
    """
    wanted = {question.id for question in plan.questions}
    names = {variant.name: place for place, variant in enumerate(plan.variants)}
    chosen = [
        record for record in records if record.question_id in wanted and record.strategy in names
    ]
    chosen.sort(key=lambda record: names[record.strategy])
    return Report(
        name=info.name,
        model=info.model,
        embedding=info.embedding,
        settings=info.settings,
        questions=len(plan.questions),
        selection=plan.selection,
        questions_fingerprint=fingerprint(plan.questions),
        complete=len(chosen) == len(wanted) * len(names),
        baseline=plan.baseline,
        about={variant.name: variant.about for variant in plan.variants},
        judge=judge,
        strategies=summarize(chosen, judgements),
        trivial=trivial_baselines(plan.questions),
        comparisons=compare(chosen, plan.baseline, judgements),
    )
