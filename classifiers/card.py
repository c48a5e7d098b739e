"""The model card of a gate, written from its numbers alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from hopyard.classifiers.evaluate import Evaluation, read_evaluation
from hopyard.classifiers.figures import RELIABILITY_FILE, THRESHOLD_FILE
from hopyard.classifiers.manifest import GateManifest, read_manifest
from hopyard.classifiers.policies import Comparison, verdict
from hopyard.measures.bootstrap import Interval
from hopyard.models.builtin import known_as
from hopyard.state.atomic import write_file

__all__ = ("CARD_FILE", "card", "evaluation_lines", "write_card")

CARD_FILE: Final = "MODEL_CARD.md"


def write_card(folder: Path, evaluation: Evaluation | None = None) -> Path:
    """Write the card of the gate in a folder.

    Args:
        folder: The gate's.
        evaluation: What was measured; None takes what was written to the folder before.
    """
    found = evaluation or read_evaluation(folder)
    file = folder / CARD_FILE
    figures = [name for name in (RELIABILITY_FILE, THRESHOLD_FILE) if (folder / name).exists()]
    write_file(file, card(read_manifest(folder), found, figures).encode())
    return file


def card(manifest: GateManifest, evaluation: Evaluation | None, figures: list[str]) -> str:
    """The card in Markdown."""
    lines = [
        "# Retrieval gate",
        "",
        "Con-RAG: says for a question how probable it is that the language model needs passages "
        "to answer it. Written by `hopyard gate train` and `hopyard gate evaluate` from "
        "`gate.json` and `evaluation.json`.",
        "",
        f"- Labelled model: `{manifest.model}`, value function `{manifest.value}`. For another "
        "model, train another gate.",
        f"- Network: T5 for sequence classification, {manifest.parameters / 1e6:.1f}M parameters, "
        f"base `{manifest.base}`.",
        f"- Probability: σ((z − {manifest.prior_shift:.3f}) / {manifest.temperature:.3f}); the "
        "shift takes off what the class weights added, the temperature is chosen on validation.",
        f"- Threshold: {manifest.threshold:.3f}, chosen on validation for a wrong answer that "
        f"costs {manifest.cost_ratio:g} needless retrievals, from the questions whose answer the "
        "decision changes (what is wrong with passages and without is wrong either way).",
        "- Limits: questions in English, of the kinds below; a question's need is judged without "
        "seeing the corpus.",
        "",
        *_data(manifest),
        *_training(manifest),
        "## Measured",
        "",
        *(evaluation_lines(evaluation) if evaluation else ["Not measured on held-out questions."]),
        *(f"\n![{name}]({name})" for name in figures),
    ]
    return "\n".join(lines) + "\n"


def evaluation_lines(found: Evaluation) -> Iterator[str]:
    """What was measured, in Markdown."""
    if found.command:
        yield f"Measured with `{found.command}`."
        yield ""
    for name, model in (("labels", found.labels_model), ("answers", found.answers_model)):
        if model and known_as(model) != known_as(found.gate_model):
            yield f"**The {name} are of `{model}`, the gate is for `{found.gate_model}`.**"
            yield ""
    if labels := found.labels:
        yield "| held-out labels | need retrieval | AUROC | accuracy | commoner label | ECE |"
        yield "|---|---|---|---|---|---|"
        area = "–" if labels.auroc is None else f"{labels.auroc:.3f}"
        yield (
            f"| {labels.questions} | {labels.retrieve_share:.1%} | {area} "
            f"| {labels.accuracy:.3f} | {labels.majority_accuracy:.3f} | {labels.ece:.3f} |"
        )
        yield ""
    if found.end_to_end:
        yield from _policies(found.end_to_end)
    if found.latency_ms is not None:
        yield f"A decision took {found.latency_ms:.1f} ms (median)."


def _data(manifest: GateManifest) -> Iterator[str]:
    yield from ("## Data", "", "| questions | retrieve | no retrieval |", "|---|---|---|")
    tables: tuple[tuple[str, Mapping[str, Mapping[str, int]]], ...] = (
        ("split", manifest.labels),
        ("type", manifest.sources),
        ("rule", manifest.rules),
    )
    for what, table in tables:
        for name, counts in table.items():
            yield f"| {what} {name} | {counts['retrieve']} | {counts['no retrieval']} |"
    dropped = ", ".join(f"{reason} {count}" for reason, count in manifest.dropped.items())
    yield ""
    yield (
        f"Not answered rightly from their passages: {dropped or 'none'}. The paper drops those; "
        "those with the rule `outcome` are kept: wrong with passages and wrong without is "
        "retrieve, right without is no retrieval."
    )
    yield ""


def _training(manifest: GateManifest) -> Iterator[str]:
    yield from ("## Training", "", "| setting | value |", "|---|---|")
    settings = manifest.training.get("settings", {})
    for name, value in {**settings, **manifest.training}.items():
        if name != "settings":
            yield f"| {name.replace('_', ' ')} | {value} |"
    for name, value in manifest.validation.items():
        yield f"| validation {name.replace('_', ' ')} | {value:g} |"
    yield ""


def _policies(found: Comparison) -> Iterator[str]:
    yield (
        "| policy | answers that contain gold | retrieved | needlessly | tokens a question "
        "| seconds | accuracy against always | tokens against always |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for name, one in found.policies.items():
        against = one.against_always
        yield (
            f"| {name} | {_shown(one.accuracy)} | {one.retrieval_rate:.1%} "
            f"| {one.needless_rate:.1%} | {one.tokens.mean:,.0f} | {one.seconds.mean:.2f} "
            f"| {_shown(against['accuracy'], '+')} | {_shown(against['tokens'], '+', 0)} |"
        )
    yield ""
    yield (
        f"{found.questions} held-out questions, each answered once with retrieval (`single`) and "
        "once without (`direct`); the policies choose between the two. Brackets: 95 % paired "
        "bootstrap intervals."
    )
    yield ""
    yield f"**{verdict(found)[1]}**"
    yield ""
    yield "| questions of type | number | gate retrieves | always | never | gate | oracle |"
    yield "|---|---|---|---|---|---|---|"
    for kind, row in found.by_type.items():
        shares = " | ".join(f"{row[one]:.3f}" for one in ("always", "never", "gate", "oracle"))
        yield f"| {kind} | {row['questions']:.0f} | {row['gate_retrieval_rate']:.1%} | {shares} |"
    yield ""


def _shown(one: Interval, sign: str = "", digits: int = 3) -> str:
    mean, low, high = (f"{value:{sign},.{digits}f}" for value in one)
    return f"{mean} [{low}, {high}]"
