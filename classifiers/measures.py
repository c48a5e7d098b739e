"""Measures of a gate on labelled questions: ranking, calibration, cost. Arrays in, numbers out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = (
    "Bin",
    "accuracy",
    "auroc",
    "bayes_threshold",
    "costs",
    "expected_calibration_error",
    "reliability",
)

Floats = npt.NDArray[np.float64]
BINS = 10


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
    means, edges, places = binned_statistic(scores, [scores, classes], bins=BINS, range=(0, 1))
    counts = np.bincount(places, minlength=BINS + 2)[1:-1]
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
