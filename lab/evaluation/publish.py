"""Write docs/results.md from the result files of the repository.

    python -m lab.evaluation.publish

A folder of `evaluation/results` is a section of the page. It holds a folder for each question set,
with `report.json` or `retrieval.json`, and `about.md`, which begins the section. `about.md` beside
the sections begins the page, and `wrong.md` ends it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from hopyard.evaluation.report import REPORT_FILE, Report
from hopyard.evaluation.retrieval_only import RETRIEVAL_FILE, RetrievalReport, SearchResult
from hopyard.evaluation.summary import Comparison
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.storage.atomic import write_file
from hopyard.state.usage import about

__all__ = ("main", "publish")

ABOUT_FILE: Final = "about.md"
WRONG_FILE: Final = "wrong.md"
_RIGHT: Final = {True: "the answers judged equivalent", False: "the exact answers"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.evaluation.publish",
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
    """Write `results.md` into a folder.

    Raises:
        UsageError: There is no result.
        HopyardError: A result file is damaged.
    """
    sections = [section for folder in sorted(results.glob("*/")) if (section := _section(folder))]
    if not sections:
        raise UsageError(
            f"There is no result in {str(results)!r}; run `hopyard eval … --out "
            f"{results}/SECTION/SET`."
        )
    first = [
        "# Results",
        "",
        "Written by `python -m lab.evaluation.publish` from the files in "
        "`evaluation/results`, which `hopyard eval` made.",
        "",
        *_text(results / ABOUT_FILE),
    ]
    lines = [*first, *chain.from_iterable(sections), *_text(results / WRONG_FILE)]
    docs.mkdir(parents=True, exist_ok=True)
    write_file(docs / "results.md", ("\n".join(lines).rstrip() + "\n").encode())


def _section(folder: Path) -> list[str]:
    """The tables of the question sets in a folder, after its own text; none without results."""
    reports = [_read_report(path) for path in sorted(folder.glob(f"*/{REPORT_FILE}"))]
    searches = [_read_retrieval(path) for path in sorted(folder.glob(f"*/{RETRIEVAL_FILE}"))]
    if not reports and not searches:
        return []
    lines = _text(folder / ABOUT_FILE) or [f"## {folder.name}", ""]
    if reports:
        lines += [*_model_tables(reports), ""]
    if searches:
        lines += [*_retrieval_table(searches), ""]
    return lines


def _text(path: Path) -> list[str]:
    """A text with its links to pages of `docs/` as that folder has them."""
    if not path.exists():
        return []
    return [path.read_text(encoding="utf-8").strip().replace("(../../../docs/", "("), ""]


def _model_tables(reports: Sequence[Report]) -> list[str]:
    """The scores and costs of each strategy on each set, and its difference to the first."""
    names = list(dict.fromkeys(name for report in reports for name in report.strategies))
    results = [result for report in reports for result in report.strategies.values()]
    judged = any(result.judged is not None for result in results)
    answers = "Judged equivalent / exact match / F1" if judged else "Exact match / F1"
    baselines = " or ".join(dict.fromkeys(f"`{report.baseline}`" for report in reports))
    tables: list[tuple[str, Callable[[Report, str], str]]] = [
        (f"{answers}, in percent; in brackets the 95 % interval of F1.", _answers),
        (
            "Judged equivalent, and every link of the answer is stated by a passage, in percent.",
            _confirmed,
        ),
        ("Statements that are supported / points of the reference covered, in percent.", _covered),
        (
            "Supporting passages among the first five of the evidence, in percent; in the head, "
            "the questions that have some. For `single` these are the passages that it read. The "
            "evidence of `chain` begins with the passages that it took facts from, of all its "
            "searches.",
            _passages,
        ),
        ("Model calls and tokens a question.", _costs),
        (
            f"F1 less that of {baselines}, in points, question by question; bold if the 95 % "
            f"interval excludes 0; p of the exact McNemar test of {_RIGHT[judged]}."
            + _many_comparisons(reports),
            _difference,
        ),
    ]
    lines: list[str] = []
    for title, cell in tables:
        if table := _table(reports, names, cell):
            trivial = _trivial_rows(reports) if cell is _answers else []
            lines += [title, "", *table, *trivial, ""]
    return lines[:-1]


def _many_comparisons(reports: Sequence[Report]) -> str:
    """How small p has to be where a table compares so many times, as a sentence."""
    compared = [each for report in reports for each in report.comparisons.values()]
    tests = sum(1 for each in compared if _p_of(each) is not None)
    if tests < 2:
        return ""
    return (
        f" The table makes {tests} comparisons: if nothing differed, one in twenty would still "
        f"have p < .05. Taken together (Bonferroni), a difference counts if p < "
        f"{_decimal(0.05 / tests)}."
    )


def _p_of(compared: Comparison) -> float | None:
    """McNemar's p of the answers judged right, or of the exact answers if there is no judge."""
    paired = compared.paired.get("judged") or compared.paired.get("em")
    return paired.p if paired else None


