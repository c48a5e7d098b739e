"""Maximal marginal relevance: near passages that differ from each other.

Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering Documents and
Producing Summaries", SIGIR 1998.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence, passage_evidence

if TYPE_CHECKING:
    from hopyard.indexes.kinds.dense.reader import DenseReader
    from hopyard.models.embedder import Vector, Vectors

_CANDIDATES: Final = 20
"""Passages to choose from, at least; LangChain's default (`fetch_k`)."""


async def _find(search: Search) -> list[Evidence]:
    """Choose among the nearest passages; the score is MMR's when it was chosen."""
    dense = await asyncio.to_thread(search.index.reader, "dense")
    vector = await search.embed(search.text)
    return await asyncio.to_thread(_choose, dense, vector, search)


def _choose(dense: DenseReader, query: Vector, search: Search) -> list[Evidence]:
    nearest = dense.search(query, max(search.k, _CANDIDATES), search.allowed)
    ids = [passage_id for passage_id, _ in nearest]
    chosen = mmr(query, dense.vectors(ids), search.k, search.settings.retrieval.mmr_lambda)
    return [passage_evidence(ids[row], score) for row, score in chosen]


def mmr(query: Vector, candidates: Vectors, k: int, lambda_: float) -> list[tuple[int, float]]:
    """Choose candidates that are relevant and unlike each other.

        MMR = argmax over i not in S of  λ·sim(i, q) − (1 − λ)·max over j in S of sim(i, j)

    where S has been chosen so far. The first choice has no redundancy to lose, and scores
    λ·sim(i, q). With λ = 1 this is ranking by similarity.

    Args:
        query: The question's embedding [d].
        candidates: Embeddings [n, d]; rows of length 1 make the inner product a cosine.
        k: Candidates to choose; n at most are.
        lambda_: From 0 (diversity alone) to 1 (relevance alone).

    Returns:
        (row, MMR score at the moment of its choice) pairs in the order of choice; of equally good
        candidates the first row.

    Raises:
        ValueError: `lambda_` is not in [0, 1].
    """
    import numpy as np

    if not 0 <= lambda_ <= 1:
        raise ValueError(f"lambda_ is {lambda_}, but must lie between 0 and 1.")
    vectors = candidates.astype(np.float64)
    relevance = lambda_ * (vectors @ query.astype(np.float64))
    redundancy = np.full(len(vectors), -np.inf)
    scores = relevance.copy()
    chosen: list[tuple[int, float]] = []
    for _ in range(min(k, len(vectors))):
        best = int(np.argmax(scores))
        chosen.append((best, float(scores[best])))
        redundancy = np.maximum(redundancy, vectors @ vectors[best])
        scores = relevance - (1 - lambda_) * redundancy
        scores[[row for row, _ in chosen]] = -np.inf
    return chosen


SEARCH: Final = SearchMethod(
    name="mmr",
    about="Near passages that differ from each other (maximal marginal relevance).",
    find=_find,
    needs=("dense",),
    filters=True,
)
