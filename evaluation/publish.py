"""Write docs/results.md, and its plots, from the result files that are in the repository.

    python -m hopyard.evaluation.publish

Reads `report.json` and `retrieval.json` of every folder of `evaluation/results`. A folder
`NAME-before` is the state before a change, shown beside `NAME`. What must be known of these runs
beside their numbers stands in `about.md` of the results' folder, and on top of the page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from hopyard.evaluation.plots import draw_report, draw_retrieval
from hopyard.evaluation.report import REPORT_FILE, Report, markdown, read_report
from hopyard.evaluation.retrieval_only import RETRIEVAL_FILE, RetrievalReport
from hopyard.state.atomic import write_file
from hopyard.state.errors import HopyardError, UsageError

__all__ = ("main", "page", "publish")

_BEFORE: Final = "-before"
ABOUT_FILE: Final = "about.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m hopyard.evaluation.publish",
        description="Write docs/results.md from the result files of the repository.",
    )
    parser.add_argument("--results", type=Path, default=Path("evaluation/results"))
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    options = parser.parse_args(arguments)
    try:
        publish(options.results, options.docs)
    except HopyardError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def publish(results: Path, docs: Path) -> None:
    """Write `results.md` and the plots into a folder.

    Raises:
        UsageError: There is no result.
        HopyardError: A result file is damaged.
    """
    reports = {
        path.parent.name: read_report(path) for path in sorted(results.glob(f"*/{REPORT_FILE}"))
    }
    searches = {
        path.parent.name: _retrieval(path) for path in sorted(results.glob(f"*/{RETRIEVAL_FILE}"))
    }
    if not reports and not searches:
        raise UsageError(
            f"There is no result in {str(results)!r}; run `hopyard eval … --out {results}/NAME`."
        )
    plots: dict[str, list[str]] = {}
    for name, report in reports.items():
        if not name.endswith(_BEFORE):
            files = draw_report(report, docs / "plots" / name)
            plots[name] = [file.relative_to(docs).as_posix() for file in files]
    for name, search in searches.items():
        file = draw_retrieval(search, docs / "plots" / name / "recall.png")
        plots.setdefault(f"{name} retrieval", []).append(file.relative_to(docs).as_posix())
    about = results / ABOUT_FILE
    text = about.read_text(encoding="utf-8").strip() if about.exists() else ""
    write_file(docs / "results.md", page(reports, searches, plots, about=text).encode())


def page(
    reports: Mapping[str, Report],
    searches: Mapping[str, RetrievalReport],
    plots: Mapping[str, Sequence[str]],
    *,
    about: str = "",
) -> str:
    """The page.

    Args:
        reports: By the name of their folder.
        searches: By the name of their folder.
        plots: Files beside the page, by the name of what they show.
        about: Markdown for the top of the page.
    """
    parts = [
        "# Results",
        "",
        "Written by `python -m hopyard.evaluation.publish` from the files in "
        "`evaluation/results`, which `hopyard eval` made. Every strategy of a table had the same "
        "model, corpus, token limits and seed.",
        "",
    ]
    models = sorted({report.model for report in reports.values()})
    if models:
        parts += ["Chat model: " + ", ".join(f"`{model}`" for model in models) + ".", ""]
    else:
        parts += ["No chat model was asked for what stands here: it is retrieval alone.", ""]
    if about:
        parts += [about, ""]
    current = {name: one for name, one in reports.items() if not name.endswith(_BEFORE)}
    if len(current) > 1:
        parts += ["## All question sets", "", *_overview(current), ""]
    for name, report in current.items():
        parts += [markdown(report, title="##")]
        before = reports.get(name + _BEFORE)
        if before is not None:
            parts += ["Before and after:", "", *_before_and_after(before, report), ""]
        parts += [*_shown(plots.get(name, ())), ""]
    if searches:
        parts += ["## Retrieval alone", "", *_retrieval_tables(searches), ""]
        for name in searches:
            parts += [*_shown(plots.get(f"{name} retrieval", ())), ""]
    return "\n".join(parts).rstrip() + "\n"


def _overview(reports: Mapping[str, Report]) -> list[str]:
    """EM / F1 / contains-gold of every strategy on every set; sweeps are left to their own."""
    names = [
        name
        for name in dict.fromkeys(name for one in reports.values() for name in one.strategies)
        if "@" not in name
    ]
    sets = [name for name, one in reports.items() if set(one.strategies) & set(names)]
    rows = [
        "EM / F1 / contains gold, in percent.",
        "",
        f"| strategy | {' | '.join(f'{one} ({reports[one].questions})' for one in sets)} |",
        "|---|" + "---:|" * len(sets),
    ]
    for name in names:
        cells = []
        for one in sets:
            found = reports[one].strategies.get(name)
            values = (found.em, found.f1, found.accuracy) if found else ()
            cells.append(" / ".join(f"{100 * value:.1f}" for value in values) or "–")
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return rows


def _before_and_after(before: Report, after: Report) -> list[str]:
    rows = [
        "| strategy | EM | F1 | contains gold | calls | seconds |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name, new in after.strategies.items():
        old = before.strategies.get(name)
        if old is None:
            continue
        shares = [
            f"{100 * getattr(old, key):.1f} → {100 * getattr(new, key):.1f}"
            for key in ("em", "f1", "accuracy")
        ]
        costs = [
            f"{old.usage[key]:.1f} → {new.usage[key]:.1f}" for key in ("model_calls", "seconds")
        ]
        rows.append(f"| `{name}` | {' | '.join((*shares, *costs))} |")
    return rows


def _retrieval_tables(searches: Mapping[str, RetrievalReport]) -> list[str]:
    lines = [
        "All questions that have supporting documents, over the whole corpus; no model is asked. "
        "Recall@k is over documents; in brackets the 95 % interval of recall@5; precision and F1 "
        "are of the first five documents. MMR chooses from the 40 nearest passages.",
    ]
    for report in searches.values():
        ks = list(next(iter(report.searches.values())).recall)
        lines += [
            "",
            f"### {report.name}: {report.questions} questions, {report.documents:,} documents, "
            f"{report.passages:,} passages, embedding `{report.embedding}`",
            "",
            f"| search | {' | '.join(f'R@{k}' for k in ks)} | P@5 | F1@5 |",
            "|---|" + "---:|" * (len(ks) + 2),
        ]
        for name, one in report.searches.items():
            bounds = one.interval_at_5
            cells = [f"{100 * one.recall[k]:.1f}" for k in ks]
            at_5 = ks.index(5)
            cells[at_5] += f" [{100 * bounds.low:.0f}, {100 * bounds.high:.0f}]"
            cells += [f"{100 * one.at_5[key]:.1f}" for key in ("precision", "f1")]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _shown(files: Sequence[str]) -> list[str]:
    return [f"![{Path(file).stem}]({file})" for file in files]


def _retrieval(path: Path) -> RetrievalReport:
    try:
        return RetrievalReport.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise HopyardError(
            f"The file {str(path)!r} is damaged; make it again with `hopyard eval … "
            "--retrieval-only --out DIR`."
        ) from error


if __name__ == "__main__":
    sys.exit(main())
