"""The output of the evaluations: tables for people, one JSON object for programs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Column, Table

from hopyard.cli.console import err, out, print_json, say
from hopyard.evaluation.report import SCORES, Report
from hopyard.evaluation.retrieval_only import RetrievalReport
from hopyard.evaluation.runner import Outcome
from hopyard.measures.bootstrap import Interval
from hopyard.state.text.counting import counted
from hopyard.state.usage import about


def print_report(report: Report, folder: Path, outcome: Outcome, *, as_json: bool) -> None:
    """The results, and where the records are."""
    tell_stopped(outcome)
    if as_json:
        print_json(_as_dict(report) | {"stopped": outcome.stopped, "out": str(folder)})
        return
    table = Table(Column("strategy", overflow="fold"), box=None, pad_edge=False)
    scores = {
        score: title.partition(" ")[0]
        for score, title in SCORES.items()
        if any(getattr(result, score) is not None for result in report.strategies.values())
    }
    for column in ("n", *scores.values(), "R@5", "calls", "cached", "tokens", "s"):
        table.add_column(column, justify="right")
    for name, result in report.strategies.items():
        used = result.usage
        table.add_row(
            name,
            str(result.n),
            *(_percent(getattr(result, score)) for score in scores),
            _percent((result.retrieval or {}).get("recall_at_5")),
            f"{used['model_calls']:.1f}",
            f"{used['cached_calls']:.1f}",
            f"{about(used)}{used['input_tokens'] + used['output_tokens']:,.0f}",
            f"{used['seconds']:.1f}",
        )
    for answer, found in report.trivial.items():
        values = (_percent(found[score].mean if score in found else None) for score in scores)
        table.add_row(f"always “{answer}”", str(report.questions), *values)
    out.print(table)
    say(f"Report and records: {folder}", style="dim")


def _as_dict(report: Report) -> dict[str, Any]:
    """The report with names for the bounds of each interval."""
    found = report.model_dump(mode="json")
    for name, result in report.strategies.items():
        found["strategies"][name]["intervals"] = _named(result.intervals)
    found["comparisons"] = {
        name: _named(result.differences) for name, result in report.comparisons.items()
    }
    found["paired"] = {
        name: {score: value._asdict() for score, value in result.paired.items()}
        for name, result in report.comparisons.items()
    }
    found["trivial"] = {answer: _named(scores) for answer, scores in report.trivial.items()}
    return found


def _named(values: Mapping[str, Interval]) -> dict[str, Any]:
    return {name: value._asdict() for name, value in values.items()}


def tell_stopped(outcome: Outcome) -> None:
    """Say that a limit stopped the evaluation, and how to continue it."""
    if outcome.stopped:
        err.print(
            f"Stopped at the limit of {outcome.stopped}: "
            f"{counted(outcome.asked, 'answer')} so far; the same command continues."
        )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def print_retrieval(report: RetrievalReport, *, as_json: bool) -> None:
    """Recall of every search."""
    if as_json:
        print_json(report.model_dump(mode="json"))
        return
    table = Table("search", box=None, pad_edge=False)
    for k in next(iter(report.searches.values())).recall:
        table.add_column(f"R@{k}", justify="right")
    table.add_column("ms", justify="right")
    for name, result in report.searches.items():
        shares = (f"{100 * value:.1f}" for value in result.recall.values())
        table.add_row(name, *shares, f"{1000 * result.seconds:.0f}")
    out.print(table)
    out.print(
        f"{counted(report.questions, 'question')} with supporting documents, "
        f"{counted(report.documents, 'document')}.",
        style="dim",
    )
