"""The scorers of questions: a head over the sentence vector and words, or a T5."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, Self, cast

import numpy as np

from hopyard.classifiers.word_vector import word_parts
from hopyard.models.concurrency import LOADING
from hopyard.models.embedder import Vector
from hopyard.state.errors import GateUnavailableError
from hopyard.state.extras import require

__all__ = (
    "HEAD_FILE",
    "QUESTION_TOKENS",
    "TOKENIZER_FILE",
    "WORDS_FILE",
    "Embed",
    "Scorer",
    "T5Scorer",
    "VectorHead",
    "load_scorer",
)

TOKENIZER_FILE: Final = "tokenizer.json"
HEAD_FILE: Final = "head.npy"
WORDS_FILE: Final = "words.json"
QUESTION_TOKENS: Final = 96
"""Tokens of a question that a T5 reads; the rest is ignored."""

Embed = Callable[[str], Vector]
"""Embeds a question, [d]."""


class Scorer(Protocol):
    """Scores questions. Any thread may use it."""

    def scores(self, questions: Sequence[str]) -> list[float]:
        """Raw scores [n]; `GateManifest` says how they become probabilities."""


class VectorHead:
    """A linear head over the question's sentence vector and its words."""

    def __init__(self, weights: Vector, words: Mapping[str, float], embed: Embed) -> None:
        """Wrap the weights [d] of vectors that `embed` makes, and those of words."""
        self._weights, self._words, self._embed = weights, words, embed

    @classmethod
    def load(cls, folder: Path, embed: Embed) -> Self:
        """Read the head in a folder.

        Raises:
            OSError: The file is missing.
            ValueError: It is damaged.
        """
        words = json.loads((folder / WORDS_FILE).read_bytes())
        return cls(np.load(folder / HEAD_FILE, allow_pickle=False), words, embed)

    def scores(self, questions: Sequence[str]) -> list[float]:
        """The weights of each question's vector and words, summed up."""
        return [self._score(question) for question in questions]

    def _score(self, question: str) -> float:
        words = word_parts(question, self._words).items()
        vector = float(self._weights @ self._embed(question))
        return vector + sum(self._words[word] * part for word, part in words)


class T5Scorer:
    """The paper's classifier: a T5 for sequence classification with one logit."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        """See `load`.

        Args:
            model: A `T5ForSequenceClassification` with one label, in evaluation mode.
            tokenizer: A `tokenizers.Tokenizer` that ends every text with the model's end token.
        """
        self._model, self._tokenizer = model, tokenizer
        self._tokenizer.enable_truncation(QUESTION_TOKENS)
        self._tokenizer.enable_padding(pad_id=model.config.pad_token_id)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load the network in a folder.

        Raises:
            GateUnavailableError: The extra `gate` is not installed.
            OSError: A file is missing.
            Exception: A file is damaged; tokenizers raises `Exception` itself.
        """
        require("A T5 gate", "gate", GateUnavailableError)
        import torch
        from tokenizers import Tokenizer
        from transformers import T5ForSequenceClassification
        from transformers.utils import logging

        cast(Any, logging).disable_progress_bar()
        tokenizer = Tokenizer.from_str((folder / TOKENIZER_FILE).read_text(encoding="utf-8"))
        with LOADING:
            model: Any = T5ForSequenceClassification.from_pretrained(
                folder, dtype=torch.float32, local_files_only=True
            )
        return cls(model.eval(), tokenizer)

    def scores(self, questions: Sequence[str]) -> list[float]:
        """The logit of each question."""
        import torch

        encoded = self._tokenizer.encode_batch(list(questions))
        ids = torch.tensor([encoding.ids for encoding in encoded])
        mask = torch.tensor([encoding.attention_mask for encoding in encoded])
        with torch.inference_mode():
            logits: list[float] = self._model(ids, attention_mask=mask).logits[:, 0].tolist()
        return logits


def load_scorer(folder: Path, kind: str, embed: Embed) -> Scorer:
    """Load what scores a gate's questions.

    Args:
        folder: The gate's.
        kind: `vector` or `t5`.
        embed: Embeds a question with the gate's embedding model.

    Raises:
        GateUnavailableError: A file of it is missing or damaged.
    """
    try:
        return VectorHead.load(folder, embed) if kind == "vector" else T5Scorer.load(folder)
    except GateUnavailableError:
        raise
    except Exception as error:  # tokenizers raises `Exception` itself
        raise GateUnavailableError(
            f"The gate in {str(folder)!r} cannot be loaded ({str(error).splitlines()[0]}); "
            "train it again with `hopyard gate train`, or use --gate off."
        ) from error
