"""Hopyard's walk: it begins at the names of the question and at the nearest passages.

It takes from HippoRAG the weight of a name (node specificity), from HippoRAG 2 the passages as
nodes and beginnings, and from LinearRAG the graph without facts. It needs no model call, and its
values were chosen on questions that no reported figure uses (docs/graphs.md).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.weights import rarity
from hopyard.indexes.pagerank.query import Query, Ranking, nothing

__all__ = ("rank", "rank_from")

DAMPING: Final = 0.85


async def rank(query: Query) -> Ranking:
    """Rank passages by a walk from the question's names and its nearest passages."""
    return await rank_from(query, await asyncio.to_thread(query.named))


async def rank_from(query: Query, named: Collection[int]) -> Ranking:
    """The same walk from other entities than those that the question names."""
    if not named:
        return nothing("the question names no entity of the graph")
    return await asyncio.to_thread(_walk, query, named, await query.nearest())


def _walk(query: Query, named: Collection[int], near: NDArray[np.float64]) -> Ranking:
    graph, settings = query.graph, query.settings
    seeds = {entity: 1 / max(int(graph.passages_with[entity]), 1) for entity in named}
    entities = np.zeros(graph.entities)
    entities[list(seeds)] = list(seeds.values())
    passages = near**settings.sharpness
    reset = np.concatenate(
        (entities / entities.sum(), settings.passage_share * passages / passages.sum())
    )
    found = query.walk("rarity", rarity).pagerank(reset, settings.damping or DAMPING)
    return Ranking(found[graph.entities :], found[: graph.entities], seeds)
