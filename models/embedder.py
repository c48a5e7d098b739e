"""What the indexes ask of an embedding model. The implementations live in `hopyard.models`."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

__all__ = ("Embedder", "Vector", "Vectors")

Vector = NDArray[np.float32]
"""One embedding, shape [d]."""
Vectors = NDArray[np.float32]
"""Embeddings, shape [n, d], one a row."""


@runtime_checkable
class Embedder(Protocol):
    """An embedding model."""

    @property
    def name(self) -> str:
        """The spec that selects this model, such as `ollama:NAME`; the manifest keeps it."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def window(self) -> int:
        """Tokens that the model reads at most, its own special tokens included."""

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The model's tokenizer, or None where the model is remote and keeps it to itself."""

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts to be found.

        Returns:
            [n, d] float32, each row of length 1, so that an inner product is a cosine.
        """

    def embed_query(self, text: str) -> Vector:
        """Embed a question: [d] float32, of length 1."""
