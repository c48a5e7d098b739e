"""Plots of the reports of `hopyard eval`, as PNG files beside the report.

    python -m lab.evaluation.plots FOLDER

FOLDER is what `hopyard eval … --out` wrote: it holds `report.json` or `retrieval.json`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from hopyard.evaluation.report import REPORT_FILE, Report
from hopyard.evaluation.retrieval_only import RETRIEVAL_FILE, RetrievalReport
from hopyard.state.text.counting import counted
from lab.figure import figure

__all__ = ("draw_report", "draw_retrieval", "find_sweeps")

_SETTING: Final = re.compile(r"^(?P<strategy>\w+)@(?P<setting>[\w.]+)=(?P<value>[\d.]+)$")
_SWEPT: Final[Mapping[str, str]] = {
    "tree.max_depth": "depth of the tree",
    "tree.theta": "θ",
    "hop.n_hop": "rounds of hops",
    "hop.top_k": "top_k of hop",
}
_MARKS: Final = "os^vDP*X<>hp"

Points = list[tuple[float, str]]


def main() -> None:
    """Draw what the folder has numbers for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    if (path := folder / REPORT_FILE).exists():
        draw_report(Report.model_validate_json(path.read_bytes()), folder)
    if (path := folder / RETRIEVAL_FILE).exists():
        found = RetrievalReport.model_validate_json(path.read_bytes())
        draw_retrieval(found, folder / "recall.png")


def draw_report(report: Report, folder: Path) -> list[Path]:
    """Draw accuracy against tokens, and one plot for each setting that was swept.

    Returns:
        The files written.

    Raises:
        UsageError: Matplotlib is not installed.
    """
    files = [_accuracy_against_tokens(report, folder / "accuracy-tokens.png")]
    for setting, points in find_sweeps(report.strategies).items():
        name = setting.replace(".", "-").replace("_", "-")
        files.append(_sweep(report, setting, points, folder / f"{name}.png"))
    return files


def draw_retrieval(report: RetrievalReport, file: Path) -> Path:
    """Draw recall against the number of documents, a line for each search."""
    title = (
        f"{report.name}: {counted(report.questions, 'question')}, "
        f"{counted(report.documents, 'document')}"
    )
    with figure(file, across="documents found (k)", up="recall@k", title=title) as axes:
        for name, result in report.searches.items():
            axes.plot(list(result.recall), list(result.recall.values()), marker="o", label=name)
            axes.set_xticks(list(result.recall))
        axes.set_ylim(0, 1)
        axes.legend()
    return file


def find_sweeps(names: Iterable[str]) -> dict[str, Points]:
    """Variants that differ in one swept setting: (value, name) by setting, in rising order."""
    found: dict[str, Points] = {}
    for name in names:
        match = _SETTING.match(name)
        if match and match["setting"] in _SWEPT:
            found.setdefault(match["setting"], []).append((float(match["value"]), name))
    return {setting: sorted(points) for setting, points in found.items() if len(points) > 1}


def _accuracy_against_tokens(report: Report, file: Path) -> Path:
    up = "answers that contain the gold answer, %"
    with figure(file, across="tokens a question", up=up, title=_title(report)) as axes:
        for name, result in report.strategies.items():
            if "@" in name:
                continue
            tokens = result.usage["input_tokens"] + result.usage["output_tokens"]
            mean, low, high = (100 * bound for bound in result.intervals["accuracy"])
            mark = _MARKS[len(axes.containers) % len(_MARKS)]
            error = [[mean - low], [high - mean]]
            axes.errorbar([tokens], [mean], error, fmt=mark, elinewidth=0.6, capsize=2, label=name)
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize="small")
        _from_zero(axes)
    return file


def _sweep(report: Report, setting: str, points: Points, file: Path) -> Path:
    values = [value for value, _ in points]
    results = [report.strategies[name] for _, name in points]
    with figure(file, across=_SWEPT[setting], up="%", title=_title(report)) as axes:
        for label, measure in (("EM", "em"), ("F1", "f1"), ("contains gold", "accuracy")):
            heights = [100 * getattr(result, measure) for result in results]
            axes.plot(values, heights, marker="o", label=label)
        costs = axes.twinx()
        calls = [result.usage["model_calls"] for result in results]
        costs.plot(values, calls, color="grey", linestyle="--", marker="x", label="calls")
        costs.set_ylabel("model calls a question")
        costs.set_ylim(bottom=0)
        _from_zero(axes)
        axes.legend(loc="lower left", fontsize="small")
    return file


def _from_zero(axes: Any) -> None:
    """Show the whole scale, with room above for points that lie close together."""
    _, top = axes.get_ylim()
    axes.set_ylim(0, 1.1 * top)


def _title(report: Report) -> str:
    return f"{report.name}: {counted(report.questions, 'question')}\n{report.model}"


if __name__ == "__main__":
    main()
