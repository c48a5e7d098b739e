"""The model card of a gate and its two figures, made from the measured numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from hopyard.classifiers.evaluate import (
    GateEvaluation,
    LabelMeasures,
    bayes_threshold,
    read_evaluation,
)
from hopyard.classifiers.manifest import GateManifest, read_manifest
from hopyard.measures.figure import figure
from hopyard.models.names import known_as
from hopyard.state.storage.atomic import write_file
from hopyard.state.text.template import render_markdown

__all__ = ("draw_figures", "write_card")

_CARD: Final = "MODEL_CARD.md"
_RELIABILITY: Final = "reliability.png"
_THRESHOLD: Final = "threshold.png"


def write_card(folder: Path, evaluation: GateEvaluation | None = None) -> Path:
    """Write the card of the gate in a folder.

    Args:
        folder: The gate's.
        evaluation: The measured numbers; None takes those in the folder.
    """
    gate, found = read_manifest(folder), evaluation or read_evaluation(folder)
    page = render_markdown(
        "hopyard.classifiers",
        _CARD,
        gate=gate,
        network=_network(gate),
        data=_data(gate),
        dropped=[f"{reason} {count}" for reason, count in gate.dropped.items()],
        training=_training(gate),
        found=found,
        other_model=_of_another_model(found),
        figures=[name for name in (_RELIABILITY, _THRESHOLD) if (folder / name).exists()],
    )
    write_file(folder / _CARD, page.encode())
    return folder / _CARD


def draw_figures(found: LabelMeasures, folder: Path, title: str) -> list[Path]:
    """Draw the reliability diagram and the threshold curve.

    Args:
        found: The measured classifier.
        folder: Where the files go.
        title: The measurements.

    Returns:
        The files.

    Raises:
        UsageError: Matplotlib is not installed.
    """
    return [
        _draw_reliability(found, folder / _RELIABILITY, title),
        _draw_threshold(found, folder / _THRESHOLD, title),
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


def _network(gate: GateManifest) -> str:
    size = f"{gate.parameters:,} parameters"
    if gate.network == "vector":
        return f"linear head over the sentence vector of the embedding model `{gate.base}`, {size}"
    return f"T5 for sequence classification, {size}, base `{gate.base}`"


def _data(gate: GateManifest) -> dict[str, dict[str, int]]:
    """Questions by class: all, by type, and by rule."""
    types = {f"type {name}": counts for name, counts in gate.sources.items()}
    rules = {f"rule {name}": counts for name, counts in gate.rules.items()}
    return {"all questions": gate.labels} | types | rules


def _training(gate: GateManifest) -> dict[str, Any]:
    settings: dict[str, Any] = gate.training.get("settings", {})
    return settings | {name: value for name, value in gate.training.items() if name != "settings"}


def _of_another_model(found: GateEvaluation | None) -> bool:
    if found is None or not found.labels_model:
        return False
    return known_as(found.labels_model) != known_as(found.gate_model)
