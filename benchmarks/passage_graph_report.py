"""The table and the plot of the passage-graph benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
from matplotlib import pyplot as plt

__all__ = ("plot", "table")

_NAMES: Final = {
    "hopyard": "Hopyard",
    "dense": "blocked product + sparse Jaccard",
    "literal": "every pair scored (as the paper's code)",
}


def table(result: dict[str, Any]) -> str:
    """The results as Markdown."""
    lines = [
        f"{result['passages']:,} passages, {result['cores']} cores, "
        f"load average {result['load_average']:.1f} at the end of the comparison",
        "",
        "| method | seconds | times ours | peak MB | same matches as ours |",
        "|---|--:|--:|--:|--:|",
    ]
    ours = result["methods"]["hopyard"]
    for method, measured in result["methods"].items():
        same = result["same"].get(method)
        matches = ""
        if same is not None:
            matches = f"{same['same']:,} + {same['tied']:,} tied, of {same['questions']:,}"
        lines.append(
            f"| {_NAMES[method]} | {measured['seconds']:.2f} "
            f"| {measured['seconds'] / ours['seconds']:.1f} "
            f"| {measured['peak_mb']:.0f} | {matches} |"
        )
    lines += ["", "Tied: another question whose SIM is the same to within 1e-6."]
    if result["literal_sample"] is not None:
        lines += ["", f"Scored literally for {result['literal_sample']:,} questions; time scaled."]
    lines += [
        "",
        "| passages | seconds | peak MB | edges | through HNSW | agreement with exact |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {point['passages']:,} | {point['seconds']:.2f} | {point['peak_mb']:.0f} "
        f"| {point['edges']:,} | {point['approximate']:.0%} | {point['agreement']:.1%} |"
        for point in result["growth"]
    ]
    return "\n".join([*lines, "", f"Log-log slope of time: {result['slope']:.2f}"])


def plot(result: dict[str, Any], path: Path) -> None:
    """Seconds and peak memory of the methods, and seconds while the corpus grows."""
    figure, (times, memory, growth) = plt.subplots(
        1, 3, figsize=(13, 3.8), layout="constrained", width_ratios=(1, 1, 1.2)
    )
    labels = [_NAMES[method].replace(" (", "\n(") for method in result["methods"]]
    for axes, key, title in ((times, "seconds", "seconds"), (memory, "peak_mb", "peak MB")):
        values = [measured[key] for measured in result["methods"].values()]
        bars = axes.barh(labels, values, color=["#2f6f4f", "#9bb8a7", "#c9c9c9"])
        axes.bar_label(bars, fmt="{:,.1f}" if key == "seconds" else "{:,.0f}", padding=3)
        axes.set(xscale="log", title=f"{title}, {result['passages']:,} passages")
        axes.margins(x=0.25)
        axes.invert_yaxis()
    memory.set_yticklabels([])
    sizes = np.array([point["passages"] for point in result["growth"]], dtype=float)
    seconds = np.array([point["seconds"] for point in result["growth"]])
    growth.loglog(sizes, seconds, "o-", color="#2f6f4f", label="Hopyard")
    line = np.exp(np.log(seconds).mean()) * (sizes / np.exp(np.log(sizes).mean()))
    growth.loglog(sizes, line, ":", color="#888888", label="slope 1")
    growth.set(xlabel="passages", ylabel="seconds", title=f"growth: slope {result['slope']:.2f}")
    growth.legend(frameon=False)
    figure.savefig(path, dpi=150)
    plt.close(figure)
