"""Search from the top of the summary tree down (RAPTOR's tree traversal)."""

from __future__ import annotations

import asyncio
from typing import Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.indexes.searches.summaries import SummariesSettings
from hopyard.state.schemas import Evidence

__all__ = ("SEARCH",)


async def _find(search: Search) -> list[Evidence]:
    """The score is the cosine."""
    from hopyard.indexes.searches.summaries import nodes

    vector = await search.embed(search.text)
    found = await asyncio.to_thread(nodes.walk, search, vector)
    tokens = SummariesSettings.of(search.settings).tokens
    return [node.evidence for node in nodes.within(found, search.k, tokens)]


SEARCH: Final = SearchMethod(
    name="summary-walk",
    about="From the top of a summary tree down, the nearest of each layer (RAPTOR's traversal).",
    find=_find,
    needs=("dense", "summary-tree"),
    filters=True,
)
