"""What `hopyard eval` does with a plan: answer, judge, and report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopyard.cli.console import err, progress_bar
from hopyard.cli.interrupts import run_async
from hopyard.evaluation.records import RecordFile
from hopyard.state.counting import counted
from hopyard.state.errors import UsageError
from hopyard.state.settings import Budget, Context

if TYPE_CHECKING:
    from hopyard.evaluation.plan import Plan, RunInfo
    from hopyard.evaluation.report import Report

__all__ = ("GlobalRun", "evaluate", "evaluate_globally", "write_global_questions")


@dataclass(frozen=True)
class GlobalRun:
    """How questions about the whole corpus are asked and judged.

    Attributes:
        folder: Of records and report.
        limits: Of the answers.
        sample: Questions that a dry run asks; 0 to ask all.
        judge: The judge's model; "" for none.
        repeats: How often each order of a pair is judged.
        baselines: Only pairs with one of these columns; empty for all pairs.
    """

    folder: Path
    limits: Budget
    sample: int
    judge: str
    repeats: int
    baselines: Sequence[str]


def evaluate(
    plan: Plan,
    folder: Path,
    limits: Budget,
    sample: int,
    judge: str,
    *,
    as_json: bool,
) -> None:
    """Run or estimate, and write the report from all finished records."""
    from hopyard.cli.eval_report import print_estimate, print_report
    from hopyard.evaluation.estimate import estimate
    from hopyard.evaluation.page import save_report
    from hopyard.evaluation.plan import check_plan, open_info
    from hopyard.evaluation.runner import run_plan

    new = check_plan(plan)
    with RecordFile.open(folder) as records:
        info = open_info(folder, new)
        if sample:
            with progress_bar() as progress:
                found = run_async(estimate(plan, info, records, sample=sample, progress=progress))
            print_estimate(found, as_json=as_json)
            return
        with progress_bar() as progress:
            outcome = run_async(run_plan(plan, info, records, limits=limits, progress=progress))
        report = _report(plan, info, records, folder, judge)
        save_report(report, folder)
    print_report(report, folder, outcome, as_json=as_json)


def _report(plan: Plan, info: RunInfo, records: RecordFile, folder: Path, judge: str) -> Report:
    """The report, with the answers judged if there is a judge."""
    from hopyard.evaluation.judge import judge_records, save_judgements
    from hopyard.evaluation.report import make_report

    if not judge:
        return make_report(plan, info, records.records)
    identity = plan.resources.caller(judge).provider.identity
    with progress_bar() as progress:
        found = run_async(judge_records(plan, info, records.records, judge, progress=progress))
    save_judgements(found, folder)
    return make_report(plan, info, records.records, judge=identity, judgements=found)


def evaluate_globally(plan: Plan, run: GlobalRun, *, as_json: bool) -> None:
    """Ask questions about the whole corpus, have the answers judged in pairs, and report.

    Raises:
        UsageError: A baseline is not evaluated.
    """
    from hopyard.cli.eval_global_report import print_global_report
    from hopyard.cli.eval_report import print_estimate
    from hopyard.evaluation.estimate import estimate
    from hopyard.evaluation.global_page import save_global_report
    from hopyard.evaluation.global_report import make_global_report
    from hopyard.evaluation.pairwise import judge_pairs, pairs_of, save_pairs
    from hopyard.evaluation.plan import check_plan, open_info
    from hopyard.evaluation.runner import run_plan

    names = [variant.name for variant in plan.variants]
    pairs = pairs_of(names, run.baselines)
    if unknown := [name for name in run.baselines if name not in names]:
        raise UsageError(
            f"The baseline {unknown[0]!r} is not among the strategies; add it to --strategies."
        )
    new = check_plan(plan)
    with RecordFile.open(run.folder) as records, progress_bar() as progress:
        info = open_info(run.folder, new)
        if run.sample:
            found = run_async(estimate(plan, info, records, sample=run.sample, progress=progress))
            calls = 2 * run.repeats * len(pairs) * len(plan.questions)
            print_estimate(found, as_json=as_json)
            err.print(f"The judge compares the answers in at most {counted(calls, 'call')}.")
            return
        outcome = run_async(run_plan(plan, info, records, limits=run.limits, progress=progress))
        judged: dict[str, Any] = {}
        if run.judge:
            judgements = run_async(
                judge_pairs(
                    plan,
                    info,
                    records.records,
                    run.judge,
                    pairs=pairs,
                    repeats=run.repeats,
                    progress=progress,
                )
            )
            save_pairs(judgements, run.folder)
            identity = plan.resources.caller(run.judge).provider.identity
            judged = {"judge": identity, "repeats": run.repeats, "judgements": judgements}
        report = make_global_report(plan, info, records.records, **judged)
        save_global_report(report, run.folder)
    print_global_report(report, run.folder, outcome, as_json=as_json)


def write_global_questions(
    path: Path, context: Context, about: str, size: tuple[int, int, int]
) -> None:
    """Write a file of questions about the whole corpus.

    Args:
        path: The file.
        context: The settings, with the model that writes the questions.
        about: What the corpus is about; "" to have it described from a sample.
        size: How many people, tasks of each, and questions of each task.
    """
    from hopyard.evaluation.global_questions import (
        Size,
        describe_corpus,
        save_questions,
        write_questions,
    )
    from hopyard.nodes.resources import shared_resources
    from hopyard.nodes.run import Run, new_run_id

    run = Run(new_run_id(), context.model_copy(update={"budget": Budget()}), shared_resources())

    async def write() -> list[dict[str, Any]]:
        return await write_questions(run, about or await describe_corpus(run), Size(*size))

    lines = run_async(write())
    save_questions(lines, path)
    err.print(f"Wrote {counted(len(lines), 'question')} to {path}.", soft_wrap=True)
