"""The report of an evaluation of questions about a whole corpus as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from hopyard.evaluation.global_report import GlobalReport
from hopyard.measures.bootstrap import Interval
from hopyard.state.storage.atomic import write_file
from hopyard.state.storage.lines import write_model
from hopyard.state.text.counting import counted

__all__ = ("GLOBAL_PAGE", "GLOBAL_REPORT", "global_markdown", "save_global_report")

GLOBAL_REPORT: Final = "global.json"
GLOBAL_PAGE: Final = "global.md"


def save_global_report(report: GlobalReport, folder: Path) -> None:
    """Write global.json and global.md."""
    write_model(folder / GLOBAL_REPORT, report)
    write_file(folder / GLOBAL_PAGE, global_markdown(report).encode())


def global_markdown(report: GlobalReport, *, title: str = "#") -> str:
    """The report for people; `title` is the level of its heading."""
    chosen = f" ({report.selection})" if report.selection else ""
    lines = [
        f"{title} {report.name}",
        "",
        f"{counted(report.questions, 'question')} about the whole corpus{chosen}; chat model "
        f"`{report.model}`, embedding `{report.embedding}`.",
    ]
    if not report.complete:
        lines += ["", "**Not complete**: some conditions have not answered every question."]
    lines += ["", *_conditions(report)]
    if report.judge:
        lines += ["", *_judging(report)]
        for criterion, rates in report.win_rates.items():
            if rates:
                lines += ["", f"{title}# {criterion.capitalize()}", "", *_matrix(report, rates)]
        lines += ["", *_bias(report)]
    return "\n".join(lines).rstrip() + "\n"


def _conditions(report: GlobalReport) -> list[str]:
    titles = ["n", "words", "calls", "tokens", "of the most", "report calls", "report tokens"]
    titles += ["unanswered", "failed", "truncated"]
    rows = [f"| condition | {' | '.join(titles)} |", "|---|" + "---:|" * len(titles)]
    for name, found in report.conditions.items():
        cells = [
            str(found.n),
            f"{found.words:.0f}",
            f"{found.calls:.1f}",
            f"{found.tokens:,.0f}",
            f"{100 * found.share_of_most:.1f} %",
            *(f"{count:,}" for count in (found.report_calls, found.report_tokens)),
            *map(str, (found.unanswered, found.failed, found.truncated)),
        ]
        rows.append(f"| `{name}` {found.about} | {' | '.join(cells)} |")
    return [
        *rows,
        "",
        "Words, calls and tokens are means a question, as if the condition had paid for every "
        "call. Of the most: the share of the tokens of the condition that takes the most. "
        "Report calls and tokens wrote community reports while questions were answered; "
        "they are totals, and are not part of the means.",
    ]


def _judging(report: GlobalReport) -> list[str]:
    failures = (
        f" {counted(report.judge_failures, 'call')} of the judge gave no usable verdict."
        if report.judge_failures
        else ""
    )
    return [
        f"Judge: `{report.judge}`, {counted(report.judged, 'judgement')}; each pair in both "
        f"orders, {counted(report.repeats, 'time')} each; {counted(report.by_rule, 'pair')} "
        f"decided by rule.{failures} Win rates in percent of the row over the column; a tie "
        "is half a win. In brackets: 95 % intervals over questions; bold if 50 is outside."
    ]


def _matrix(report: GlobalReport, rates: Mapping[str, Mapping[str, Interval]]) -> list[str]:
    columns = [name for name in report.conditions if any(name in found for found in rates.values())]
    rows = [
        "| | " + " | ".join(f"`{name}`" for name in columns) + " |",
        "|---|" + "---:|" * len(columns),
    ]
    for name in report.conditions:
        if found := rates.get(name):
            cells = (_rate(found.get(column)) for column in columns)
            rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return rows


def _bias(report: GlobalReport) -> list[str]:
    if not report.bias:
        return []
    rows = [
        "Bias of the judge. First: win rate of the answer that is shown first; 50 is no bias. "
        "Same: share of pairs with the same verdict in both orders.",
        "",
        "| criterion | first | same | ties |",
        "|---|---:|---:|---:|",
    ]
    for criterion, found in report.bias.items():
        first, same = _rate(found.first), _bounds(found.agreement)
        rows.append(f"| {criterion} | {first} | {same} | {100 * found.ties:.1f} |")
    return rows


def _rate(value: Interval | None) -> str:
    if value is None:
        return "–"
    text = _bounds(value)
    return f"**{text}**" if value.low > 0.5 or value.high < 0.5 else text


def _bounds(value: Interval) -> str:
    return f"{100 * value.mean:.1f} [{100 * value.low:.0f}, {100 * value.high:.0f}]"
