"""What `hopyard eval` does with a plan: answer, judge, and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hopyard.cli.console import progress_bar
from hopyard.cli.interrupts import run_async
from hopyard.evaluation.records import RecordFile
from hopyard.state.settings.fields import Budget

if TYPE_CHECKING:
    from hopyard.evaluation.plan import Plan, RunInfo
    from hopyard.evaluation.report import Report

__all__ = ("evaluate",)


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
    from hopyard.cli.eval.report import print_estimate, print_report
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
