"""Dense search: the passages nearest to the question's embedding."""

from __future__ import annotations

import asyncio
from typing import Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence, passage_evidence


async def _find(search: Search) -> list[Evidence]:
    """The score is the cosine."""
    dense = await asyncio.to_thread(search.index.reader, "dense")
    vector = await search.embed(search.text)
    found = await asyncio.to_thread(dense.search, vector, search.k, search.allowed)
    return [passage_evidence(passage_id, score) for passage_id, score in found]


SEARCH: Final = SearchMethod(
    name="dense",
    about="The passages whose embeddings are nearest to the question's.",
    find=_find,
    needs=("dense",),
    filters=True,
)
