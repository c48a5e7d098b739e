"""Write docs/results.md and its plots from the result files of the repository.

    python -m hopyard.evaluation.publish

Reads `report.json` and `retrieval.json` from every folder of `evaluation/results`. The text of
`about.md` in that folder comes first on the page.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from hopyard.evaluation.page import markdown
from hopyard.evaluation.plots import draw_report, draw_retrieval
from hopyard.evaluation.report import REPORT_FILE, Report, read_report
from hopyard.evaluation.retrieval_only import RETRIEVAL_FILE, RetrievalReport
from hopyard.state.atomic import write_file
from hopyard.state.errors import HopyardError, UsageError

__all__ = ("main", "publish")

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
        path.parent.name: _read_retrieval(path)
        for path in sorted(results.glob(f"*/{RETRIEVAL_FILE}"))
    }
    if not reports and not searches:
        raise UsageError(
            f"There is no result in {str(results)!r}; run `hopyard eval … --out {results}/NAME`."
        )
    lines = [
        "# Results",
        "",
        "Written by `python -m hopyard.evaluation.publish` from the files in "
        "`evaluation/results`, which `hopyard eval` made. Every strategy of a table had the same "
        "model, corpus, token limits and seed.",
        "",
    ]
    about = results / ABOUT_FILE
    if about.exists():
        lines += [about.read_text(encoding="utf-8").strip(), ""]
    if len(reports) > 1:
        lines += ["## All question sets", "", *_overview(reports), ""]
    for name, report in reports.items():
        files = draw_report(report, docs / "plots" / name)
        lines += [markdown(report, title="##"), *_images(files, docs), ""]
    if searches:
        lines += ["## Retrieval alone", "", *_retrieval_tables(searches), ""]
        lines += _images(
            [
                draw_retrieval(report, docs / "plots" / name / "recall.png")
                for name, report in searches.items()
            ],
            docs,
        )
    write_file(docs / "results.md", ("\n".join(lines).rstrip() + "\n").encode())


def _overview(reports: Mapping[str, Report]) -> list[str]:
    """Judged / EM / F1 of every strategy on every set; without sweeps."""
    strategies = dict.fromkeys(
        name for report in reports.values() for name in report.strategies if "@" not in name
    )
    sets = {
        f"{name} ({report.questions})": report.strategies
        for name, report in reports.items()
        if strategies.keys() & report.strategies.keys()
    }
    rows = [
        "Judged equivalent / EM / F1, in percent.",
        "",
        f"| strategy | {' | '.join(sets)} |",
        "|---|" + "---:|" * len(sets),
    ]
    for name in strategies:
        cells = []
        for results in sets.values():
            found = results.get(name)
            values = (found.judged, found.em, found.f1) if found else ()
            cells.append(
                " / ".join("–" if value is None else f"{100 * value:.1f}" for value in values)
                or "–"
            )
        rows.append(f"| `{name}` | {' | '.join(cells)} |")
    return rows


def _retrieval_tables(searches: Mapping[str, RetrievalReport]) -> list[str]:
    lines = [
        "All questions that have supporting documents, over the whole corpus, without a model "
        "call. Recall@k is over documents; in brackets the 95 % interval of recall@5; precision "
        "and F1 are of the first five documents. MMR chooses from the 40 nearest passages.",
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
        for name, result in report.searches.items():
            bounds = result.interval_at_5
            cells = [f"{100 * result.recall[k]:.1f}" for k in ks]
            cells[ks.index(5)] += f" [{100 * bounds.low:.0f}, {100 * bounds.high:.0f}]"
            cells += [f"{100 * result.at_5[key]:.1f}" for key in ("precision", "f1")]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def _images(files: Sequence[Path], docs: Path) -> list[str]:
    return [f"![{file.stem}]({file.relative_to(docs).as_posix()})\n" for file in files]


def _read_retrieval(path: Path) -> RetrievalReport:
    try:
        return RetrievalReport.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise HopyardError(
            f"The file {str(path)!r} is damaged; make it again with `hopyard eval … "
            "--retrieval-only --out DIR`."
        ) from error


if __name__ == "__main__":
    sys.exit(main())
