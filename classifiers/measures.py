"""Measures of a gate on labelled questions: ranking, calibration, cost. Arrays in, numbers out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = (
    "Bin",
    "accuracy",
    "auroc",
    "bayes_threshold",
    "best_temperature",
    "best_threshold",
    "costs",
    "deciding",
    "expected_calibration_error",
    "negative_log_likelihood",
    "reliability",
    "sigmoid",
)

Floats = npt.NDArray[np.float64]
BINS = 10
_ROUNDING = 1e-12
"""Mean costs that differ by no more are equal; what is larger is a cost."""


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


def sigmoid(logits: npt.ArrayLike) -> Floats:
    """1 / (1 + e^-z), without overflow."""
    given = np.asarray(logits, dtype=np.float64)
    small = np.exp(-np.abs(given))
    return np.asarray(np.where(given >= 0, 1 / (1 + small), small / (1 + small)))


def auroc(probabilities: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The chance that a question of class 1 scores above one of class 0; ties count half.

    Hanley and McNeil, "The meaning and use of the area under a ROC curve", 1982 (Mann-Whitney U).

    Args:
        probabilities: [n].
        labels: [n], 0 or 1.

    Returns:
        0 to 1; NaN where a class is empty.
    """
    scores, classes = _pair(probabilities, labels)
    good, bad = scores[classes == 1], scores[classes == 0]
    if not len(good) or not len(bad):
        return float("nan")
    above = (good[:, None] > bad[None, :]).sum()
    ties = (good[:, None] == bad[None, :]).sum()
    return float((above + ties / 2) / (len(good) * len(bad)))


def accuracy(probabilities: npt.ArrayLike, labels: npt.ArrayLike, threshold: float) -> float:
    """The share of questions on the right side of the threshold."""
    scores, classes = _pair(probabilities, labels)
    return float(((scores >= threshold) == (classes == 1)).mean())


def reliability(probabilities: npt.ArrayLike, labels: npt.ArrayLike, bins: int = BINS) -> list[Bin]:
    """The filled bins of equal width (Guo et al. 2017, section 2)."""
    scores, classes = _pair(probabilities, labels)
    places = np.minimum((scores * bins).astype(int), bins - 1)
    found = []
    for place in range(bins):
        inside = places == place
        if inside.any():
            found.append(
                Bin(
                    place / bins,
                    (place + 1) / bins,
                    int(inside.sum()),
                    float(scores[inside].mean()),
                    float(classes[inside].mean()),
                )
            )
    return found


def expected_calibration_error(
    probabilities: npt.ArrayLike, labels: npt.ArrayLike, bins: int = BINS
) -> float:
    """Σ |B| / n · |frequency(B) − probability(B)| over bins B of equal width.

    Guo et al., "On Calibration of Modern Neural Networks", 2017, equation 3, for the probability
    of class 1.

    Returns:
        0 to 1.
    """
    found = reliability(probabilities, labels, bins)
    total = sum(one.questions for one in found)
    return sum(one.questions * abs(one.frequency - one.probability) for one in found) / total


def negative_log_likelihood(logits: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The mean binary cross-entropy of logits [n] against labels [n]."""
    scores, classes = _pair(logits, labels)
    return float((np.logaddexp(0, scores) - classes * scores).mean())


def best_temperature(logits: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The T > 0 that makes z / T most likely (Guo et al. 2017, section 4.2).

    Args:
        logits: [n], of held-out questions.
        labels: [n], 0 or 1.

    Returns:
        0.25 to 20: a few held-out questions that are all right would ask for certainty.
    """
    from scipy.optimize import minimize_scalar

    scores, classes = _pair(logits, labels)
    bounds = (float(np.log(0.25)), float(np.log(20.0)))
    found: Any = minimize_scalar(
        lambda log: negative_log_likelihood(scores / np.exp(log), classes),
        bounds=bounds,
        method="bounded",
    )
    return float(np.exp(found.x))


def costs(
    probabilities: npt.ArrayLike,
    labels: npt.ArrayLike,
    thresholds: npt.ArrayLike,
    cost_ratio: float,
) -> Floats:
    """The mean cost of deciding by each threshold.

    A needless retrieval costs 1; a retrieval that was needed and is missed costs `cost_ratio`.

    Args:
        probabilities: [n].
        labels: [n], 0 or 1.
        thresholds: [t]; a question is retrieved for where its probability reaches it.
        cost_ratio: What a wrong answer costs, in needless retrievals.

    Returns:
        [t].
    """
    scores, classes = _pair(probabilities, labels)
    retrieved = scores[None, :] >= np.asarray(thresholds, dtype=np.float64)[:, None]
    needless = retrieved & (classes == 0)
    missed = ~retrieved & (classes == 1)
    return np.asarray((needless + cost_ratio * missed).mean(axis=1))


def bayes_threshold(cost_ratio: float) -> float:
    """Where both mistakes are expected to cost the same, if probabilities are right.

    Elkan, "The Foundations of Cost-Sensitive Learning", 2001, equation 2.
    """
    return 1 / (1 + cost_ratio)


def deciding(labels: npt.ArrayLike, decisive: npt.ArrayLike) -> npt.NDArray[np.bool_]:
    """The questions that a threshold is chosen on.

    Args:
        labels: [n], 0 or 1.
        decisive: [n], whether retrieving and not retrieving end differently.

    Returns:
        [n]: the decisive ones, and all of them where those are of one class alone.
    """
    classes, chosen = np.asarray(labels), np.asarray(decisive, dtype=np.bool_)
    return chosen if len(np.unique(classes[chosen])) > 1 else np.ones_like(chosen)


def best_threshold(probabilities: npt.ArrayLike, labels: npt.ArrayLike, cost_ratio: float) -> float:
    """The threshold of least cost; of several, the one nearest to `bayes_threshold`.

    Candidates lie between neighbouring probabilities, and at both ends.
    """
    scores, classes = _pair(probabilities, labels)
    known = np.unique(scores)
    between = (known[1:] + known[:-1]) / 2
    aim = bayes_threshold(cost_ratio)
    candidates = np.unique(np.concatenate([[0.0], between, [aim], [1.0]]))
    found = costs(scores, classes, candidates, cost_ratio)
    least = candidates[found <= found.min() + _ROUNDING]
    return float(least[np.abs(least - aim).argmin()])


def _pair(scores: npt.ArrayLike, labels: npt.ArrayLike) -> tuple[Floats, Floats]:
    return np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
