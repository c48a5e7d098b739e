"""A trained gate: a question in, the calibrated probability that it needs retrieval out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self, cast

from hopyard.classifiers.manifest import (
    MANIFEST_FILE,
    TOKENIZER_FILE,
    GateManifest,
    read_manifest,
)
from hopyard.classifiers.measures import sigmoid
from hopyard.models.loading import LOADING
from hopyard.state.errors import GateUnavailableError
from hopyard.state.settings import GateSettings

__all__ = (
    "MODEL",
    "OFF",
    "QUESTION_TOKENS",
    "Decision",
    "RetrievalGate",
    "calibrated",
    "decide",
    "gate_folder",
    "lasting_name",
    "load_gate",
)

OFF: Final = "off"
MODEL: Final = "model"
"""The gate that comes with Hopyard."""
SHIPPED: Final = Path(__file__).parent / "gate"
QUESTION_TOKENS: Final = 96
"""Tokens of a question that the gate reads; the rest is cut off."""


@dataclass(frozen=True)
class Decision:
    """What the gate says of a question.

    Attributes:
        probability: That it needs retrieval, calibrated, 0 to 1.
        retrieve: Whether to retrieve.
        reason: Why, as a part of a sentence.
    """

    probability: float
    retrieve: bool
    reason: str


class RetrievalGate:
    """A T5 classifier with its tokenizer and calibration. Any thread may use it."""

    def __init__(self, model: Any, tokenizer: Any, manifest: GateManifest) -> None:
        """Put a gate together; see `load`.

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
            model: Any = T5ForSequenceClassification.from_pretrained(
                folder, dtype=torch.float32, local_files_only=True
            )
        except Exception as error:  # tokenizers raises that very class
            raise GateUnavailableError(
                f"The gate in {str(folder)!r} cannot be loaded ({str(error).splitlines()[0]}); "
                "train it anew with `hopyard gate train`, or use --gate off."
            ) from error
        return cls(model.eval(), tokenizer, manifest)

    def logits(self, questions: Sequence[str]) -> list[float]:
        """The classifier's raw logits [n]."""
        import torch

        encoded = self._tokenizer.encode_batch(list(questions))
        ids = torch.tensor([one.ids for one in encoded])
        mask = torch.tensor([one.attention_mask for one in encoded])
        with torch.inference_mode():
            return [float(one) for one in self._model(ids, attention_mask=mask).logits[:, 0]]

    def probability(self, question: str) -> float:
        """The calibrated probability that a question needs retrieval, 0 to 1."""
        [logit] = self.logits([question])
        return calibrated(logit, self.manifest.prior_shift, self.manifest.temperature)

    def decide(self, question: str, settings: GateSettings) -> Decision:
        """Whether to retrieve for a question."""
        return decide(self.probability(question), self.manifest.threshold, settings)


def calibrated(logit: float, prior_shift: float, temperature: float) -> float:
    """σ((z − shift) / T): Guo et al. 2017, section 4.2, after the class weights are taken off."""
    return float(sigmoid((logit - prior_shift) / temperature))


def decide(probability: float, threshold: float, settings: GateSettings) -> Decision:
    """The decision of a probability: below the lower bound none is needed, else retrieve.

    Args:
        probability: That the question needs retrieval, 0 to 1.
        threshold: The gate's own, the lower bound where the settings give none.
        settings: Between its two bounds the gate is unsure, and retrieves.
    """
    low = threshold if settings.unsure_from is None else settings.unsure_from
    shown = f"p={probability:.2f}"
    if probability < low:
        return Decision(probability, False, f"{shown} is below {low:.2f}: no document is needed")
    if probability <= settings.unsure_to:
        bounds = f"{low:.2f} to {settings.unsure_to:.2f}"
        return Decision(probability, True, f"{shown} is unsure ({bounds}), and so it retrieves")
    return Decision(probability, True, f"{shown} is above {max(low, settings.unsure_to):.2f}")


def gate_folder(name: str) -> Path:
    """Where the gate of a name is, or would be."""
    return SHIPPED if name == MODEL else Path(name)


def lasting_name(name: str) -> str:
    """The name of a gate that holds in every folder: a relative one made absolute."""
    return name if name in {OFF, MODEL} else str(Path(name).absolute())


def load_gate(name: str) -> RetrievalGate:
    """The gate of a name, loaded once a process and version of it.

    Args:
        name: `model`, the one that comes with Hopyard, or a folder.

    Raises:
        GateUnavailableError: There is none, or it cannot be loaded.
    """
    folder = gate_folder(name)
    manifest = folder / MANIFEST_FILE
    if not name or not manifest.is_file():
        shipped = " this version ships no trained gate;" if name == MODEL else ""
        raise GateUnavailableError(
            f"The gate {name!r} is not there:{shipped} name a folder that `hopyard gate train` "
            "wrote, or use --gate off."
        )
    with LOADING:  # whoever waits here finds it loaded
        return _loaded(folder, manifest.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _loaded(folder: Path, _changed: int) -> RetrievalGate:
    return RetrievalGate.load(folder)
