"""The report of an evaluation: report.json for programs, report.md for people."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
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
from hopyard.state.storage.atomic import write_file
from hopyard.state.storage.lines import write_model
from hopyard.state.text.counting import counted
from hopyard.state.usage import about

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


_PAGE: Final = "report.md"
SCORES: Final = {
    "judged": "judged",
    "em": "EM",
    "f1": "F1",
    "accuracy": "contains gold",
    "supported": "supported",
    "covered": "covered",
}
"""Columns of scores, in order; those that a report has are shown."""
_WITH_P: Final = ("judged", "em")
"""Scores whose differences get a p."""
_RETRIEVAL: Final = {
    "precision": "retrieval P",
    "recall": "R",
    "f1": "F1",
    "recall_at_5": "R@5",
}


def save_report(report: Report, folder: Path) -> None:
    """Write report.json and report.md."""
    write_model(folder / REPORT_FILE, report)
    write_file(folder / _PAGE, markdown(report).encode())


def markdown(report: Report) -> str:
    """The report for people."""
    retrieval = report.settings["retrieval"]
    chosen = f" ({report.selection})" if report.selection else ""
    lines = [
        f"# {report.name}",
        "",
        f"{counted(report.questions, 'question')}{chosen}; chat model `{report.model}`, embedding "
        f"`{report.embedding}`; temperature {report.settings['temperature']}, seed "
        f"{report.settings['seed']}, {counted(retrieval['k'], 'passage')} of at most "
        f"{counted(retrieval['snippet_tokens'], 'token')} by `{retrieval['method']}` search. "
        "In brackets: 95 % intervals of the paired BCa bootstrap, exact where a share is 0 or 100.",
    ]
    if report.judge:
        lines[-1] += (
            f" Judged: the share of answers that `{report.judge}` found equivalent to a gold "
            "answer."
        )
    if not report.complete:
        lines += ["", "**Not complete**: some strategies have not answered every question."]
    lines += ["", *_answers(report), "", *_costs(report), "", *_comparisons(report)]
    lines += ["", *_prompt_rates(report)]
    return "\n".join(lines) + "\n"


def _answers(report: Report) -> list[str]:
    scores = _scores_of(report)
    counted = ("retrieved", "needless", "unanswered", "truncated", "failures")
    titles = ["n", *scores.values(), *_RETRIEVAL.values(), *counted]
    rows = [f"| strategy | {' | '.join(titles)} |", "|---|" + "---:|" * len(titles)]
    for name, result in report.strategies.items():
        found = result.retrieval or {}
        cells = [
            str(result.n),
            *(_bounds(result.intervals.get(score)) for score in scores),
            *(_share(found.get(measure)) for measure in _RETRIEVAL),
            _share(result.retrieval_rate),
            _share(result.needless_retrieval_rate),
            *map(str, (result.unanswered, result.truncated, result.failures)),
        ]
        rows.append(f"| `{name}` {report.about.get(name, '')} | {' | '.join(cells)} |")
    for answer, found_scores in report.trivial.items():
        cells = [
            str(report.questions),
            *(_bounds(found_scores.get(score)) for score in scores),
            *["–"] * (len(titles) - 1 - len(scores)),
        ]
        rows.append(f"| always “{answer}” | {' | '.join(cells)} |")
    return [*rows, "", *_unjudged(report), *_routes(report)]


def _scores_of(report: Report) -> dict[str, str]:
    """The scores that a strategy of the report has, with their titles."""
    results = report.strategies.values()
    return {
        score: title
        for score, title in SCORES.items()
        if any(score in result.intervals for result in results)
    }


def _unjudged(report: Report) -> list[str]:
    return [
        f"`{name}`: a call of the judge gave no usable output for "
        f"{counted(result.judge_failures, 'answer')}."
        for name, result in report.strategies.items()
        if result.judge_failures
    ]


def _routes(report: Report) -> list[str]:
    return [
        f"`{name}` went to: "
        + ", ".join(f"{strategy} {count}" for strategy, count in result.routes.items())
        + "."
        for name, result in report.strategies.items()
        if result.routes
    ]


def _costs(report: Report) -> list[str]:
    rows = [
        "Averages per question. Calls, tokens and seconds count every call of the strategy. Cached "
        "calls are those that the ledger answered in this run, because another strategy had paid "
        "for them. Seconds are those of sequential model calls.",
        "",
        "| strategy | calls | cached | tokens in | tokens out | seconds | passed in this run |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, result in report.strategies.items():
        used = result.usage
        rows.append(
            f"| `{name}` | {used['model_calls']:.1f} | {used['cached_calls']:.1f} "
            f"| {about(used)}{used['input_tokens']:,.0f} "
            f"| {about(used)}{used['output_tokens']:,.0f} "
            f"| {used['seconds']:.1f} | {used['wall_seconds']:.1f} |"
        )
    return rows


def _comparisons(report: Report) -> list[str]:
    scores = [score for score in _scores_of(report) if score not in {"supported", "covered"}]
    titles = ["n"]
    for score in scores:
        titles += [SCORES[score], *(["p"] if score in _WITH_P else [])]
    titles.append("tokens")
    rows = [
        f"Difference to `{report.baseline}`, question by question; bold if its interval "
        "excludes 0. p: exact McNemar test of the answers that only one of the two has right.",
        "",
        f"| strategy | {' | '.join(titles)} |",
        "|---|" + "---:|" * len(titles),
    ]
    for name, comparison in report.comparisons.items():
        cells = [str(comparison.n)]
        for score in scores:
            cells.append(_difference(comparison.differences.get(score)))
            if score in _WITH_P:
                cells.append(_p(comparison, score))
        cells.append(f"{comparison.differences['tokens'].mean:+,.0f}")
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return rows


def _p(comparison: Comparison, score: str) -> str:
    found = comparison.paired.get(score)
    if found is None:
        return "–"
    return "<0.001" if found.p < 0.001 else f"{found.p:.3f}"


def _prompt_rates(report: Report) -> list[str]:
    """Over all strategies; a call that several strategies share counts for each."""
    totals: dict[str, list[int]] = {}
    for result in report.strategies.values():
        for name, calls in result.prompts.items():
            total = totals.setdefault(name, [0, 0, 0, 0])
            for place, value in enumerate(
                (calls.calls, calls.parsed, calls.repaired, calls.failed)
            ):
                total[place] += value
    rows = ["| prompt | calls | parsed | repaired | failed | usable |", "|---|" + "---:|" * 5]
    for name, (outputs, parsed, repaired, failed) in sorted(totals.items()):
        usable = (parsed + repaired) / outputs
        rows.append(f"| {name} | {outputs} | {parsed} | {repaired} | {failed} | {usable:.1%} |")
    return rows


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _bounds(value: Interval | None) -> str:
    if value is None:
        return "–"
    return f"{100 * value.mean:.1f} [{100 * value.low:.0f}, {100 * value.high:.0f}]"


def _difference(value: Interval | None) -> str:
    if value is None:
        return "–"
    text = f"{100 * value.mean:+.1f} [{100 * value.low:+.0f}, {100 * value.high:+.0f}]"
    return f"**{text}**" if value.low > 0 or value.high < 0 else text
