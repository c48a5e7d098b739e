"""Figures of a gate: how well its probabilities fit, and what each threshold costs."""

from __future__ import annotations

from pathlib import Path

from hopyard.classifiers.evaluate import LabelMeasures, bayes_threshold
from lab.figure import figure
from lab.gate_card import RELIABILITY, THRESHOLD

__all__ = ("draw_figures",)


def draw_figures(found: LabelMeasures, folder: Path, title: str) -> list[Path]:
    """Draw the reliability diagram and the threshold curve.

    Args:
        found: The measured classifier.
        folder: Where the files go.
        title: The measurements.

    Returns:
        The files.
    """
    return [
        _draw_reliability(found, folder / RELIABILITY, title),
        _draw_threshold(found, folder / THRESHOLD, title),
    ]


def _draw_reliability(found: LabelMeasures, file: Path, title: str) -> Path:
    across, up = "probability that retrieval is needed", "share that needs it"
    with figure(file, across=across, up=up, title=title) as axes:
        axes.plot([0, 1], [0, 1], color="grey", linestyle=":", label="calibrated")
        for each in found.reliability:
            width = each.high - each.low
            axes.bar(each.low, each.frequency, width, align="edge", color="C0", alpha=0.35)
            axes.annotate(str(each.questions), (each.low + width / 2, each.frequency), ha="center")
        axes.plot(
            [each.probability for each in found.reliability],
            [each.frequency for each in found.reliability],
            marker="o",
            label=f"gate, ECE {found.ece:.3f}",
        )
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.05)
        axes.legend(loc="upper left")
    return file


def _draw_threshold(found: LabelMeasures, file: Path, title: str) -> Path:
    title = f"{title}\na wrong answer costs {found.cost_ratio:g} needless retrievals"
    with figure(
        file, across="threshold", up="mean cost, in needless retrievals", title=title
    ) as axes:
        axes.plot([float(at) for at in found.cost], list(found.cost.values()), label="cost")
        axes.axvline(found.threshold, color="C1", label=f"chosen, {found.threshold:.2f}")
        aim = bayes_threshold(found.cost_ratio)
        axes.axvline(aim, color="grey", linestyle=":", label=f"1 / (1 + {found.cost_ratio:g})")
        axes.set_xlim(0, 1)
        axes.set_ylim(bottom=0)
        axes.legend()
    return file
