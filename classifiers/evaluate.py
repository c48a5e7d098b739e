"""Measure a gate on labelled questions: ranking, calibration, decisions, cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel

from hopyard.classifiers.labels import Label
from hopyard.classifiers.retrieval_gate import RetrievalGate
from hopyard.state.errors import UsageError
from hopyard.state.storage.atomic import write_file

Floats = npt.NDArray[np.float64]
EVALUATION_FILE: Final = "evaluation.json"
"""In the gate's folder."""
_GRID: Final = tuple(round(step / 50, 2) for step in range(51))
"""Thresholds of the curve."""
_BINS: Final = 10


class Bin(NamedTuple):
    """One bin of a reliability diagram.

    Attributes:
        low: Lower bound of the probabilities in it, included.
        high: Upper bound, excluded (included in the last bin).
        questions: How many are in it.
        probability: Their mean probability.
        frequency: The share of them that need retrieval.
    """

    low: float
    high: float
    questions: int
    probability: float
    frequency: float


class LabelMeasures(BaseModel, frozen=True):
    """The classifier against labels.

    Attributes:
        retrieve_share: Share of them that need retrieval.
        auroc: None if a class is empty.
        accuracy: At the gate's threshold.
        majority_accuracy: Of always choosing the commoner label.
        ece: Expected calibration error.
        reliability: The bins of the diagram.
        cost: Mean cost at each threshold of the curve.
    """

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


class GateEvaluation(BaseModel, frozen=True):
    """Everything that was measured of a gate.

    Attributes:
        gate_model: The model whose labels the gate was trained on.
        labels_model: The model whose labels it is measured on; "" without labels.
    """

    gate_model: str
    labels_model: str = ""
    labels: LabelMeasures | None = None
    command: str = ""


def auroc(probabilities: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The chance that a question of class 1 scores above a question of class 0; ties count half.

    Args:
        probabilities: [n].
        labels: [n], 0 or 1.

    Returns:
        0 to 1; NaN if a class is empty.
    """
    from sklearn.metrics import roc_auc_score

    if len(np.unique(np.asarray(labels))) < 2:
        return float("nan")
    return float(roc_auc_score(labels, probabilities))


def accuracy(probabilities: npt.ArrayLike, labels: npt.ArrayLike, threshold: float) -> float:
    """The share of questions on the right side of the threshold."""
    return float(((np.asarray(probabilities) >= threshold) == (np.asarray(labels) == 1)).mean())


def reliability(probabilities: npt.ArrayLike, labels: npt.ArrayLike) -> list[Bin]:
    """The non-empty bins of equal width (Guo et al. 2017, section 2)."""
    from scipy.stats import binned_statistic

    scores, classes = np.asarray(probabilities), np.asarray(labels)
    means, edges, places = binned_statistic(scores, [scores, classes], bins=_BINS, range=(0, 1))
    counts = np.bincount(places, minlength=_BINS + 2)[1:-1]
    columns = (edges[:-1], edges[1:], counts, *means)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Bin(*row) for row in rows if row[2]]


def expected_calibration_error(probabilities: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Σ |B| / n · |frequency(B) − probability(B)| over bins B of equal width.

    Guo et al., "On Calibration of Modern Neural Networks", 2017, equation 3, for the probability
    of class 1.

    Returns:
        0 to 1.
    """
    bins = reliability(probabilities, labels)
    gaps = [each.questions * abs(each.frequency - each.probability) for each in bins]
    return sum(gaps) / sum(each.questions for each in bins)


def costs(
    probabilities: npt.ArrayLike,
    labels: npt.ArrayLike,
    thresholds: npt.ArrayLike,
    cost_ratio: float,
) -> Floats:
    """The mean cost of deciding by each threshold.

    A needless retrieval costs 1; a missed retrieval costs `cost_ratio`.

    Args:
        probabilities: [n].
        labels: [n], 0 or 1.
        thresholds: [t]; a question is retrieved for if its probability reaches the threshold.
        cost_ratio: The cost of a wrong answer, in needless retrievals.

    Returns:
        [t].
    """
    retrieved = np.asarray(probabilities)[None, :] >= np.asarray(thresholds)[:, None]
    needs = np.asarray(labels) == 1
    return np.asarray(
        (retrieved & ~needs).mean(axis=1) + cost_ratio * (~retrieved & needs).mean(axis=1)
    )


def bayes_threshold(cost_ratio: float) -> float:
    """Where both mistakes have the same expected cost, if the probabilities are right.

    Elkan, "The Foundations of Cost-Sensitive Learning", 2001, equation 2.
    """
    return 1 / (1 + cost_ratio)


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
    curve = costs(probabilities, labels, _GRID, cost_ratio)
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
        cost={f"{at:g}": round(cost, 4) for at, cost in zip(_GRID, curve.tolist(), strict=True)},
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
