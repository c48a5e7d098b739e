"""The stage of a build that costs most: embedding the texts that have no vector yet."""

from __future__ import annotations

from typing import Final

import numpy as np

from hopyard.indexes.derived import Progress
from hopyard.indexes.store import CorpusStore
from hopyard.models.embedder import Embedder, Vectors
from hopyard.state.errors import ModelOutputError

__all__ = ("BATCH", "check_vectors", "embed_pending")

BATCH: Final = 64
"""Texts embedded and stored at once: enough to fill a processor, and little to lose on a kill."""

_UNIT_TOLERANCE: Final = 1e-3
"""Half-precision models miss length 1 by some 1e-4."""


def embed_pending(store: CorpusStore, embedder: Embedder, progress: Progress) -> int:
    """Embed every text of a live passage that the store has no vector for.

    Batches hold texts of like length, since a model pads each text to the longest of its batch,
    and each batch is stored before the next one is embedded.

    Returns:
        The number of texts embedded.

    Raises:
        ModelOutputError: The model gave something else than a unit vector for each text.
    """
    pending = store.pending(embedder.name, embedder.dimension)
    for start in range(0, len(pending), BATCH):
        progress("embed", start, len(pending))
        batch = pending[start : start + BATCH]
        vectors = embedder.embed_documents(store.texts(batch))
        check_vectors(vectors, len(batch), embedder)
        store.add_vectors(embedder.name, batch, vectors)
    progress("embed", len(pending), len(pending))
    return len(pending)


def check_vectors(vectors: Vectors, count: int, embedder: Embedder) -> None:
    """See that a model gave a unit vector for each text.

    Raises:
        ModelOutputError: It did not.
    """
    expected = (count, embedder.dimension)
    if vectors.shape != expected:
        found = f"an array of shape {vectors.shape} instead of {expected}"
    elif not np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=_UNIT_TOLERANCE):
        found = "vectors that are not of length 1"
    else:
        return
    raise ModelOutputError(
        f"The embedding model {embedder.name!r} gave {found}: choose another one with --embedding."
    )
