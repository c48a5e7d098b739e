"""Train a gate on labelled questions: cross-entropy, early stopping, calibration, threshold."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final, NamedTuple, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from hopyard.classifiers.labels import Label, check_classes, count_drops
from hopyard.classifiers.manifest import TOKENIZER_FILE, GateManifest, write_manifest
from hopyard.classifiers.measures import (
    accuracy,
    auroc,
    best_temperature,
    best_threshold,
    deciding,
    expected_calibration_error,
)
from hopyard.classifiers.retrieval_gate import QUESTION_TOKENS, RetrievalGate
from hopyard.classifiers.t5 import SCRATCH, Network, load_network, make_network
from hopyard.state.atomic import write_file
from hopyard.state.errors import HopyardError

__all__ = ("LEAST", "TrainSettings", "Trained", "split_labels", "train_gate")

LEAST: Final = 5
"""Questions that each class needs: at least one of them is held out for validation."""
_PAPER_RATE: Final = 5e-5
_SCRATCH_RATE: Final = 1e-4
_SCRATCH_DECAY: Final = 0.01
Progress = Callable[[str, int, int], None]


class TrainSettings(BaseModel):
    """How a gate is trained. The defaults are the paper's for a T5 by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: str = SCRATCH
    rate: float = Field(0, ge=0)
    """0 takes the paper's 5e-5, and 1e-4 for the small T5 from scratch."""
    epochs: int = Field(60, ge=1)
    patience: int = Field(8, ge=1)
    """Epochs without a better validation loss before the training ends."""
    batch: int = Field(32, ge=1)
    seed: int = Field(7, ge=0)
    dropout: float = Field(0.1, ge=0, lt=1)
    validation: float = Field(0.2, gt=0, lt=1)
    """Share of each class for early stopping, temperature and threshold."""
    cost_ratio: float = Field(3.0, gt=0)
    """The cost of a wrong answer, in needless retrievals."""
    vocabulary: int = Field(4096, ge=64)
    width: int = Field(192, ge=32, multiple_of=32)
    layers: int = Field(3, ge=1)


class Trained(NamedTuple):
    """The result of a training.

    Attributes:
        manifest: The gate's manifest.
        probabilities: [n], of the validation questions.
        labels: [n], of the same questions.
        decisive: [n], whether the decision changes their answer.
    """

    manifest: GateManifest
    probabilities: list[float]
    labels: list[int]
    decisive: list[bool]


def split_labels(
    labels: Sequence[Label], share: float, seed: int
) -> tuple[list[Label], list[Label]]:
    """Training and validation questions, with that share of each class held out, at least one."""
    train: list[Label] = []
    held_out: list[Label] = []
    for value in (0, 1):
        rows = sorted((row for row in labels if row.label == value), key=lambda row: row.id)
        random.Random(f"{seed} {value}").shuffle(rows)  # noqa: S311  (no secret)
        count = max(1, round(share * len(rows)))
        held_out += rows[:count]
        train += rows[count:]
    return train, held_out


def train_gate(
    labels: Sequence[Label],
    settings: TrainSettings,
    folder: Path,
    *,
    texts: Sequence[str] = (),
    progress: Progress,
) -> Trained:
    """Train a gate and write it to a folder.

    Args:
        labels: Labelled and dropped questions; the dropped ones are only counted.
        settings: The training's settings.
        folder: Where the gate goes.
        texts: Text for the vocabulary; the questions are added to it.
        progress: Called after each epoch.

    Raises:
        UsageError: A class has too few questions.
        ModelUnreachableError: The base cannot be loaded.
    """
    import torch

    labelled = [row for row in labels if row.label is not None]
    check_classes(labelled, LEAST)
    train, held_out = split_labels(labelled, settings.validation, settings.seed)
    torch.manual_seed(settings.seed)
    started = perf_counter()
    if settings.base == SCRATCH:
        network = make_network(
            [*texts, *(row.question for row in train)],
            dropout=settings.dropout,
            seed=settings.seed,
            vocabulary=settings.vocabulary,
            width=settings.width,
            layers=settings.layers,
        )
    else:
        network = load_network(settings.base, settings.dropout)
    weights = _class_weights(train)
    report: dict[str, Any] = {"settings": settings.model_dump()}
    report |= _fit(network, train, held_out, settings, weights, progress)
    report["training_seconds"] = round(perf_counter() - started, 1)
    report["labelling_seconds"] = round(sum(row.seconds for row in labels), 1)
    manifest = GateManifest(
        base=settings.base,
        parameters=sum(parameter.numel() for parameter in network.model.parameters()),
        model=", ".join(sorted({row.model for row in labels})),
        value=", ".join(sorted({row.value for row in labels})),
        prior_shift=float(np.log(weights[1] / weights[0])),
        temperature=1.0,
        threshold=0.5,
        cost_ratio=settings.cost_ratio,
        labels={"train": _count_classes(train), "validation": _count_classes(held_out)},
        sources=_count_classes_by(labelled, "type"),
        rules=_count_classes_by(labelled, "rule"),
        dropped=count_drops(labels),
        training=report,
        validation={},
    )
    _save(network, manifest, folder)
    return _calibrate(folder, manifest, held_out)


