"""Measure how near a question is to an index, without asking a model.

It costs a millisecond or two, and a search that follows needs the same embedding.
"""

from __future__ import annotations

from typing import Final

from hopyard.indexes.corpus_index import Index
from hopyard.measures.nearness import Nearness
from hopyard.models.embedder import Vector

__all__ = ("nearness",)

_CLOSEST: Final = 3
"""Passages whose distance counts: a single one may be near by chance."""


def nearness(question: str, vector: Vector | None, index: Index) -> Nearness:
    """How near a question is to an index.

    Args:
        question: Any text.
        vector: Its embedding [d] by the index's model; None where the index has no dense part.
        index: The opened index.

    Raises:
        IndexMissingError: A part of the index is damaged.
    """
    cosine = outstanding = words = 0.0
    if vector is not None and index.has("dense"):
        dense = index.reader("dense")
        scores = [score for _, score in dense.search(vector, _CLOSEST)]
        mean, deviation = dense.background(vector)
        if scores:
            cosine = scores[0]
            outstanding = (sum(scores) / len(scores) - mean) / deviation if deviation else 0.0
    if index.has("sparse"):
        words = index.reader("sparse").share(question)
    return Nearness(round(cosine, 4), round(outstanding, 4), round(words, 4))
