"""A gate measured on labelled questions of the `dev` split, and written down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.classifiers.labels import Label
from hopyard.classifiers.measures import (
    Bin,
    accuracy,
    auroc,
    costs,
    deciding,
    expected_calibration_error,
    reliability,
)
from hopyard.classifiers.policies import Comparison
from hopyard.classifiers.retrieval_gate import RetrievalGate
from hopyard.state.atomic import write_file
from hopyard.state.errors import UsageError

__all__ = (
    "EVALUATION_FILE",
    "Evaluation",
    "Measured",
    "measured",
    "measured_on",
    "read_evaluation",
    "save",
)

EVALUATION_FILE: Final = "evaluation.json"
GRID: Final = tuple(round(step / 50, 2) for step in range(51))
"""Thresholds of the curve."""


class Measured(BaseModel):
    """The classifier against labels.

    Attributes:
        questions: With a label.
        retrieve_share: Share of them that need retrieval.
        auroc: None where a class is empty.
        accuracy: At the gate's threshold.
        majority_accuracy: Of always saying the commoner label.
        ece: Expected calibration error.
        reliability: The bins of the diagram.
        threshold: The gate's.
        cost_ratio: The gate's.
        cost: Mean cost at each threshold of the curve, of the questions that a decision changes.
    """

    model_config = ConfigDict(frozen=True)

    questions: int
    retrieve_share: float
    auroc: float | None
    accuracy: float
    majority_accuracy: float
    ece: float
    reliability: list[Bin]
    threshold: float
    cost_ratio: float
    cost: dict[str, float]


class Evaluation(BaseModel):
    """All that was measured of a gate.

    Attributes:
        gate_model: The model whose labels the gate was trained on.
        labels_model: The model whose labels it is measured on; "" without labels.
        answers_model: The model that answered end to end; "" without that part.
        labels: Against labels.
        end_to_end: Against always, never and the oracle.
        latency_ms: Median of a decision, in this process.
        command: What measured it.
    """

    model_config = ConfigDict(frozen=True)

    gate_model: str
    labels_model: str = ""
    answers_model: str = ""
    labels: Measured | None = None
    end_to_end: Comparison | None = None
    latency_ms: float | None = None
    command: str = ""


def measured(
    probabilities: Sequence[float],
    labels: Sequence[int],
    threshold: float,
    cost_ratio: float,
    decisive: Sequence[bool] = (),
) -> Measured:
    """Ranking, decisions, calibration and cost of probabilities [n] against labels [n].

    Args:
        probabilities: [n].
        labels: [n], 0 or 1.
        threshold: The gate's.
        cost_ratio: What a wrong answer costs, in needless retrievals.
        decisive: [n], whether the decision changes their answer; empty: all.

    Raises:
        UsageError: There is no labelled question.
    """
    if not labels:
        raise UsageError(
            "No question has a label; make labels with `hopyard gate label` from more questions."
        )
    share = sum(labels) / len(labels)
    area = auroc(probabilities, labels)
    chosen = deciding(labels, decisive or [True] * len(labels))
    found = costs(np.array(probabilities)[chosen], np.array(labels)[chosen], GRID, cost_ratio)
    return Measured(
        questions=len(labels),
        retrieve_share=round(share, 4),
        auroc=None if area != area else round(area, 4),  # noqa: PLR0124  (NaN: an empty class)
        accuracy=round(accuracy(probabilities, labels, threshold), 4),
        majority_accuracy=round(max(share, 1 - share), 4),
        ece=round(expected_calibration_error(probabilities, labels), 4),
        reliability=reliability(probabilities, labels),
        threshold=threshold,
        cost_ratio=cost_ratio,
        cost={f"{at:g}": round(float(one), 4) for at, one in zip(GRID, found, strict=True)},
    )


def measured_on(gate: RetrievalGate, labels: Sequence[Label]) -> Measured:
    """The gate on labelled questions; dropped ones are left out."""
    rows = [one for one in labels if one.label is not None]
    return measured(
        [gate.probability(one.question) for one in rows],
        [int(one.label or 0) for one in rows],
        gate.manifest.threshold,
        gate.manifest.cost_ratio,
        [one.decisive for one in rows],
    )


def save(folder: Path, found: Evaluation) -> None:
    """Write the evaluation, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / EVALUATION_FILE, (found.model_dump_json(indent=1) + "\n").encode())


def read_evaluation(folder: Path) -> Evaluation | None:
    """The evaluation in a folder; None where there is none.

    Raises:
        UsageError: The file is damaged.
    """
    path = folder / EVALUATION_FILE
    if not path.exists():
        return None
    try:
        return Evaluation.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UsageError(
            f"{str(path)!r} is no evaluation ({error.errors()[0]['msg']}); make it anew with "
            "`hopyard gate evaluate`."
        ) from error
