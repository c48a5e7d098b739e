"""Sparse search: BM25. It embeds nothing."""

from __future__ import annotations

import asyncio
from typing import Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence


async def _find(search: Search) -> list[Evidence]:
    """The score is BM25, weighted by documents.

    Passages that share no word with the text are not found.
    """
    sparse = await asyncio.to_thread(search.index.reader, "sparse")
    found: list[Evidence] = await asyncio.to_thread(
        sparse.find, search.text, search.k, search.allowed
    )
    return found


SEARCH: Final = SearchMethod(
    name="sparse",
    about="The passages that share words with the question (BM25); embeds nothing.",
    find=_find,
    needs=("sparse",),
    filters=True,
)