def _class_weights(train: Sequence[Label]) -> tuple[float, float]:
    """Weights that balance class 0 and 1: n / (2 · n of the class)."""
    counts = Counter(row.label for row in train)
    return len(train) / (2 * counts[0]), len(train) / (2 * counts[1])


def _fit(
    network: Network,
    train: Sequence[Label],
    held_out: Sequence[Label],
    settings: TrainSettings,
    weights: tuple[float, float],
    progress: Progress,
) -> dict[str, Any]:
    """Train until the validation loss stops falling, then restore the best weights."""
    import torch

    model = network.model
    scratch = settings.base == SCRATCH
    rate = settings.rate or (_SCRATCH_RATE if scratch else _PAPER_RATE)
    decay = _SCRATCH_DECAY if scratch else 0.0  # the paper: plain Adam
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=decay)
    rng = random.Random(settings.seed)  # noqa: S311  (no secret)
    best, best_epoch, kept = float("inf"), 0, {}
    losses = []
    for epoch in range(1, settings.epochs + 1):
        model.train()
        rows = list(train)
        rng.shuffle(rows)
        for start in range(0, len(rows), settings.batch):
            loss = _loss(network, rows[start : start + settings.batch], weights)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        model.eval()
        with torch.no_grad():
            losses.append(float(_loss(network, held_out, weights)))
        if losses[-1] < best:
            best, best_epoch = losses[-1], epoch
            kept = {name: value.clone() for name, value in model.state_dict().items()}
        progress("train", epoch, settings.epochs)
        if epoch - best_epoch >= settings.patience:
            break
    if not kept:
        raise HopyardError(
            f"The validation loss is not a number from the first epoch on; lower --rate ({rate:g})."
        )
    model.load_state_dict(kept)
    return {
        "rate": rate,
        "decay": decay,
        "epochs": len(losses),
        "best_epoch": best_epoch,
        "validation_losses": [round(loss, 4) for loss in losses],
    }


def _loss(network: Network, rows: Sequence[Label], weights: tuple[float, float]) -> Any:
    """Weighted binary cross-entropy, the mean over the rows."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    tokenizer, model = network.tokenizer, network.model
    tokenizer.enable_truncation(QUESTION_TOKENS)
    tokenizer.enable_padding(pad_id=model.config.pad_token_id)
    encoded = tokenizer.encode_batch([row.question for row in rows])
    ids = torch.tensor([encoding.ids for encoding in encoded])
    mask = torch.tensor([encoding.attention_mask for encoding in encoded])
    wanted = torch.tensor([float(row.label or 0) for row in rows])
    weight = torch.tensor([weights[row.label or 0] for row in rows])
    logits = model(ids, attention_mask=mask).logits[:, 0]
    return binary_cross_entropy_with_logits(logits, wanted, weight=weight)


def _calibrate(folder: Path, manifest: GateManifest, held_out: Sequence[Label]) -> Trained:
    """Choose temperature and threshold with the gate as it was saved, and write them.

    The threshold is chosen on the questions whose answer the decision changes.
    """
    from scipy.special import expit

    gate = RetrievalGate.load(folder)
    labels = [int(row.label or 0) for row in held_out]
    decisive = [row.decisive for row in held_out]
    logits = np.array(gate.logits([row.question for row in held_out])) - manifest.prior_shift
    temperature = best_temperature(logits, labels)
    probabilities = expit(logits / temperature)
    chosen = deciding(labels, decisive)
    threshold = best_threshold(probabilities[chosen], np.array(labels)[chosen], manifest.cost_ratio)
    validation = {
        "questions": float(len(labels)),
        "deciding the threshold": float(chosen.sum()),
        "auroc": auroc(probabilities, labels),
        "accuracy": accuracy(probabilities, labels, threshold),
        "ece": expected_calibration_error(probabilities, labels),
        "ece_before_temperature": expected_calibration_error(expit(logits), labels),
    }
    calibrated = manifest.model_copy(
        update={
            "temperature": temperature,
            "threshold": threshold,
            "validation": {name: round(value, 4) for name, value in validation.items()},
        }
    )
    write_manifest(folder, calibrated)
    return Trained(calibrated, probabilities.tolist(), labels, decisive)


def _count_classes(labels: Sequence[Label]) -> dict[str, int]:
    counts = Counter(row.label for row in labels)
    return {"retrieve": counts[1], "no retrieval": counts[0]}


def _count_classes_by(labels: Sequence[Label], attribute: str) -> dict[str, dict[str, int]]:
    groups: dict[str, list[Label]] = {}
    for row in sorted(labels, key=lambda row: str(getattr(row, attribute))):
        groups.setdefault(str(getattr(row, attribute)), []).append(row)
    return {name: _count_classes(group) for name, group in groups.items()}


def _save(network: Network, manifest: GateManifest, folder: Path) -> None:
    """Write weights in half precision, tokenizer, and the manifest last."""
    from transformers.utils import logging

    folder.mkdir(parents=True, exist_ok=True)
    cast(Any, logging).disable_progress_bar()
    network.model.half().save_pretrained(folder)
    network.model.float()
    network.tokenizer.no_padding()
    network.tokenizer.no_truncation()
    write_file(folder / TOKENIZER_FILE, network.tokenizer.to_str().encode())
    write_manifest(folder, manifest)
