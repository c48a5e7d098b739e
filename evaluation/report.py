"""The report of an evaluation: report.json for machines, report.md for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.evaluation.plan import Plan, RunInfo
from hopyard.evaluation.records import Record
from hopyard.evaluation.summary import Comparison, StrategyResult, compare, summarize
from hopyard.measures.bootstrap import Interval
from hopyard.measures.questions import fingerprint
from hopyard.state.atomic import write_file
from hopyard.state.errors import HopyardError

__all__ = (
    "FAILURES_FILE",
    "REPORT_FILE",
    "FailureCounts",
    "Report",
    "make_report",
    "markdown",
    "read_report",
    "save_report",
)

REPORT_FILE: Final = "report.json"
FAILURES_FILE: Final = "failures.json"
_PAGE: Final = "report.md"


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
    strategies: dict[str, StrategyResult]
    comparisons: dict[str, Comparison]
    wrong_answers: dict[str, FailureCounts] = {}


def make_report(plan: Plan, info: RunInfo, records: Iterable[Record], folder: Path) -> Report:
    """Make the report of a plan's questions and strategies from the records so far."""
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
        strategies=summarize(chosen),
        comparisons=compare(chosen, plan.baseline),
        wrong_answers=read_failures(folder / FAILURES_FILE),
    )


def save_report(report: Report, folder: Path) -> None:
    """Write report.json and report.md."""
    write_file(folder / REPORT_FILE, report.model_dump_json(indent=1).encode() + b"\n")
    write_file(folder / _PAGE, markdown(report).encode())


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


def markdown(report: Report, *, title: str = "#") -> str:
    """The report for people; `title` is the level of its heading."""
    retrieval = report.settings["retrieval"]
    chosen = f" ({report.selection})" if report.selection else ""
    lines = [
        f"{title} {report.name}",
        "",
        f"{report.questions} questions{chosen}; chat model `{report.model}`, embedding "
        f"`{report.embedding}`; temperature {report.settings['temperature']}, seed "
        f"{report.settings['seed']}, {retrieval['k']} passages of at most "
        f"{retrieval['snippet_tokens']} tokens by `{retrieval['method']}` search. In brackets: "
        "95 % intervals of the paired bootstrap.",
    ]
    if not report.complete:
        lines += ["", "**Not complete**: some strategies have not answered every question."]
    lines += ["", *_answers(report), "", *_costs(report), "", *_comparisons(report)]
    lines += ["", *_prompt_rates(report)]
    if report.wrong_answers:
        lines += ["", *_wrong(report.wrong_answers)]
    return "\n".join(lines) + "\n"


def _answers(report: Report) -> list[str]:
    rows = [
        "| strategy | n | EM | F1 | contains gold | retrieval P | R | F1 | R@5 | retrieved "
        "| needless | unanswered | truncated | failures |",
        "|---|" + "---:|" * 13,
    ]
    for name, result in report.strategies.items():
        found = result.retrieval or {}
        retrieval = [_share(found.get(key)) for key in ("precision", "recall", "f1", "recall_at_5")]
        rows.append(
            f"| `{name}` {report.about.get(name, '')} | {result.n} "
            f"| {_bounds(result.intervals['em'])} | {_bounds(result.intervals['f1'])} "
            f"| {_bounds(result.intervals['accuracy'])} | {' | '.join(retrieval)} "
            f"| {_share(result.retrieval_rate)} | {_share(result.needless_retrieval_rate)} "
            f"| {result.unanswered} | {result.truncated} | {result.failures} |"
        )
    return [*rows, "", *_routes(report)]


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
        "Averages a question. Calls, tokens and seconds count every call of the strategy. Cached "
        "calls are those that the ledger answered in this run, because another strategy had paid "
        "for them. Seconds are those of the model calls one after another.",
        "",
        "| strategy | calls | cached | tokens in | tokens out | seconds | passed in this run |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, result in report.strategies.items():
        used = result.usage
        rows.append(
            f"| `{name}` | {used['model_calls']:.1f} | {used['cached_calls']:.1f} "
            f"| {used['input_tokens']:,.0f} | {used['output_tokens']:,.0f} "
            f"| {used['seconds']:.1f} | {used['wall_seconds']:.1f} |"
        )
    return rows


def _comparisons(report: Report) -> list[str]:
    rows = [
        f"Difference to `{report.baseline}`, question by question; bold if its interval "
        "excludes 0.",
        "",
        "| strategy | n | EM | F1 | contains gold | tokens |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, comparison in report.comparisons.items():
        cells = [_difference(comparison.differences[key]) for key in ("em", "f1", "accuracy")]
        tokens = comparison.differences["tokens"].mean
        rows.append(f"| `{name}` | {comparison.n} | {' | '.join(cells)} | {tokens:+,.0f} |")
    return rows


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


def _wrong(found: Mapping[str, FailureCounts]) -> list[str]:
    kinds = list(dict.fromkeys(kind for counts in found.values() for kind in counts.counts))
    rows = [
        "Wrong answers by the step that went wrong.",
        "",
        f"| strategy | wrong | sorted | by hand | {' | '.join(kinds)} |",
        "|---|" + "---:|" * (3 + len(kinds)),
    ]
    for name, counts in found.items():
        cells = [counts.wrong, counts.sorted, counts.by_hand]
        cells += [counts.counts.get(kind, 0) for kind in kinds]
        rows.append(f"| `{name}` | {' | '.join(map(str, cells))} |")
    return rows


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _bounds(value: Interval) -> str:
    return f"{100 * value.mean:.1f} [{100 * value.low:.0f}, {100 * value.high:.0f}]"


def _difference(value: Interval) -> str:
    text = f"{100 * value.mean:+.1f} [{100 * value.low:+.0f}, {100 * value.high:+.0f}]"
    return f"**{text}**" if value.low > 0 or value.high < 0 else text
