"""What the gate's commands print."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from hopyard.classifiers.card import write_card
from hopyard.classifiers.evaluate import Evaluation, measured, save
from hopyard.classifiers.figures import draw
from hopyard.classifiers.labels import Label, count_drops
from hopyard.classifiers.manifest import MANIFEST_FILE
from hopyard.classifiers.policies import verdict
from hopyard.cli.console import err, out, print_json
from hopyard.models.builtin import known_as
from hopyard.models.chat import chat_provider
from hopyard.state.errors import HopyardError

if TYPE_CHECKING:
    from hopyard.classifiers.calibrate import Trained

__all__ = ("show_evaluation", "show_labels", "show_trained", "warn_of_models", "write_report")


def show_labels(labels: Sequence[Label], path: Path, *, as_json: bool) -> None:
    """What a labelling found: labels by rule, dropped questions by reason."""
    rules = Counter((one.rule, one.label) for one in labels if one.label is not None)
    found = {
        "labels": str(path),
        "model": labels[0].model if labels else "",
        "questions": len(labels),
        "retrieve": sum(one.label == 1 for one in labels),
        "no_retrieval": sum(one.label == 0 for one in labels),
        "rules": {
            rule: {"retrieve": rules[rule, 1], "no_retrieval": rules[rule, 0]}
            for rule in sorted({rule for rule, _ in rules})
        },
        "dropped": count_drops(labels),
        "seconds_a_question": round(fmean(one.seconds for one in labels), 3) if labels else 0.0,
    }
    if as_json:
        print_json(found)
        return
    out.print(
        f"{found['questions']} questions: {found['retrieve']} need retrieval, "
        f"{found['no_retrieval']} do not; {found['seconds_a_question']} s a question."
    )
    drops = ", ".join(f"{reason} {count}" for reason, count in count_drops(labels).items())
    out.print(f"Not answered rightly from their passages: {drops or 'none'}.", style="dim")


def warn_of_models(labels: Iterable[str], wanted: str | None) -> None:
    """Warn where labels are of another model than the one that they are used for.

    Args:
        labels: The models that labels are of.
        wanted: A model's name or identity; None where none was named.
    """
    models = sorted(set(map(known_as, labels)))
    aim = _identity(wanted) if wanted else models[0] if models else ""
    for other in (one for one in models if one != aim):
        err.print(
            f"[yellow]Warning:[/] the labels are of {other}, and the gate is for {aim}: what one "
            "model knows another may not; label with the model that answers.",
            soft_wrap=True,
        )


def _identity(model: str) -> str:
    try:
        return known_as(chat_provider(model).identity)
    except HopyardError:  # a folder, a name on the hub, or an identity
        return known_as(model)


def show_trained(trained: Trained, folder: Path, *, figures: bool, as_json: bool) -> None:
    """Draw the validation split, write the card, and say what the training gave."""
    manifest = trained.manifest
    if figures:
        found = measured(
            trained.probabilities,
            trained.labels,
            manifest.threshold,
            manifest.cost_ratio,
            trained.decisive,
        )
        draw(found, folder, f"validation, {found.questions} questions")
    card = write_card(folder)
    if as_json:
        print_json({"gate": str(folder), "card": str(card), **manifest.model_dump(mode="json")})
        return
    numbers = manifest.validation
    out.print(
        f"✓ {folder}: {manifest.parameters / 1e6:.1f}M parameters; on {numbers['questions']:.0f} "
        f"validation questions AUROC {numbers['auroc']:.3f}, accuracy {numbers['accuracy']:.3f}, "
        f"ECE {numbers['ece']:.3f}; threshold {manifest.threshold:.3f}."
    )


def write_report(found: Evaluation, folder: Path, *, figures: bool) -> None:
    """Numbers, diagrams and, beside the gate itself, its card."""
    save(folder, found)
    if figures and found.labels:
        draw(found.labels, folder, f"held-out labels, {found.labels.questions} questions")
    if (folder / MANIFEST_FILE).is_file():
        write_card(folder, found)


def show_evaluation(found: Evaluation, folder: Path, *, as_json: bool) -> None:
    """What an evaluation found."""
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    if labels := found.labels:
        area = "–" if labels.auroc is None else f"{labels.auroc:.3f}"
        out.print(
            f"{labels.questions} labels: AUROC {area}, accuracy {labels.accuracy:.3f} (the "
            f"commoner label alone {labels.majority_accuracy:.3f}), ECE {labels.ece:.3f}."
        )
    if found.end_to_end:
        for name, one in found.end_to_end.policies.items():
            out.print(
                f"{name:<7} accuracy {one.accuracy.mean:.3f}, retrieves {one.retrieval_rate:.0%}, "
                f"{one.tokens.mean:,.0f} tokens, {one.seconds.mean:.2f} s a question"
            )
        out.print(verdict(found.end_to_end)[1])
    out.print(f"Written to {folder}.", style="dim")
