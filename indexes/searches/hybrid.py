"""Hybrid search: the scores of dense and sparse search, added up.

Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval", 2023
(arXiv:2210.11934), find a convex combination of normalised scores ahead of reciprocal ranks.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from hopyard.indexes.search import Search, SearchMethod

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hopyard.indexes.kinds.dense.reader import DenseReader
    from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
    from hopyard.models.embedder import Vector
    from hopyard.state.schemas import Evidence

    Scores = NDArray[np.float64]

_OF_WORDS: Final = 0.25
"""The weight of the words' scores in a short document. In a long one it is twice as high: among the
passages of a report, words and numbers tell more apart than vectors do."""

_CANDIDATES: Final = 1000
"""Passages of each search. The last one's cosine counts as 0: unrelated texts have a cosine above
0, and how far above depends on the embedding model."""


async def _find(search: Search) -> list[Evidence]:
    """The score is 1 for a passage that is first in both and has the identifiers asked for."""
    dense = await asyncio.to_thread(search.index.reader, "dense")
    sparse = await asyncio.to_thread(search.index.reader, "sparse")
    vector = await search.embed(search.text)
    return await asyncio.to_thread(_search_both, dense, sparse, vector, search)


def _search_both(
    dense: DenseReader, sparse: SparseIndex, vector: Vector, search: Search
) -> list[Evidence]:
    """The passages that are best in both searches together."""
    import numpy as np

    from hopyard.indexes.kinds.sparse.scores import best_rows

    ranking = sparse.rank(search.text, search.allowed)
    near, cosines = dense.nearest(vector, max(search.k, _CANDIDATES), search.allowed)
    lowest = cosines.min(initial=1.0) if len(cosines) else 0.0
    # Both kinds hold the passages in the order of their ids.
    worded = best_rows(ranking.scores + ranking.exact, _CANDIDATES)
    farther = worded[np.isin(worded, near, invert=True)]
    rows = np.concatenate([near, farther])
    cosines = np.concatenate([cosines, dense.vectors_at(farther) @ vector])
    owners = ranking.documents[rows]
    scores = fused(
        ranking.scores[rows],
        cosines.astype(np.float64),
        float(lowest),
        ranking.weights[owners],
        _OF_WORDS * (1 + ranking.long[owners]),
        ranking.exact[rows],
    )
    best = np.lexsort((rows, -scores))[: search.k]
    return [
        sparse.evidence(row, score, ranking)
        for row, score in zip(rows[best].tolist(), scores[best].tolist(), strict=True)
    ]


def fused(
    worded: Scores,
    cosines: Scores,
    lowest: float,
    weights: Scores,
    shares: Scores,
    exact: NDArray[np.bool_],
) -> Scores:
    """Add up the scores of n passages.

        s = a·w / max w  +  (1 - a)·g·(c - c₀) / (max c - c₀)

    If a passage has an identifier of the question, all such passages come before the others.

    Args:
        worded: w, the score of each passage's words.
        cosines: c, the cosine of each passage with the question.
        lowest: c₀, the cosine that counts as 0.
        weights: g, the weight of each passage's document, 0 to 1.
        shares: a, the weight of the words in each passage's score, 0 to 1.
        exact: Whether a passage has an identifier of the question.

    Returns:
        n scores, 0 to 1.
    """
    import numpy as np

    highest, spread = worded.max(initial=0.0), cosines.max(initial=lowest) - lowest
    near = np.clip((cosines - lowest) / spread, 0.0, 1.0) if spread > 0 else np.ones(len(cosines))
    matched = worded / highest if highest > 0 else worded
    both = shares * matched + (1 - shares) * weights * near
    scores: Scores = (both + exact) / 2 if exact.any() else both
    return scores


SEARCH: Final = SearchMethod(
    name="hybrid",
    about="Dense and sparse search, with their scores added up.",
    find=_find,
    needs=("dense", "sparse"),
    without_vectors="sparse",
    filters=True,
)
