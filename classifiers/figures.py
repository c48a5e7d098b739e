"""The reliability diagram and the threshold curve. They need matplotlib, an optional package."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hopyard.classifiers.evaluate import Measured
from hopyard.classifiers.measures import bayes_threshold
from hopyard.measures.figure import new_axes, save_figure

__all__ = ("RELIABILITY_FILE", "THRESHOLD_FILE", "draw")

RELIABILITY_FILE: Final = "reliability.png"
THRESHOLD_FILE: Final = "threshold.png"


def draw(found: Measured, folder: Path, title: str) -> list[Path]:
    """Draw both into a folder.

    Args:
        found: The measured classifier.
        folder: Where the files go.
        title: What was measured.

    Returns:
        The files.

    Raises:
        UsageError: matplotlib is not installed.
    """
    return [
        _reliability(found, folder / RELIABILITY_FILE, title),
        _threshold(found, folder / THRESHOLD_FILE, title),
    ]


def _reliability(found: Measured, file: Path, title: str) -> Path:
    figure, axes = new_axes("probability that retrieval is needed", "share that needs it")
    axes.plot([0, 1], [0, 1], color="grey", linestyle=":", label="calibrated")
    for one in found.reliability:
        width = one.high - one.low
        axes.bar(one.low, one.frequency, width, align="edge", color="C0", alpha=0.35)
        axes.annotate(str(one.questions), (one.low + width / 2, one.frequency), ha="center")
    axes.plot(
        [one.probability for one in found.reliability],
        [one.frequency for one in found.reliability],
        marker="o",
        label=f"gate, ECE {found.ece:.3f}",
    )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.05)
    axes.legend(loc="upper left")
    axes.set_title(title)
    return save_figure(figure, file)


def _threshold(found: Measured, file: Path, title: str) -> Path:
    figure, axes = new_axes("threshold", "mean cost, in needless retrievals")
    axes.plot([float(one) for one in found.cost], list(found.cost.values()), label="cost")
    axes.axvline(found.threshold, color="C1", label=f"chosen, {found.threshold:.2f}")
    aim = bayes_threshold(found.cost_ratio)
    axes.axvline(aim, color="grey", linestyle=":", label=f"1 / (1 + {found.cost_ratio:g})")
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    axes.legend()
    axes.set_title(f"{title}; a wrong answer costs {found.cost_ratio:g}", fontsize="medium")
    return save_figure(figure, file)
