"""Hopyard's walk: it begins at the names of the question and at its best passages.

It takes from HippoRAG the weight of a name (node specificity), from HippoRAG 2 the passages as
nodes and beginnings, and from LinearRAG the graph without facts. BM25's best passages are among the
beginnings too. It needs no model call, and its values were chosen on questions that no reported
figure uses (docs/graphs.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.graph.weights import rarity
from hopyard.indexes.searches.pagerank.query import (
    Query,
    Ranking,
    named_entities,
    nothing,
    with_words,
)

DAMPING: Final = 0.85
SHARPNESS: Final = 8.0
"""Exponent of a passage's nearness, and of its share of the best BM25 score, to favour the best."""
PASSAGE_SHARE: Final = 1.0
"""Weight of the passages together: that of a name which one passage has."""


async def rank(query: Query) -> Ranking:
    """Rank passages by a walk from the question's names and its best passages."""
    return await rank_from(query, await named_entities(query))


async def rank_from(query: Query, named: Collection[int]) -> Ranking:
    """The same walk from other entities than those that the question names."""
    if not named:
        return nothing("the question names no entity of the graph")
    near, words = await query.nearest(), await query.by_words()
    return await asyncio.to_thread(_walk, query, named, near, words)


def _walk(
    query: Query, named: Collection[int], near: NDArray[np.float64], words: NDArray[np.float64]
) -> Ranking:
    graph = query.graph
    rows = list(named)
    weights = name_weights(graph.passages_with[rows])
    entities = np.zeros(graph.entities)
    entities[rows] = weights
    near, words = near**SHARPNESS, words**SHARPNESS
    passages = with_words(near / near.sum(), words / words.sum() if words.any() else words)
    reset = np.concatenate((entities, PASSAGE_SHARE * passages))
    found = query.walk("rarity", rarity).pagerank(reset, DAMPING)
    seeds = dict(zip(rows, weights.tolist(), strict=True))
    return Ranking(found[graph.entities :], found[: graph.entities], seeds)


def name_weights(passages_with: NDArray[np.int64]) -> NDArray[np.float64]:
    """[n] What names weigh at the start of the walk: each as 1 / passages (node specificity).

    Together they weigh as much as the rarest of them, at most 1: where all names of a question are
    frequent, as in news, its best passages say more.

    Args:
        passages_with: [n] In how many passages each name stands.
    """
    specificity = 1 / np.maximum(passages_with, 1)
    weights: NDArray[np.float64] = specificity * (specificity.max() / specificity.sum())
    return weights
