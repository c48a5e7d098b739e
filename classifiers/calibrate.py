"""The temperature and the threshold of a trained gate, chosen on held-out questions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hopyard.classifiers.labels import Label
from hopyard.classifiers.manifest import GateManifest, write_manifest
from hopyard.classifiers.measures import (
    accuracy,
    auroc,
    best_temperature,
    best_threshold,
    deciding,
    expected_calibration_error,
    sigmoid,
)
from hopyard.classifiers.retrieval_gate import RetrievalGate

__all__ = ("Trained", "calibrate")


class Trained(NamedTuple):
    """What a training gave."""

    manifest: GateManifest
    probabilities: list[float]
    """Of the validation questions."""
    labels: list[int]
    """Theirs."""
    decisive: list[bool]
    """Whether the decision changes their answer."""


def calibrate(folder: Path, manifest: GateManifest, held_out: Sequence[Label]) -> Trained:
    """Choose temperature and threshold with the gate as it was saved, and write them.

    The threshold is chosen on the questions whose answer the decision changes, where both classes
    are among them.

    Args:
        folder: The gate's.
        manifest: Its manifest so far.
        held_out: Labelled questions that it was not trained on.
    """
    gate = RetrievalGate.load(folder)
    labels = [int(one.label or 0) for one in held_out]
    logits = np.array(gate.logits([one.question for one in held_out])) - manifest.prior_shift
    temperature = best_temperature(logits, labels)
    probabilities = sigmoid(logits / temperature)
    decisive = [one.decisive for one in held_out]
    chosen = deciding(labels, decisive)
    threshold = best_threshold(probabilities[chosen], np.array(labels)[chosen], manifest.cost_ratio)
    validation = {
        "questions": float(len(labels)),
        "deciding the threshold": float(chosen.sum()),
        "auroc": auroc(probabilities, labels),
        "accuracy": accuracy(probabilities, labels, threshold),
        "ece": expected_calibration_error(probabilities, labels),
        "ece_before_temperature": expected_calibration_error(sigmoid(logits), labels),
    }
    done = manifest.model_copy(
        update={
            "temperature": temperature,
            "threshold": threshold,
            "validation": {name: round(value, 4) for name, value in validation.items()},
        }
    )
    write_manifest(folder, done)
    return Trained(done, [float(one) for one in probabilities], labels, decisive)
