"""The model card of a gate and its two figures, made from the measured numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from hopyard.classifiers.evaluate import (
    GateEvaluation,
    LabelMeasures,
    bayes_threshold,
    read_evaluation,
)
from hopyard.classifiers.manifest import GateManifest, read_manifest
from hopyard.measures.figure import figure
from hopyard.models.builtin.chat import known_as
from hopyard.state.storage.atomic import write_file

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
    found = evaluation or read_evaluation(folder)
    figures = [name for name in (_RELIABILITY, _THRESHOLD) if (folder / name).exists()]
    lines = _lines(read_manifest(folder), found, figures)
    write_file(folder / _CARD, ("\n".join(lines) + "\n").encode())
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


def _lines(
    manifest: GateManifest, evaluation: GateEvaluation | None, figures: list[str]
) -> Iterator[str]:
    yield from (
        "# Retrieval gate",
        "",
        "The probability that a question needs passages to be answered. "
        "Written by `hopyard gate train` and `hopyard gate evaluate` from `gate.json` and "
        "`evaluation.json`.",
        "",
        f"- Labelled model: `{manifest.model}`, value function `{manifest.value}`. For another "
        "model, train another gate.",
        f"- Network: {_network(manifest)}.",
        "- Probability: a logistic regression over the network's score and how near the index is "
        f"to the question ({', '.join(manifest.nearness) or 'not measured'}).",
        f"- Threshold: {manifest.threshold:.3f} = 1 / (1 + {manifest.cost_ratio:g}): a wrong "
        f"answer costs {manifest.cost_ratio:g} needless retrievals.",
        "- Limits: mostly English questions, of the kinds below.",
        "",
    )
    yield from _data(manifest)
    yield from _training(manifest)
    yield from ("## Measured", "")
    yield from _measured(evaluation) if evaluation else ["Not measured on held-out questions."]
    yield from (f"\n![{name}]({name})" for name in figures)


def _network(manifest: GateManifest) -> str:
    size = f"{manifest.parameters:,} parameters"
    if manifest.network == "vector":
        return (
            f"linear head over the sentence vector of the embedding model `{manifest.base}`, {size}"
        )
    return f"T5 for sequence classification, {size}, base `{manifest.base}`"


def _data(manifest: GateManifest) -> Iterator[str]:
    yield from ("## Data", "", "| questions | retrieve | no retrieval |", "|---|---|---|")
    tables: tuple[tuple[str, Mapping[str, Mapping[str, int]]], ...] = (
        ("all", {"questions": manifest.labels}),
        ("type", manifest.sources),
        ("rule", manifest.rules),
    )
    for what, table in tables:
        for name, counts in table.items():
            yield f"| {what} {name} | {counts['retrieve']} | {counts['no retrieval']} |"
    dropped = ", ".join(f"{reason} {count}" for reason, count in manifest.dropped.items())
    yield ""
    yield (
        f"Not answered rightly from their passages: {dropped or 'none'}. The paper drops those. "
        "Those with the rule `outcome` are kept: right without passages is no retrieval. Rule "
        "`supported`: documents of the corpus are known to answer the question. Rule `given`: the "
        "question itself says whether it needs documents. Rule `contribution`: the paper's."
    )
    yield ""


def _training(manifest: GateManifest) -> Iterator[str]:
    yield from ("## Training", "", "| setting | value |", "|---|---|")
    for name, value in {**manifest.training.get("settings", {}), **manifest.training}.items():
        if name != "settings":
            yield f"| {name.replace('_', ' ')} | {value} |"
    for name, value in manifest.validation.items():
        yield f"| validation {name.replace('_', ' ')} | {value:g} |"
    yield ""


def _measured(found: GateEvaluation) -> Iterator[str]:
    if found.command:
        yield from (f"Measured with `{found.command}`.", "")
    model = found.labels_model
    if model and known_as(model) != known_as(found.gate_model):
        yield from (f"**The labels are of `{model}`, the gate is for `{found.gate_model}`.**", "")
    if labels := found.labels:
        yield "| held-out labels | need retrieval | AUROC | accuracy | commoner label | ECE |"
        yield "|---|---|---|---|---|---|"
        area = "–" if labels.auroc is None else f"{labels.auroc:.3f}"
        yield (
            f"| {labels.questions} | {labels.retrieve_share:.1%} | {area} "
            f"| {labels.accuracy:.3f} | {labels.majority_accuracy:.3f} | {labels.ece:.3f} |"
        )
        yield ""
    yield from _decisions(found)


def _decisions(found: GateEvaluation) -> Iterator[str]:
    if not found.decisions:
        return
    yield "| held-out questions | number | retrieved | 95 % interval | by the gate alone |"
    yield "|---|---|---|---|---|"
    for group, row in found.decisions.items():
        _, low, high = row.share
        yield (
            f"| {group} | {row.questions} | {row.retrieved} | {low:.1%} to {high:.1%} "
            f"| {row.by_gate_alone} |"
        )
    yield ""
