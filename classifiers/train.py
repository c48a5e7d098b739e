"""Trains a gate on labelled questions: binary cross-entropy, early stopping, calibration."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from hopyard.classifiers.calibrate import Trained, calibrate
from hopyard.classifiers.labels import Label, check_classes, count_drops
from hopyard.classifiers.manifest import TOKENIZER_FILE, GateManifest, write_manifest
from hopyard.classifiers.retrieval_gate import QUESTION_TOKENS
from hopyard.classifiers.t5 import SCRATCH, Network, named_network, scratch_network
from hopyard.state.atomic import write_file
from hopyard.state.errors import HopyardError

__all__ = ("LEAST", "TrainSettings", "split_labels", "train_gate")

LEAST: Final = 5
"""Questions that each class must have: one of them is held out for validation."""
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
    weight_decay: float | None = Field(None, ge=0)
    """None takes 0, the paper's plain Adam, and 0.01 for the small T5 from scratch."""
    class_weights: bool = True
    validation: float = Field(0.2, gt=0, lt=1)
    """Share of each class for early stopping, temperature and threshold."""
    cost_ratio: float = Field(3.0, gt=0)
    """What a wrong answer costs, in needless retrievals."""
    vocabulary: int = Field(4096, ge=64)
    width: int = Field(192, ge=32, multiple_of=32)
    layers: int = Field(3, ge=1)


def split_labels(
    labels: Sequence[Label], share: float, seed: int
) -> tuple[list[Label], list[Label]]:
    """Training and validation questions, with that share of each class held out, at least one."""
    train: list[Label] = []
    held_out: list[Label] = []
    for label in (0, 1):
        rows = sorted((one for one in labels if one.label == label), key=lambda one: one.id)
        random.Random(f"{seed} {label}").shuffle(rows)  # noqa: S311  (no secret)
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
        labels: Labelled and dropped questions; the dropped ones are counted in the card.
        settings: How.
        folder: Where it goes.
        texts: Text for the vocabulary; the questions are added to it.
        progress: Told after each step.

    Raises:
        UsageError: A class has too few questions.
        ModelUnreachableError: The base cannot be loaded.
    """
    import torch

    labelled = [one for one in labels if one.label is not None]
    check_classes(labelled, LEAST)
    train, held_out = split_labels(labelled, settings.validation, settings.seed)
    torch.manual_seed(settings.seed)
    started = perf_counter()
    network = _network(settings, [*texts, *(one.question for one in train)])
    report: dict[str, Any] = {"settings": settings.model_dump()}
    weights = _class_weights(train) if settings.class_weights else (1.0, 1.0)
    report |= _fit(network, train, held_out, settings, weights, progress)
    report["training_seconds"] = round(perf_counter() - started, 1)
    report["labelling_seconds"] = round(sum(one.seconds for one in labels), 1)
    shift = float(np.log(weights[1] / weights[0]))
    manifest = _manifest(network, labels, (train, held_out), settings, shift, report)
    _save(network, manifest, folder)
    return calibrate(folder, manifest, held_out)


def _network(settings: TrainSettings, texts: Sequence[str]) -> Network:
    if settings.base != SCRATCH:
        return named_network(settings.base, settings.dropout)
    return scratch_network(
        texts,
        dropout=settings.dropout,
        seed=settings.seed,
        vocabulary=settings.vocabulary,
        width=settings.width,
        layers=settings.layers,
    )


def _class_weights(train: Sequence[Label]) -> tuple[float, float]:
    """Weights of class 0 and 1 under which both weigh alike: n / (2 · n of the class)."""
    counts = Counter(one.label for one in train)
    return len(train) / (2 * counts[0]), len(train) / (2 * counts[1])


def _fit(
    network: Network,
    train: Sequence[Label],
    held_out: Sequence[Label],
    settings: TrainSettings,
    weights: tuple[float, float],
    progress: Progress,
) -> dict[str, Any]:
    """Train until the validation loss no longer falls; the best weights stay in the network."""
    import torch

    model = network.model
    scratch = settings.base == SCRATCH
    rate = settings.rate or (_SCRATCH_RATE if scratch else _PAPER_RATE)
    decay = settings.weight_decay
    if decay is None:
        decay = _SCRATCH_DECAY if scratch else 0.0
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
            f"The training's loss is no number from the first epoch on; lower --rate ({rate:g})."
        )
    model.load_state_dict(kept)
    return {
        "rate": rate,
        "decay": decay,
        "epochs": len(losses),
        "best_epoch": best_epoch,
        "validation_losses": [round(one, 4) for one in losses],
    }


def _loss(network: Network, rows: Sequence[Label], weights: tuple[float, float]) -> Any:
    """Weighted binary cross-entropy, the mean over the rows."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    tokenizer, model = network.tokenizer, network.model
    tokenizer.enable_truncation(QUESTION_TOKENS)
    tokenizer.enable_padding(pad_id=model.config.pad_token_id)
    encoded = tokenizer.encode_batch([one.question for one in rows])
    ids = torch.tensor([one.ids for one in encoded])
    mask = torch.tensor([one.attention_mask for one in encoded])
    wanted = torch.tensor([float(one.label or 0) for one in rows])
    weight = torch.tensor([weights[one.label or 0] for one in rows])
    logits = model(ids, attention_mask=mask).logits[:, 0]
    return binary_cross_entropy_with_logits(logits, wanted, weight=weight)


def _manifest(
    network: Network,
    labels: Sequence[Label],
    splits: tuple[Sequence[Label], Sequence[Label]],
    settings: TrainSettings,
    shift: float,
    report: dict[str, Any],
) -> GateManifest:
    """The manifest before calibration."""
    models = sorted({one.model for one in labels})
    names = ("train", "validation")
    labelled = [one for part in splits for one in part]
    return GateManifest(
        base=settings.base,
        parameters=sum(one.numel() for one in network.model.parameters()),
        model=", ".join(models),
        value=", ".join(sorted({one.value for one in labels})),
        prior_shift=shift,
        temperature=1.0,
        threshold=0.5,
        cost_ratio=settings.cost_ratio,
        labels={name: _classes(part) for name, part in zip(names, splits, strict=True)},
        sources=_classes_by(labelled, "type"),
        rules=_classes_by(labelled, "rule"),
        dropped=count_drops(labels),
        training=report,
        validation={},
    )


def _classes(labels: Sequence[Label]) -> dict[str, int]:
    counts = Counter(one.label for one in labels)
    return {"retrieve": counts[1], "no retrieval": counts[0]}


def _classes_by(labels: Sequence[Label], attribute: str) -> dict[str, dict[str, int]]:
    names = sorted({str(getattr(one, attribute)) for one in labels})
    return {
        name: _classes([one for one in labels if getattr(one, attribute) == name]) for name in names
    }


def _save(network: Network, manifest: GateManifest, folder: Path) -> None:
    """Write weights in half precision, tokenizer, and the manifest last."""
    folder.mkdir(parents=True, exist_ok=True)
    from transformers.utils import logging

    cast(Any, logging).disable_progress_bar()
    network.model.half().save_pretrained(folder)
    network.model.float()
    network.tokenizer.no_padding()
    network.tokenizer.no_truncation()
    write_file(folder / TOKENIZER_FILE, network.tokenizer.to_str().encode())
    write_manifest(folder, manifest)
