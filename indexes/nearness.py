"""Measure how near a question is to an index, without asking a model.

It costs a millisecond or two, and a search that follows needs the same embedding.
"""

from __future__ import annotations

from typing import Final

from hopyard.indexes.index import Index
from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.models.embedder import Vector

__all__ = ("nearness",)

_CLOSEST: Final = 3
"""Passages whose distance counts: a single one may be near by chance."""


def nearness(question: str, vector: Vector | None, index: Index) -> Nearness:
    """How near a question is to an index.

    Args:
        question: Any text.
        vector: Its embedding [d] by the index's model; None where the index has no dense part.

    Raises:
        IndexMissingError: A part of the index is damaged.
    """
    found = UNMEASURED
    if vector is not None and index.has("dense"):
        dense = index.reader("dense")
        scores = [score for _, score in dense.search(vector, _CLOSEST)]
        mean, deviation = dense.background(vector)
        if scores and deviation:
            outstanding = (sum(scores) / len(scores) - mean) / deviation
            found = found._replace(cosine=round(scores[0], 4), outstanding=round(outstanding, 4))
    if index.has("sparse"):
        words, known = index.reader("sparse").shares(question)
        found = found._replace(words=round(words, 4), known=round(known, 4))
    return found
