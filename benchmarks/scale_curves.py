"""Draw the growth curves of `scale.py` into docs/figures/scale.svg.

python benchmarks/scale_curves.py
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

TOP: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = TOP / "benchmarks" / "results" / "scale.json"
PICTURE: Final = TOP / "docs" / "figures" / "scale.svg"

Value = Callable[[Mapping[str, Any]], float]


def stage(*names: str) -> Value:
    """Seconds of the processor of stages of a build."""
    return lambda row: sum(row["build"]["cpu_seconds_by_stage"][name] for name in names)


def per_question(method: str) -> Value:
    """Milliseconds of the processor of a search, once its pages are in memory."""
    return lambda row: row["search"][method]["8 askers"]["cpu_ms"]


def first_use(number: int) -> Value:
    """Milliseconds of the processor of the first use of a filter."""
    return lambda row: row["search"]["filters"][number]["first"]["cpu_ms"]


PANELS: Final[Mapping[str, Mapping[str, Value]]] = {
    "Building, s of the processor": {
        "reading and cutting": stage("read", "passages"),
        "embedding made vectors, filters": stage("embed"),
        "dense": stage("dense"),
        "sparse": stage("sparse"),
    },
    "Changing 1 %, s of the processor": {
        "adding": lambda row: row["add"]["cpu_ms"] / 1000,
        "removing": lambda row: row["remove"]["cpu_ms"] / 1000,
    },
    "A question, ms of the processor": {
        name: per_question(name) for name in ("dense", "sparse", "hybrid")
    },
    "A searching process, MB": {
        "in memory": lambda row: row["search"]["after_filters"]["resident_mb"],
        "of it private": lambda row: row["search"]["after_filters"]["private_mb"],
    },
    "A filter's first use, ms of the processor": {
        "dates": first_use(1),
        "publisher": first_use(0),
        "title": first_use(3),
    },
    "On disk, MB": {
        "all": lambda row: row["build"]["mb_on_disk"]["all"],
        "dense": lambda row: row["build"]["mb_on_disk"]["dense"],
        "sparse": lambda row: row["build"]["mb_on_disk"]["sparse"],
    },
}


def main() -> None:
    """Draw a panel for each measure, both axes in logarithms."""
    plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "scale"})
    sizes = json.loads(RESULTS.read_text("utf-8"))["sizes"]
    figure, axes = plt.subplots(2, 3, figsize=(11, 6), layout="constrained")
    for axis, (title, curves) in zip(axes.flat, PANELS.items(), strict=True):
        for name, value in curves.items():
            points = []
            for size, row in sizes.items():
                try:
                    points.append((int(size), value(row)))
                except KeyError:  # a part that was not measured at this size
                    continue
            axis.plot(*zip(*sorted(points), strict=True), marker="o", markersize=4, label=name)
        axis.set(xscale="log", yscale="log", title=title, xlabel="passages", xlim=(8e3, 1.3e6))
        axis.xaxis.set_major_formatter("{x:,.0f}")
        axis.yaxis.set_major_formatter("{x:g}")
        axis.yaxis.set_minor_formatter(plt.NullFormatter())
        axis.grid(visible=True, color="#e5e5e5")
        axis.legend(frameon=False, fontsize=8)
    figure.savefig(PICTURE, metadata={"Date": None})


if __name__ == "__main__":
    main()
