"""The interface of embedding models. The implementations are in `models.embeddings`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Vector = NDArray[np.float32]
"""An embedding, shape [d]."""
Vectors = NDArray[np.float32]
"""Embeddings, shape [n, d]: each row is an embedding."""


@runtime_checkable
class Embedder(Protocol):
    """An embedding model."""

    @property
    def name(self) -> str:
        """A spec that selects this model, such as `ollama:NAME`. Indexes store it."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def window(self) -> int:
        """Maximum number of tokens that the model reads, including its special tokens."""

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The model's tokenizer, or None if the model is remote and does not share it."""

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts for the index.

        Returns:
            [n, d] float32, each row of length 1, so that inner products are cosines.
        """

    def embed_query(self, text: str) -> Vector:
        """Embed a question: [d] float32, of length 1."""
