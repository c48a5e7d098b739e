"""The model card of a gate, made from the measured numbers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

from hopyard.classifiers.evaluate import GateEvaluation, read_evaluation
from hopyard.classifiers.manifest import GateManifest, read_manifest
from hopyard.models.names import known_as
from hopyard.state.storage.atomic import write_file

_CARD: Final = "MODEL_CARD.md"
RELIABILITY: Final = "reliability.png"
THRESHOLD: Final = "threshold.png"
"""Figures that the card shows if the folder has them."""


def write_card(folder: Path, evaluation: GateEvaluation | None = None) -> Path:
    """Write the card of the gate in a folder.

    Args:
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
        figures=[name for name in (RELIABILITY, THRESHOLD) if (folder / name).exists()],
    )
    write_file(folder / _CARD, page.encode())
    return folder / _CARD


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


def render_markdown(package: str, name: str, **values: Any) -> str:
    """Fill a template of a package.

    Args:
        package: The package with a folder `templates`.
        name: The template's file. Its blocks leave no blank lines.
        values: The names that the template uses; a missing one is an error.
    """
    page: str = _environment(package).get_template(name).render(**values)
    return page.rstrip() + "\n"


@cache
def _environment(package: str) -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    # Markdown, not HTML: nothing is escaped.
    return Environment(  # noqa: S701
        loader=PackageLoader(package),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
