"""The reliability diagram and the threshold curve. They need matplotlib, an optional package."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from hopyard.classifiers.evaluate import Measured
from hopyard.classifiers.measures import bayes_threshold
from hopyard.state.errors import UsageError

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
    figure, axes = _axes("probability that retrieval is needed", "share that needs it")
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
    return _saved(figure, file)


def _threshold(found: Measured, file: Path, title: str) -> Path:
    figure, axes = _axes("threshold", "mean cost, in needless retrievals")
    axes.plot([float(one) for one in found.cost], list(found.cost.values()), label="cost")
    axes.axvline(found.threshold, color="C1", label=f"chosen, {found.threshold:.2f}")
    aim = bayes_threshold(found.cost_ratio)
    axes.axvline(aim, color="grey", linestyle=":", label=f"1 / (1 + {found.cost_ratio:g})")
    axes.set_xlim(0, 1)
    axes.set_ylim(bottom=0)
    axes.legend()
    axes.set_title(f"{title}; a wrong answer costs {found.cost_ratio:g}", fontsize="medium")
    return _saved(figure, file)


def _axes(across: str, up: str) -> tuple[Any, Any]:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415  (optional, half a second)
    except ImportError as error:
        raise UsageError(
            "The figures need matplotlib, which is not installed: `pip install 'hopyard[gate]'`, "
            "or leave them out with --no-figures."
        ) from error
    figure = Figure(figsize=(5.6, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.grid(alpha=0.3)
    return figure, axes


def _saved(figure: Any, file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    # Without the date and version that matplotlib writes, the same numbers give the same file.
    figure.savefig(file, dpi=100, metadata={"Software": None})
    return file
