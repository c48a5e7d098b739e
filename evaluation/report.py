"""The report of an evaluation, for programs. `page.py` writes it for people."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

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
from hopyard.state.errors import HopyardError

__all__ = (
    "FAILURES_FILE",
    "REPORT_FILE",
    "FailureCounts",
    "Report",
    "make_report",
    "read_report",
)

REPORT_FILE: Final = "report.json"
FAILURES_FILE: Final = "failures.json"


class FailureCounts(BaseModel):
    """Wrong answers of a strategy, sorted by the step that went wrong."""

    model_config = ConfigDict(frozen=True)

    wrong: int
    sorted: int
    """How many of them were sorted."""
    by_hand: int
    """How many of those a person has sorted; a rule sorted the others."""
    counts: dict[str, int]


class Report(BaseModel):
    """The results of an evaluation, without the text of questions and documents."""

    model_config = ConfigDict(frozen=True)

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
    wrong_answers: dict[str, FailureCounts] = {}


def make_report(
    plan: Plan,
    info: RunInfo,
    records: Iterable[Record],
    folder: Path,
    *,
    judge: str = "",
    judgements: Judgements | None = None,
) -> Report:
    """Make the report of a plan's questions and strategies from the records so far.

    Args:
        plan: The plan of the evaluation.
        info: The settings of the records.
        records: The answers.
        folder: Where the counts of sorted wrong answers are.
        judge: The model that judged the answers.
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
        wrong_answers=read_failures(folder / FAILURES_FILE),
    )


def read_report(path: Path) -> Report:
    """Read a saved report.

    Raises:
        HopyardError: The file does not exist, or is not a report.
    """
    try:
        return Report.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise HopyardError(
            f"The file {str(path)!r} is not a report of an evaluation ({type(error).__name__}); "
            "make it with `hopyard eval … --out DIR`."
        ) from error


def read_failures(path: Path) -> dict[str, FailureCounts]:
    """Read the counts of sorted wrong answers; empty if nobody has sorted any.

    Raises:
        HopyardError: The file is damaged.
    """
    if not path.exists():
        return {}
    try:
        return _Failures.model_validate_json(path.read_bytes()).strategies
    except ValidationError as error:
        raise HopyardError(
            f"The file {str(path)!r} is damaged; make it again with "
            "`python -m hopyard.evaluation.sort_failures`."
        ) from error


class _Failures(BaseModel):
    strategies: dict[str, FailureCounts]
