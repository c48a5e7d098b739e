"""Print what the gate's commands found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from hopyard.classifiers.evaluate import GateEvaluation, save_evaluation
from hopyard.classifiers.labels import Label, count_drops
from hopyard.cli.console import err, out, print_json
from hopyard.models.chat import chat_provider
from hopyard.models.names import known_as, same_model
from hopyard.state.errors import HopyardError

if TYPE_CHECKING:
    from hopyard.classifiers.train import Trained


def show_labels(labels: Sequence[Label], path: Path, *, as_json: bool) -> None:
    """Print labels by rule and dropped questions by reason."""
    rules = Counter((label.rule, label.label) for label in labels if label.label is not None)
    found = {
        "labels": str(path),
        "model": labels[0].model if labels else "",
        "questions": len(labels),
        "retrieve": sum(label.label == 1 for label in labels),
        "no_retrieval": sum(label.label == 0 for label in labels),
        "rules": {
            rule: {"retrieve": rules[rule, 1], "no_retrieval": rules[rule, 0]}
            for rule in sorted({rule for rule, _ in rules})
        },
        "dropped": count_drops(labels),
        "seconds_a_question": round(fmean(label.seconds for label in labels), 3) if labels else 0.0,
    }
    if as_json:
        print_json(found)
        return
    out.print(
        f"{found['questions']} questions: {found['retrieve']} need retrieval, "
        f"{found['no_retrieval']} do not; {found['seconds_a_question']} s per question."
    )
    drops = ", ".join(f"{reason} {count}" for reason, count in count_drops(labels).items())
    out.print(f"Not answered rightly from their passages: {drops or 'none'}.", style="dim")


def warn_of_models(labels: Iterable[str], wanted: str | None) -> None:
    """Warn if labels are of another model than the gate is for.

    Args:
        wanted: A model's name or identity; None if the user named none.
    """
    models = sorted(set(map(known_as, labels)))
    aim = _identity(wanted) if wanted else models[0] if models else ""
    for other in (model for model in models if not same_model(model, aim)):
        err.print(
            f"[yellow]Warning:[/] the labels are of {other}, and the gate is for {aim}, "
            "which may have other knowledge; label with the model that answers.",
            soft_wrap=True,
        )


def _identity(model: str) -> str:
    try:
        return known_as(chat_provider(model).identity)
    except HopyardError:  # a folder, a name on the hub, or an identity
        return known_as(model)


def show_training(trained: Trained, folder: Path, *, as_json: bool) -> None:
    """Print the measures of the validation split."""
    manifest = trained.manifest
    if as_json:
        print_json({"gate": str(folder), **manifest.model_dump(mode="json")})
        return
    numbers = manifest.validation
    out.print(
        f"✓ {folder}: {manifest.parameters / 1e6:.1f}M parameters; on {numbers['questions']:.0f} "
        f"validation questions AUROC {numbers['auroc']:.3f}, accuracy {numbers['accuracy']:.3f}, "
        f"ECE {numbers['ece']:.3f}; threshold {manifest.threshold:.3f}."
    )


def show_evaluation(found: GateEvaluation, folder: Path, *, as_json: bool) -> None:
    """Write the numbers, and print the measures."""
    save_evaluation(folder, found)
    labels = found.labels
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    if labels:
        area = "–" if labels.auroc is None else f"{labels.auroc:.3f}"
        out.print(
            f"{labels.questions} labels: AUROC {area}, accuracy {labels.accuracy:.3f} (the more "
            f"common label alone {labels.majority_accuracy:.3f}), ECE {labels.ece:.3f}."
        )
    out.print(f"Written to {folder}.", style="dim")
