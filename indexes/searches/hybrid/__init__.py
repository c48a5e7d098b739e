"""Hybrid search: dense and sparse search together."""

from __future__ import annotations

import asyncio
from typing import Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence

__all__ = ("SEARCH",)


async def _find(search: Search) -> list[Evidence]:
    """The score is 1 for a passage that is first in both and has the identifiers asked for."""
    from hopyard.indexes.searches.hybrid.fusion import search_both

    dense = await asyncio.to_thread(search.index.reader, "dense")
    sparse = await asyncio.to_thread(search.index.reader, "sparse")
    vector = await search.embed(search.text)
    return await asyncio.to_thread(search_both, dense, sparse, vector, search)


SEARCH: Final = SearchMethod(
    name="hybrid",
    about="Dense and sparse search, with their scores added up.",
    find=_find,
    needs=("dense", "sparse"),
    without_vectors="sparse",
    filters=True,
)
