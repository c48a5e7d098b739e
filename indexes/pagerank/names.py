"""Hopyard's walk: it begins at the names of the question and at the nearest passages.

It takes from HippoRAG the weight of a name (node specificity), from HippoRAG 2 the passages as
nodes and beginnings, and from LinearRAG the graph without facts. It needs no model call, and its
values were chosen on questions that no reported figure uses (docs/graphs.md).
"""

from __future__ import annotations

import asyncio
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.weights import rarity
from hopyard.indexes.pagerank.query import Query, Ranking, Seeds, nothing

__all__ = ("rank",)

DAMPING: Final = 0.85


async def rank(query: Query) -> Ranking:
    """Rank passages by a walk from the question's names and its nearest passages."""
    seeds = await asyncio.to_thread(_seeds, query)
    if not seeds:
        return nothing("the question names no entity of the graph")
    return await asyncio.to_thread(_walk, query, seeds, await query.nearest())


def _seeds(query: Query) -> Seeds:
    """The entities that the question names, each with 1 / number of its passages."""
    passages = query.graph.passages_with
    return {entity: 1 / max(int(passages[entity]), 1) for entity in query.named()}


def _walk(query: Query, seeds: Seeds, near: NDArray[np.float64]) -> Ranking:
    graph, settings = query.graph, query.settings
    entities = np.zeros(graph.entities)
    entities[list(seeds)] = list(seeds.values())
    passages = near**settings.sharpness
    reset = np.concatenate(
        (entities / entities.sum(), settings.passage_share * passages / passages.sum())
    )
    found = query.walk("rarity", rarity).pagerank(reset, settings.damping or DAMPING)
    return Ranking(found[graph.entities :], found[: graph.entities], seeds)
