"""Measure a gate on labelled questions, and read and write what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.classifiers.labels import Label
from hopyard.classifiers.measures import (
    Bin,
    accuracy,
    auroc,
    costs,
    expected_calibration_error,
    reliability,
)
from hopyard.classifiers.policies import PolicyComparison
from hopyard.classifiers.retrieval_gate import RetrievalGate
from hopyard.measures.bootstrap import Interval
from hopyard.state.errors import UsageError
from hopyard.state.storage.atomic import write_file

__all__ = (
    "EVALUATION_FILE",
    "DecisionCounts",
    "GateEvaluation",
    "LabelMeasures",
    "measure_gate",
    "measure_probabilities",
    "read_evaluation",
    "save_evaluation",
)

EVALUATION_FILE: Final = "evaluation.json"
GRID: Final = tuple(round(step / 50, 2) for step in range(51))
"""Thresholds of the curve."""


class LabelMeasures(BaseModel):
    """The classifier against labels.

    Attributes:
        questions: Questions with a label.
        retrieve_share: Share of them that need retrieval.
        auroc: None if a class is empty.
        accuracy: At the gate's threshold.
        majority_accuracy: Of always choosing the commoner label.
        ece: Expected calibration error.
        reliability: The bins of the diagram.
        threshold: The gate's.
        cost_ratio: The gate's.
        cost: Mean cost at each threshold of the curve.
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


class DecisionCounts(BaseModel):
    """What was decided for a group of held-out questions.

    Attributes:
        questions: How many.
        retrieved: Those that were sent to the documents, by the gate or by a rule beside it.
        by_gate_alone: Those that the gate sends there without the rules.
        share: Of those retrieved, with its exact 95 % interval.
    """

    model_config = ConfigDict(frozen=True)

    questions: int
    retrieved: int
    by_gate_alone: int
    share: Interval


class GateEvaluation(BaseModel):
    """Everything that was measured of a gate.

    Attributes:
        gate_model: The model whose labels the gate was trained on.
        labels_model: The model whose labels it is measured on; "" without labels.
        answers_model: The model that answered end to end; "" without that part.
        labels: Against labels.
        decisions: By group of questions, with the rules beside the gate.
        end_to_end: Against always, never and the oracle, on all questions.
        documents: The same on the questions that documents are known to answer.
        latency_ms: Median of a decision, in this process.
        command: The command that measured it.
    """

    model_config = ConfigDict(frozen=True)

    gate_model: str
    labels_model: str = ""
    answers_model: str = ""
    labels: LabelMeasures | None = None
    decisions: dict[str, DecisionCounts] = {}
    end_to_end: PolicyComparison | None = None
    documents: PolicyComparison | None = None
    latency_ms: float | None = None
    command: str = ""


def measure_probabilities(
    probabilities: Sequence[float],
    labels: Sequence[int],
    threshold: float,
    cost_ratio: float,
) -> LabelMeasures:
    """Measure ranking, decisions, calibration and cost.

    Args:
        probabilities: [n].
        labels: [n], 0 or 1.
        threshold: The gate's.
        cost_ratio: The cost of a wrong answer, in needless retrievals.

    Raises:
        UsageError: There is no labelled question.
    """
    if not labels:
        raise UsageError(
            "No question has a label; make labels with `hopyard gate label` from more questions."
        )
    share = sum(labels) / len(labels)
    area = auroc(probabilities, labels)
    curve = costs(probabilities, labels, GRID, cost_ratio)
    return LabelMeasures(
        questions=len(labels),
        retrieve_share=round(share, 4),
        auroc=None if math.isnan(area) else round(area, 4),
        accuracy=round(accuracy(probabilities, labels, threshold), 4),
        majority_accuracy=round(max(share, 1 - share), 4),
        ece=round(expected_calibration_error(probabilities, labels), 4),
        reliability=reliability(probabilities, labels),
        threshold=threshold,
        cost_ratio=cost_ratio,
        cost={f"{at:g}": round(cost, 4) for at, cost in zip(GRID, curve.tolist(), strict=True)},
    )


def measure_gate(gate: RetrievalGate, labels: Sequence[Label]) -> LabelMeasures:
    """Measure a gate on labelled questions; dropped questions are left out."""
    rows = [row for row in labels if row.label is not None]
    return measure_probabilities(
        [gate.probability(row.question, row.nearness) for row in rows],
        [int(row.label or 0) for row in rows],
        gate.manifest.threshold,
        gate.manifest.cost_ratio,
    )


def save_evaluation(folder: Path, evaluation: GateEvaluation) -> None:
    """Write the evaluation into a gate's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_file(folder / EVALUATION_FILE, (evaluation.model_dump_json(indent=1) + "\n").encode())


def read_evaluation(folder: Path) -> GateEvaluation | None:
    """Read the evaluation in a folder; None if there is none.

    Raises:
        UsageError: The file is damaged.
    """
    path = folder / EVALUATION_FILE
    if not path.exists():
        return None
    try:
        return GateEvaluation.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise UsageError(
            f"{str(path)!r} is not an evaluation ({error.errors()[0]['msg']}); make it again with "
            "`hopyard gate evaluate`."
        ) from error
