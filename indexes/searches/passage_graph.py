"""Search by a walk over the passage graph, without a model (HopRAG, Table 5)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence, passage_ids

if TYPE_CHECKING:
    from hopyard.indexes.kinds.dense.reader import DenseReader
    from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
    from hopyard.models.embedder import Vector

ROUNDS: Final = 4
"""Rounds of hops at most (HopRAG, section 4)."""
ENTRIES: Final = 20
"""Where a walk begins: half are the edges most similar to the question, half the nearest passages
(paper: 20 edges)."""


async def _find(search: Search) -> list[Evidence]:
    """The score is the helpfulness: of what a passage says, and how often the walk came to it."""
    graph = await asyncio.to_thread(search.index.reader, "passage-graph")
    dense = await asyncio.to_thread(search.index.reader, "dense")
    vector = await search.embed(search.text)
    nearest = passage_ids(await search.by("dense", k=ENTRIES))
    found = await asyncio.to_thread(_walk, graph, dense, search.text, vector, nearest)
    return found[: search.k]


def _walk(
    graph: GraphIndex, dense: DenseReader, text: str, vector: Vector, nearest: Sequence[str]
) -> list[Evidence]:
    from hopyard.indexes.kinds.passage_graph.traversal import (
        by_helpfulness,
        entries,
        query_of,
        walk,
    )

    query = query_of(text, vector)
    entered = entries(graph, query, ENTRIES // 2)
    # A graph with few edges, or none, is entered by its passages instead.
    left = ENTRIES - sum(entry.times for entry in entered)
    return by_helpfulness(graph, dense, query, walk(graph, query, entered, nearest[:left], ROUNDS))


SEARCH: Final = SearchMethod(
    name="passage-graph",
    about="A walk along the questions that lead from passage to passage; asks no model.",
    find=_find,
    needs=("dense", "passage-graph"),
)
