"""Search from the top of the summary tree down (RAPTOR's tree traversal)."""

from __future__ import annotations

from typing import Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence

__all__ = ("SEARCH",)


async def _find(search: Search) -> list[Evidence]:
    from hopyard.indexes.searches.summaries import nodes

    return await nodes.find(search, nodes.walk)


SEARCH: Final = SearchMethod(
    name="summary-walk",
    about="From the top of a summary tree down, the nearest of each layer (RAPTOR's traversal).",
    find=_find,
    needs=("dense", "summary-tree"),
    filters=True,
)
