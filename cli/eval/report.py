"""The output of `hopyard eval`: tables for people, one JSON object for programs."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from rich.table import Column, Table

from hopyard.cli.console import err, out, print_json
from hopyard.evaluation.estimate import EvaluationEstimate
from hopyard.evaluation.report import Report
from hopyard.evaluation.retrieval_only import RetrievalReport
from hopyard.evaluation.runner import Outcome
from hopyard.state.text.counting import counted
from hopyard.state.usage import about

__all__ = ("print_estimate", "print_report", "print_retrieval")

_SCORES: Final = {
    "judged": "judged",
    "em": "EM",
    "f1": "F1",
    "accuracy": "contains",
    "supported": "supported",
    "covered": "covered",
}
_JUDGED: Final = ("judged", "partly", "supported", "covered", "judge_failures")
_RETRIEVAL: Final = ("precision", "recall", "f1", "recall_at_5")


def print_report(report: Report, folder: Path, outcome: Outcome, *, as_json: bool) -> None:
    """The results, and where the records are."""
    if outcome.stopped:
        err.print(
            f"Stopped at the limit of {outcome.stopped}: "
            f"{counted(outcome.asked, 'answer')} so far; the same command continues."
        )
    if as_json:
        print_json(_report_dict(report, outcome, folder))
        return
    table = Table(Column("strategy", overflow="fold"), box=None, pad_edge=False)
    scores = {
        score: title
        for score, title in _SCORES.items()
        if any(getattr(result, score) is not None for result in report.strategies.values())
    }
    for column in ("n", *scores.values(), "R@5", "calls", "cached", "tokens", "s"):
        table.add_column(column, justify="right")
    for name, result in report.strategies.items():
        recall = _percent((result.retrieval or {}).get("recall_at_5"))
        used = result.usage
        table.add_row(
            name,
            str(result.n),
            *(_percent(getattr(result, score)) for score in scores),
            recall,
            f"{used['model_calls']:.1f}",
            f"{used['cached_calls']:.1f}",
            f"{about(used)}{used['input_tokens'] + used['output_tokens']:,.0f}",
            f"{used['seconds']:.1f}",
        )
    for answer, found in report.trivial.items():
        values = (_percent(found[score].mean if score in found else None) for score in scores)
        table.add_row(f"always “{answer}”", str(report.questions), *values)
    out.print(table)
    out.print(f"Report and records: {folder}", style="dim", soft_wrap=True)


def _report_dict(report: Report, outcome: Outcome, folder: Path) -> dict[str, Any]:
    strategies = {}
    for name, result in report.strategies.items():
        found = result.retrieval
        strategies[name] = {
            "n": result.n,
            **{name: getattr(result, name) for name in _JUDGED},
            "em": result.em,
            "f1": result.f1,
            "accuracy": result.accuracy,
            "retrieval": {key: found[key] for key in _RETRIEVAL} if found else None,
            "usage": result.usage,
            "failures": result.failures,
            "failed": result.failed,
            "truncated": result.truncated,
            "unanswered": result.unanswered,
            "retrieval_rate": result.retrieval_rate,
            "needless_retrieval_rate": result.needless_retrieval_rate,
            "parse_rates": result.parse_rates,
            "intervals": {key: value._asdict() for key, value in result.intervals.items()},
        }
    return {
        "strategies": strategies,
        "baseline": report.baseline,
        "comparisons": {
            name: {key: value._asdict() for key, value in result.differences.items()}
            for name, result in report.comparisons.items()
        },
        "paired": {
            name: {key: value._asdict() for key, value in result.paired.items()}
            for name, result in report.comparisons.items()
        },
        "trivial": {
            answer: {key: value._asdict() for key, value in found.items()}
            for answer, found in report.trivial.items()
        },
        "judge": report.judge,
        "selection": report.selection,
        "questions": report.questions,
        "complete": report.complete,
        "stopped": outcome.stopped,
        "model": report.model,
        "out": str(folder),
    }


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}"


def print_estimate(found: EvaluationEstimate, *, as_json: bool) -> None:
    """The remaining cost."""
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    table = Table(Column("strategy", overflow="fold"), box=None, pad_edge=False)
    for column in ("questions left", "calls to pay", "tokens", "time"):
        table.add_column(column, justify="right")
    for name, left in found.strategies.items():
        table.add_row(
            name,
            str(left.questions),
            f"{left.model_calls:,}",
            f"{left.tokens:,}",
            _time(left.seconds),
        )
    table.add_row("in all", "", f"{found.model_calls:,}", f"{found.tokens:,}", _time(found.seconds))
    out.print(table)
    out.print(
        f"Estimated from {counted(found.sampled, 'question')}, whose answers are kept. "
        f"Time is for sequential calls, with {found.model}.",
        style="dim",
    )


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


def _time(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
