"""Con-RAG's classifier: a T5 with one logit, trained on labelled questions.

The paper trains T5-small (60M) with binary cross-entropy and Adam at a learning rate of 5e-5. Here
the classes are weighted, and the training stops early on held-out questions.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, cast

from hopyard.classifiers.labels import Label, Progress
from hopyard.classifiers.manifest import TrainSettings
from hopyard.models.concurrency import LOADING
from hopyard.models.servers.advice import first_line
from hopyard.state.errors import GateUnavailableError, HopyardError, ModelUnreachableError
from hopyard.state.extras import require
from hopyard.state.storage.atomic import write_file

QUESTION_TOKENS: Final = 96
"""Tokens of a question that a T5 reads; the rest is ignored."""
_TOKENIZER_FILE: Final = "tokenizer.json"
_PATIENCE: Final = 8
"""Epochs without a better validation loss before the training ends."""
_BATCH: Final = 32
_DROPOUT: Final = 0.1
"""Of all layers and of the classifier; T5's own (Raffel et al. 2020, section 3.1.2)."""


class Network(NamedTuple):
    """A classifier with one logit, and its tokenizer.

    Attributes:
        model: A `T5ForSequenceClassification`.
        tokenizer: A `tokenizers.Tokenizer` that ends every text with the end token.
    """

    model: Any
    tokenizer: Any


class T5Scorer:
    """Scores questions by a trained T5. Any thread may use it."""

    def __init__(self, network: Network) -> None:
        """Wrap a network in evaluation mode."""
        self._network = network

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load the network in a folder."""
        require("A T5 gate", "gate", GateUnavailableError)
        import torch
        from tokenizers import Tokenizer
        from transformers import T5ForSequenceClassification

        _hide_progress()
        tokenizer = Tokenizer.from_str((folder / _TOKENIZER_FILE).read_text(encoding="utf-8"))
        with LOADING:
            model: Any = T5ForSequenceClassification.from_pretrained(
                folder, dtype=torch.float32, local_files_only=True
            )
        return cls(Network(model.eval(), tokenizer))

    def scores(self, questions: Sequence[str]) -> list[float]:
        """The logit of each question."""
        import torch

        with torch.inference_mode():
            found: list[float] = _logits(self._network, questions).tolist()
        return found


def load_network(name: str) -> Network:
    """Load a pretrained T5, such as `google-t5/t5-small` (60M, the paper's).

    Args:
        name: A name on the hub, or a folder, such as `lab.distil_t5` writes.

    Raises:
        ModelUnreachableError: It cannot be loaded.
    """
    import torch
    from transformers import AutoTokenizer, T5ForSequenceClassification

    try:
        tokenizer = AutoTokenizer.from_pretrained(name).backend_tokenizer
        model = T5ForSequenceClassification.from_pretrained(
            name,
            dtype=torch.float32,
            num_labels=1,
            dropout_rate=_DROPOUT,
            classifier_dropout=_DROPOUT,
        )
    except (OSError, ValueError, ImportError) as error:
        raise ModelUnreachableError(
            f"The T5 {name!r} cannot be loaded ({first_line(error)}); name a folder, or use "
            "--base vector."
        ) from error
    return Network(model, tokenizer)


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
    progress: Progress,
) -> dict[str, Any]:
    """Train the T5 of the settings and write it to a folder.

    Args:
        held_out: Questions whose loss ends the training.
        folder: Where weights and tokenizer go.

    Returns:
        The training's entry in the manifest.
    """
    import torch

    torch.manual_seed(settings.seed)
    network = load_network(settings.base)
    report = _fit(network, train, held_out, settings, progress)
    _save(network, folder)
    return report | {"parameters": sum(each.numel() for each in network.model.parameters())}


def _fit(
    network: Network,
    train: Sequence[Label],
    held_out: Sequence[Label],
    settings: TrainSettings,
    progress: Progress,
) -> dict[str, Any]:
    """Train until the validation loss stops falling, then restore the best weights."""
    import torch

    model, weights = network.model, _class_weights(train)
    optimizer = torch.optim.Adam(model.parameters(), lr=settings.rate)
    rng = random.Random(settings.seed)  # noqa: S311  (no secret)
    best, best_epoch, kept = float("inf"), 0, {}
    losses = []
    for epoch in range(1, settings.epochs + 1):
        model.train()
        rows = list(train)
        rng.shuffle(rows)
        for start in range(0, len(rows), _BATCH):
            loss = _loss(network, rows[start : start + _BATCH], weights)
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
        if epoch - best_epoch >= _PATIENCE:
            break
    if not kept:
        raise HopyardError(
            "The validation loss is not a number from the first epoch on; lower --rate "
            f"({settings.rate:g})."
        )
    model.load_state_dict(kept)
    return {
        "epochs": len(losses),
        "best_epoch": best_epoch,
        "validation_losses": [round(loss, 4) for loss in losses],
    }


def _class_weights(train: Sequence[Label]) -> tuple[float, float]:
    """Weights that balance class 0 and 1: n / (2 · n of the class)."""
    counts = Counter(row.label for row in train)
    return len(train) / (2 * counts[0]), len(train) / (2 * counts[1])


def _loss(network: Network, rows: Sequence[Label], weights: tuple[float, float]) -> Any:
    """Weighted binary cross-entropy, the mean over the rows."""
    import torch
    from torch.nn.functional import binary_cross_entropy_with_logits

    wanted = torch.tensor([float(row.label or 0) for row in rows])
    weight = torch.tensor([weights[row.label or 0] for row in rows])
    logits = _logits(network, [row.question for row in rows])
    return binary_cross_entropy_with_logits(logits, wanted, weight=weight)


def _logits(network: Network, questions: Sequence[str]) -> Any:
    """The logit of each question: [n]."""
    import torch

    model, tokenizer = network
    tokenizer.enable_truncation(QUESTION_TOKENS)
    tokenizer.enable_padding(pad_id=model.config.pad_token_id)
    encoded = tokenizer.encode_batch(list(questions))
    ids = torch.tensor([encoding.ids for encoding in encoded])
    mask = torch.tensor([encoding.attention_mask for encoding in encoded])
    return model(ids, attention_mask=mask).logits[:, 0]


def _save(network: Network, folder: Path) -> None:
    """Write weights in half precision, and the tokenizer."""
    _hide_progress()
    network.model.half().save_pretrained(folder)
    network.model.float()
    network.tokenizer.no_padding()
    network.tokenizer.no_truncation()
    write_file(folder / _TOKENIZER_FILE, network.tokenizer.to_str().encode())


def _hide_progress() -> None:
    from transformers.utils import logging

    cast(Any, logging).disable_progress_bar()
