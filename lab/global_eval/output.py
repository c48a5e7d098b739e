"""Print the report of an evaluation of questions about a whole corpus."""

from __future__ import annotations

from pathlib import Path

from rich.table import Column, Table

from hopyard.cli.console import out, print_json
from hopyard.cli.eval.report import tell_stopped
from hopyard.evaluation.runner import Outcome
from lab.global_eval.report import GlobalReport


def print_global_report(
    report: GlobalReport, folder: Path, outcome: Outcome, *, as_json: bool
) -> None:
    """The cost of each condition, and the win rates by criterion."""
    tell_stopped(outcome)
    if as_json:
        more = {"stopped": outcome.stopped, "out": str(folder)}
        print_json(report.model_dump(mode="json") | more)
        return
    letters = {name: chr(ord("A") + place) for place, name in enumerate(report.conditions)}
    table = Table("", Column("condition", overflow="fold"), box=None, pad_edge=False)
    for column in ("n", "words", "calls", "tokens", "of most"):
        table.add_column(column, justify="right")
    for name, found in report.conditions.items():
        table.add_row(
            letters[name],
            name,
            str(found.n),
            f"{found.words:.0f}",
            f"{found.calls:.1f}",
            f"{found.tokens:,.0f}",
            f"{100 * found.share_of_most:.1f} %",
        )
    out.print(table)
    for criterion, rates in report.win_rates.items():
        if rates:
            matrix = Table(criterion, box=None, pad_edge=False)
            for letter in letters.values():
                matrix.add_column(letter, justify="right")
            for name, letter in letters.items():
                row = rates.get(name, {})
                cells = (
                    f"{100 * row[other].mean:.0f}" if other in row else "–" for other in letters
                )
                matrix.add_row(letter, *cells)
            out.print()
            out.print(matrix)
    out.print(f"Report, records and judgements: {folder}", style="dim", soft_wrap=True)
