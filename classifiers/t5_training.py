"""Train a T5 on labelled questions: weighted cross-entropy, early stopping."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, cast

from hopyard.classifiers.labels import Label
from hopyard.classifiers.scorers import QUESTION_TOKENS, TOKENIZER_FILE
from hopyard.classifiers.t5 import SMALL, Network, load_network, make_network
from hopyard.classifiers.train_settings import Progress, TrainSettings
from hopyard.state.errors import HopyardError
from hopyard.state.storage.atomic import write_file

__all__ = ("split_labels", "train_t5")

_PAPER_RATE: Final = 5e-5
_SMALL_RATE: Final = 1e-4
_SMALL_DECAY: Final = 0.01


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


def train_t5(
    train: Sequence[Label],
    held_out: Sequence[Label],
    settings: TrainSettings,
    folder: Path,
    texts: Sequence[str],
    progress: Progress,
) -> dict[str, Any]:
    """Train a T5 and write it to a folder.

    Args:
        train: Questions to learn.
        held_out: Questions whose loss ends the training.
        settings: The training's settings.
        folder: Where weights and tokenizer go.
        texts: Text for a vocabulary of its own; the questions are added to it.
        progress: Called after each epoch.

    Returns:
        The training's entry in the manifest.

    Raises:
        ModelUnreachableError: The base cannot be loaded.
    """
    import torch

    torch.manual_seed(settings.seed)
    if settings.base in SMALL:
        network = make_network(
            [*texts, *(row.question for row in train)],
            base=settings.base,
            dropout=settings.dropout,
            seed=settings.seed,
            vocabulary=settings.vocabulary,
            width=settings.width,
            layers=settings.layers,
        )
    else:
        network = load_network(settings.base, settings.dropout)
    report = _fit(network, train, held_out, settings, _class_weights(train), progress)
    _save(network, folder)
    return report | {"parameters": sum(each.numel() for each in network.model.parameters())}


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
    small = settings.base in SMALL
    rate = settings.rate or (_SMALL_RATE if small else _PAPER_RATE)
    decay = _SMALL_DECAY if small else 0.0  # the paper: plain Adam
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


def _save(network: Network, folder: Path) -> None:
    """Write weights in half precision, and the tokenizer."""
    from transformers.utils import logging

    folder.mkdir(parents=True, exist_ok=True)
    cast(Any, logging).disable_progress_bar()
    network.model.half().save_pretrained(folder)
    network.model.float()
    network.tokenizer.no_padding()
    network.tokenizer.no_truncation()
    write_file(folder / TOKENIZER_FILE, network.tokenizer.to_str().encode())
