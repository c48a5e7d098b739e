"""Search by a walk over the passage graph, without a model (HopRAG, Table 5)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import Field

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence, passage_ids
from hopyard.state.settings.fields import Group

if TYPE_CHECKING:
    from hopyard.indexes.kinds.dense.hnsw import DenseIndex
    from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
    from hopyard.models.embedder import Vector

__all__ = ("SEARCH", "WalkSettings")


class WalkSettings(Group):
    """The search `passage-graph`: a walk over the graph by similarity."""

    group: ClassVar[str] = "walk"

    n_hop: int = Field(4, ge=0, le=10, description="Maximum number of rounds (paper: 4).")
    top_k: int = Field(
        20,
        ge=2,
        le=100,
        description="Number of entry points: half are edges most similar to the question, half "
        "the nearest passages (paper: 20 edges).",
    )


async def _find(search: Search) -> list[Evidence]:
    """The score is the helpfulness: of what a passage says, and how often the walk came to it."""
    graph = await asyncio.to_thread(search.index.reader, "passage-graph")
    dense = await asyncio.to_thread(search.index.reader, "dense")
    settings = WalkSettings.of(search.settings)
    vector = await search.embed(search.text)
    nearest = passage_ids(await search.by("dense", k=settings.top_k))
    found = await asyncio.to_thread(_walk, graph, dense, search.text, vector, nearest, settings)
    return found[: search.k]


def _walk(
    graph: GraphIndex,
    dense: DenseIndex,
    text: str,
    vector: Vector,
    nearest: Sequence[str],
    settings: WalkSettings,
) -> list[Evidence]:
    from hopyard.indexes.kinds.passage_graph.traversal import (
        by_helpfulness,
        entries,
        query_of,
        walk,
    )

    query = query_of(text, vector)
    entered = entries(graph, query, settings.top_k // 2)
    # A graph with few edges, or none, is entered by its passages instead.
    left = settings.top_k - sum(entry.times for entry in entered)
    visits = walk(graph, query, entered, nearest[:left], settings.n_hop)
    return by_helpfulness(graph, dense, query, visits)


SEARCH: Final = SearchMethod(
    name="passage-graph",
    about="A walk along the questions that lead from passage to passage; asks no model.",
    find=_find,
    needs=("dense", "passage-graph"),
    settings=WalkSettings,
)