def _decimal(p: float) -> str:
    """A probability without its 0, as in .024."""
    return f"{p:.3f}".removeprefix("0") if p < 1 else "1"


def _table(
    reports: Sequence[Report], names: Sequence[str], cell: Callable[[Report, str], str]
) -> list[str]:
    """A row for each strategy that has a value; nothing where none has."""
    rows = []
    for name in names:
        cells = [cell(report, name) if name in report.strategies else "–" for report in reports]
        if set(cells) != {"–"}:
            rows.append(f"| `{name}` | {' | '.join(cells)} |")
    heads = [f"{report.name} ({_counted(report, cell)})" for report in reports]
    head = [f"| strategy | {' | '.join(heads)} |", "|---|" + "---:|" * len(heads)]
    return [*head, *rows] if rows else []


def _confirmed(report: Report, name: str) -> str:
    confirmed = report.strategies[name].confirmed
    return "–" if confirmed is None else f"{100 * confirmed:.0f}"


def _counted(report: Report, cell: Callable[[Report, str], str]) -> int:
    """The questions that a table is about: those with supporting passages, or all."""
    if cell is not _passages:
        return report.questions
    return max((result.retrieval_n for result in report.strategies.values()), default=0)


def _covered(report: Report, name: str) -> str:
    result = report.strategies[name]
    if result.supported is None or result.covered is None:
        return "–"
    return f"{100 * result.supported:.0f} / {100 * result.covered:.0f}"


def _trivial_rows(reports: Sequence[Report]) -> list[str]:
    """The same answer to every question, where it is some question's gold answer."""
    lines = []
    for answer in dict.fromkeys(answer for report in reports for answer in report.trivial):
        cells = [
            f"{100 * report.trivial[answer]['em'].mean:.0f}" if answer in report.trivial else "–"
            for report in reports
        ]
        lines.append(f"| always “{answer}” (exact match) | {' | '.join(cells)} |")
    return lines


def _answers(report: Report, name: str) -> str:
    result = report.strategies[name]
    bounds = result.intervals["f1"]
    shares = [value for value in (result.judged, result.em, result.f1) if value is not None]
    percents = " / ".join(f"{100 * value:.0f}" for value in shares)
    return f"{percents} [{100 * bounds.low:.0f}, {100 * bounds.high:.0f}]"


def _passages(report: Report, name: str) -> str:
    measured = report.strategies[name].retrieval or {}
    recall = measured.get("recall_at_5")
    return "–" if recall is None or name == "direct" else f"{100 * recall:.0f}"


def _costs(report: Report, name: str) -> str:
    usage = report.strategies[name].usage
    tokens = usage["input_tokens"] + usage["output_tokens"]
    return f"{usage['model_calls']:.1f} calls, {about(usage)}{tokens:,.0f} tokens"


def _difference(report: Report, name: str) -> str:
    compared = report.comparisons.get(name)
    if compared is None:
        return "–"
    found = compared.differences["f1"]
    p = _p_of(compared)
    if not any(found) and p in (None, 1.0):
        return "0"
    text = f"{100 * found.mean:+.0f} [{100 * found.low:+.0f}, {100 * found.high:+.0f}]"
    bold = f"**{text}**" if found.low > 0 or found.high < 0 else text
    return bold if p is None else f"{bold}, p {_compared(p)}"


def _compared(p: float) -> str:
    return "< .001" if p < 0.001 else f"= {_decimal(p)}"


def _retrieval_table(reports: Sequence[RetrievalReport]) -> list[str]:
    """The recall of each search method on each set."""
    heads = [f"{report.name} ({report.questions})" for report in reports]
    lines = [
        "Recall of supporting documents among the first five / ten, in percent; in brackets the "
        "95 % interval of the first.",
        "",
        f"| search | {' | '.join(heads)} |",
        "|---|" + "---:|" * len(heads),
    ]
    for name in dict.fromkeys(name for report in reports for name in report.searches):
        cells = [
            _recall(report.searches[name]) if name in report.searches else "–" for report in reports
        ]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    return lines


def _recall(result: SearchResult) -> str:
    low, high = result.interval_at_5.low, result.interval_at_5.high
    first = f"{100 * result.recall[5]:.0f} [{100 * low:.0f}, {100 * high:.0f}]"
    return f"{first} / {100 * result.recall[10]:.0f}" if 10 in result.recall else first


def _read_report(path: Path) -> Report:
    try:
        return Report.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise HopyardError(
            f"The file {str(path)!r} is not a report of an evaluation; make it with `hopyard eval "
            "… --out DIR`."
        ) from error


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
