"""Train a gate on labelled questions: a network's score, then its weight beside the nearness."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from hopyard.classifiers.evaluate import (
    accuracy,
    auroc,
    bayes_threshold,
    expected_calibration_error,
)
from hopyard.classifiers.labels import Label, Progress, check_classes, count_drops
from hopyard.classifiers.manifest import VECTOR, GateManifest, TrainSettings, write_manifest
from hopyard.classifiers.retrieval_gate import EmbedWith
from hopyard.classifiers.t5 import T5Scorer, split_labels, train_t5
from hopyard.classifiers.vector_head import vocabulary, word_columns, write_head
from hopyard.measures.nearness import Nearness
from hopyard.models.names import BUILTIN_EMBEDDING

EMBEDDING: Final = BUILTIN_EMBEDDING
"""The embedding model of the head's vectors."""
LEAST: Final = 5
"""Questions that each class needs, in a T5's validation split too: one for each fold."""
_SCALE: Final = 4.0
"""Vectors of length 1 are multiplied by it, so that the penalty weighs them like the nearness."""
Floats = npt.NDArray[np.float64]
_FOLDS: Final = 5
_PENALTIES: Final = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
"""C of scikit-learn, the inverse of the L2 penalty."""


class Trained(NamedTuple):
    """The result of a training.

    Attributes:
        probabilities: [n], of the validation questions.
        labels: [n], of the same questions.
    """

    manifest: GateManifest
    probabilities: list[float]
    labels: list[int]


def train_gate(
    labels: Sequence[Label],
    settings: TrainSettings,
    folder: Path,
    *,
    embed: EmbedWith,
    model: str | None = None,
    progress: Progress,
) -> Trained:
    """Train a gate and write it to a folder.

    Args:
        labels: Labelled and dropped questions. Dropped questions are only counted.
        embed: Embeds the questions for a head over their vectors.
        model: The model that the gate is for; None takes the labels'.
    """
    labelled = [row for row in labels if row.label is not None]
    least = LEAST if settings.base == VECTOR else ceil(LEAST / settings.validation)
    check_classes(labelled, least)
    started = perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    network: Literal["vector", "t5"] = "vector" if settings.base == VECTOR else "t5"
    if network == "vector":
        rows, base = labelled, EMBEDDING
        found, report = _train_head(labelled, settings, folder, embed, progress)
    else:
        base = settings.base
        train, rows = split_labels(labelled, settings.validation, settings.seed)
        report = train_t5(train, rows, settings, folder, progress)
        scores = T5Scorer.load(folder).scores([row.question for row in rows])
        found = _fit(np.array(scores)[:, np.newaxis], rows, settings)
    classes = [int(row.label or 0) for row in rows]
    threshold = bayes_threshold(settings.cost_ratio)
    report |= {
        "settings": settings.model_dump(),
        "penalty": found.penalty,
        "training_seconds": round(perf_counter() - started, 1),
        "labelling_seconds": round(sum(row.seconds for row in labels), 1),
    }
    manifest = GateManifest(
        network=network,
        base=base,
        parameters=report.pop("parameters"),
        model=model or _names(row.model for row in labels),
        value=_names(row.value for row in labels),
        embedding=_names(row.embedding for row in labels),
        bias=found.bias,
        score=1.0 if network == "vector" else float(found.weights[0]),
        nearness=found.nearness,
        threshold=threshold,
        cost_ratio=settings.cost_ratio,
        labels=_count_classes(labelled),
        sources=_count_classes_by(labelled, "type"),
        rules=_count_classes_by(labelled, "rule"),
        dropped=count_drops(labels),
        training=report,
        validation=_measures(found.probabilities, classes, threshold),
    )
    write_manifest(folder, manifest)
    return Trained(manifest, found.probabilities.tolist(), classes)


