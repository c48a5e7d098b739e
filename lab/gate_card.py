"""The model card of a gate, from `gate.json` and `evaluation.json`.

    python -m lab.gate_card FOLDER

`lab.gate_measure` writes those of the gates that ship.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, Field

from hopyard.classifiers.evaluate import EVALUATION_FILE, GateEvaluation
from hopyard.classifiers.manifest import GateManifest, read_manifest
from hopyard.measures.bootstrap import Interval
from hopyard.models.names import known_as
from hopyard.state.storage.atomic import write_file

_CARD: Final = "MODEL_CARD.md"
_TEMPLATE: Final = "GATE_CARD.md"
RELIABILITY: Final = "reliability.png"
THRESHOLD: Final = "threshold.png"
"""Figures that the card shows if the folder has them."""


class DecisionCounts(BaseModel, frozen=True):
    """The decisions on a group of held-out questions.

    Attributes:
        retrieved: Those that were sent to the documents, by the gate or by a rule beside it.
        by_gate_alone: Those that the gate sends there without the rules.
        share: Of those retrieved, with its exact 95 % interval.
    """

    questions: int
    retrieved: int
    by_gate_alone: int
    share: Interval


class MeasuredGate(GateEvaluation, frozen=True):
    """A gate as `lab.gate_measure` measures it.

    Attributes:
        decisions: By group of questions, with the rules beside the gate.
    """

    decisions: Mapping[str, DecisionCounts] = Field(default_factory=dict)


def write_card(folder: Path) -> Path:
    """Write the card of the gate in a folder, with the measured numbers that the folder has."""
    gate, file = read_manifest(folder), folder / EVALUATION_FILE
    found = MeasuredGate.model_validate_json(file.read_bytes()) if file.exists() else None
    page = render_markdown(
        "lab",
        _TEMPLATE,
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


if __name__ == "__main__":
    print(write_card(Path(sys.argv[1])))
