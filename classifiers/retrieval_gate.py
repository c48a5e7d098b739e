"""A trained gate: a question in, the calibrated probability that it needs retrieval out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self, cast

from hopyard.classifiers.manifest import (
    MANIFEST_FILE,
    TOKENIZER_FILE,
    GateManifest,
    read_manifest,
)
from hopyard.models.concurrency import LOADING
from hopyard.state.errors import GateUnavailableError
from hopyard.state.settings import GateSettings

__all__ = (
    "MODEL",
    "OFF",
    "QUESTION_TOKENS",
    "Decision",
    "RetrievalGate",
    "calibrate",
    "decide",
    "find_gate",
    "gate_folder",
    "lasting_name",
    "load_gate",
)

OFF: Final = "off"
MODEL: Final = "model"
"""The gate that comes with Hopyard."""
SHIPPED: Final = Path(__file__).parent / "gate"
QUESTION_TOKENS: Final = 96
"""Tokens of a question that the gate reads; the rest is ignored."""


@dataclass(frozen=True)
class Decision:
    """The gate's decision on a question.

    Attributes:
        probability: That it needs retrieval, calibrated, 0 to 1.
        retrieve: Whether to retrieve.
        reason: Why, as part of a sentence.
    """

    probability: float
    retrieve: bool
    reason: str


class RetrievalGate:
    """A T5 classifier with its tokenizer and calibration, safe to use from any thread."""

    def __init__(self, model: Any, tokenizer: Any, manifest: GateManifest) -> None:
        """See `load`.

        Args:
            model: A `T5ForSequenceClassification` with one label, in evaluation mode.
            tokenizer: A `tokenizers.Tokenizer` that ends every text with the model's end token.
            manifest: Its calibration.
        """
        self.manifest = manifest
        self._model = model
        self._tokenizer = tokenizer
        self._tokenizer.enable_truncation(QUESTION_TOKENS)
        self._tokenizer.enable_padding(pad_id=model.config.pad_token_id)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load a gate from its folder.

        Raises:
            GateUnavailableError: A file of it is missing or damaged.
        """
        import torch
        from tokenizers import Tokenizer
        from transformers import T5ForSequenceClassification
        from transformers.utils import logging

        manifest = read_manifest(folder)
        cast(Any, logging).disable_progress_bar()
        try:
            tokenizer = Tokenizer.from_str((folder / TOKENIZER_FILE).read_text(encoding="utf-8"))
            with LOADING:
                model: Any = T5ForSequenceClassification.from_pretrained(
                    folder, dtype=torch.float32, local_files_only=True
                )
        except Exception as error:  # tokenizers raises `Exception` itself
            raise GateUnavailableError(
                f"The gate in {str(folder)!r} cannot be loaded ({str(error).splitlines()[0]}); "
                "train it again with `hopyard gate train`, or use --gate off."
            ) from error
        return cls(model.eval(), tokenizer, manifest)

    def logits(self, questions: Sequence[str]) -> list[float]:
        """The classifier's raw logits [n]."""
        import torch

        encoded = self._tokenizer.encode_batch(list(questions))
        ids = torch.tensor([encoding.ids for encoding in encoded])
        mask = torch.tensor([encoding.attention_mask for encoding in encoded])
        with torch.inference_mode():
            logits: list[float] = self._model(ids, attention_mask=mask).logits[:, 0].tolist()
        return logits

    def probability(self, question: str) -> float:
        """The calibrated probability that a question needs retrieval, 0 to 1."""
        [logit] = self.logits([question])
        return calibrate(logit, self.manifest.prior_shift, self.manifest.temperature)

    def decide(self, question: str, settings: GateSettings) -> Decision:
        """Whether to retrieve for a question."""
        return decide(self.probability(question), self.manifest.threshold, settings)


def calibrate(logit: float, prior_shift: float, temperature: float) -> float:
    """σ((z − shift) / T): Guo et al. 2017, section 4.2; the shift removes the class weights."""
    return (1 + math.tanh((logit - prior_shift) / temperature / 2)) / 2


def decide(probability: float, threshold: float, settings: GateSettings) -> Decision:
    """The decision of a probability: below the lower bound no document is needed, else retrieve.

    Args:
        probability: That the question needs retrieval, 0 to 1.
        threshold: The gate's own. It is the lower bound where the settings give none, unless it is
            above the upper one: an unsure gate retrieves, whatever threshold it was trained with.
        settings: Between its two bounds the gate is unsure, and retrieves.
    """
    low = settings.unsure_from
    if low is None:
        low = min(threshold, settings.unsure_to)
    p = f"p={probability:.2f}"
    if probability < low:
        return Decision(probability, False, f"{p} is below {low:.2f}: no document is needed")
    if probability <= settings.unsure_to:
        bounds = f"{low:.2f} to {settings.unsure_to:.2f}"
        return Decision(probability, True, f"{p} is unsure ({bounds}), and so it retrieves")
    return Decision(probability, True, f"{p} is above {max(low, settings.unsure_to):.2f}")


def gate_folder(name: str) -> Path:
    """The folder of a gate, which may not exist."""
    return SHIPPED if name == MODEL else Path(name)


def lasting_name(name: str) -> str:
    """The name of a gate with an absolute path, valid from every working directory."""
    return name if name in {OFF, MODEL} else str(Path(name).absolute())


def find_gate(name: str) -> tuple[Path, int]:
    """The folder of a gate, and when its manifest was last written (ns).

    Args:
        name: `model`, the gate that comes with Hopyard, or a folder.

    Raises:
        GateUnavailableError: It does not exist.
    """
    folder = gate_folder(name)
    manifest = folder / MANIFEST_FILE
    if not name or not manifest.is_file():
        shipped = " this version ships no trained gate;" if name == MODEL else ""
        raise GateUnavailableError(
            f"The gate {name!r} is not there:{shipped} name a folder that `hopyard gate train` "
            "wrote, or use --gate off."
        )
    return folder, manifest.stat().st_mtime_ns


def load_gate(name: str) -> RetrievalGate:
    """Load the gate of a name.

    Raises:
        GateUnavailableError: It does not exist, or cannot be loaded.
    """
    folder, _ = find_gate(name)
    return RetrievalGate.load(folder)