def _train_head(
    rows: Sequence[Label],
    settings: TrainSettings,
    folder: Path,
    embed: EmbedWith,
    progress: Progress,
) -> tuple[Fit, dict[str, Any]]:
    """Fit a head over sentence vectors and words, together with the nearness, and write it."""
    vectors = []
    for done, row in enumerate(rows, 1):
        vectors.append(embed(row.question, EMBEDDING))
        progress("embed", done, len(rows))
    questions = [row.question for row in rows]
    words = vocabulary(questions)
    columns = np.hstack([np.array(vectors, dtype=np.float64), word_columns(questions, words)])
    found = _fit(_SCALE * columns, rows, settings)
    weights, width = _SCALE * found.weights, columns.shape[1] - len(words)
    of_words = dict(zip(words, weights[width:].round(4).tolist(), strict=True))
    write_head(folder, weights[:width].astype(np.float32), of_words)
    return found, {"parameters": len(found.weights) + len(found.nearness) + 1}


def _fit(columns: Any, rows: Sequence[Label], settings: TrainSettings) -> Fit:
    return fit(
        columns,
        [row.nearness for row in rows],
        [int(row.label or 0) for row in rows],
        seed=settings.seed,
    )


def _measures(probabilities: Any, labels: Sequence[int], threshold: float) -> dict[str, float]:
    found = {
        "questions": float(len(labels)),
        "auroc": auroc(probabilities, labels),
        "accuracy": accuracy(probabilities, labels, threshold),
        "ece": expected_calibration_error(probabilities, labels),
    }
    return {name: round(value, 4) for name, value in found.items()}


def _names(values: Any) -> str:
    return ", ".join(sorted(set(values)))


def _count_classes(labels: Sequence[Label]) -> dict[str, int]:
    counts = Counter(row.label for row in labels)
    return {"retrieve": counts[1], "no retrieval": counts[0]}


def _count_classes_by(labels: Sequence[Label], attribute: str) -> dict[str, dict[str, int]]:
    groups: dict[str, list[Label]] = {}
    for row in sorted(labels, key=lambda row: str(getattr(row, attribute))):
        groups.setdefault(str(getattr(row, attribute)), []).append(row)
    return {name: _count_classes(group) for name, group in groups.items()}


class Fit(NamedTuple):
    """The fitted model: logit = bias + weights · columns + Σ weight · (value − mean).

    Attributes:
        weights: [d], of the columns.
        nearness: Weight and mean of each field of `Nearness`. A value that is missing counts as
            the mean.
        penalty: The C that cross-validation chose.
        probabilities: [n], each from a fit that did not see its question.
    """

    weights: Floats
    bias: float
    nearness: dict[str, tuple[float, float]]
    penalty: float
    probabilities: Floats


def fit(
    columns: Floats, nearness: Sequence[Nearness], labels: Sequence[int], *, seed: int = 0
) -> Fit:
    """Fit P(label = 1), with the penalty of least cross-validated log loss.

    Args:
        columns: [n, d], of about unit variance.
        nearness: [n].
        labels: [n], 0 or 1, at least five of each.
        seed: Of the five folds.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    given = np.array([[np.nan if v is None else v for v in row] for row in nearness], dtype=float)
    known = ~np.isnan(given).all(axis=0)  # an index without a part has no such numbers
    mean, deviation = np.zeros(given.shape[1]), np.ones(given.shape[1])
    mean[known] = np.nanmean(given[:, known], axis=0)
    deviation[known] = np.nanstd(given[:, known], axis=0)
    deviation[deviation == 0] = 1.0
    scaled = np.nan_to_num((given - mean) / deviation)
    matrix, classes = np.hstack([columns, scaled]), np.asarray(labels)
    folds = StratifiedKFold(_FOLDS, shuffle=True, random_state=seed)

    def held_out(penalty: float) -> Floats:
        model = LogisticRegression(C=penalty, max_iter=5000)
        found = cross_val_predict(model, matrix, classes, cv=folds, method="predict_proba")
        return np.asarray(found[:, 1])

    tried = {penalty: held_out(penalty) for penalty in _PENALTIES}
    penalty = min(tried, key=lambda each: float(log_loss(classes, tried[each])))
    model = LogisticRegression(C=penalty, max_iter=5000).fit(matrix, classes)
    coefficients, width = model.coef_[0], columns.shape[1]
    near = zip(Nearness._fields, coefficients[width:] / deviation, mean, known, strict=True)
    return Fit(
        coefficients[:width],
        float(model.intercept_[0]),
        {name: (float(weight), float(at)) for name, weight, at, there in near if there},
        penalty,
        tried[penalty],
    )
