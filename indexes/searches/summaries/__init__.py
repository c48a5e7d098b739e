"""Search in the summary tree: all nodes together, up to a limit of tokens (RAPTOR).

Source: Sarthi et al., RAPTOR, section 3, "Querying": the collapsed tree, which they found the
better. `walk` is their tree traversal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from pydantic import Field

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.group import Group
from hopyard.state.schemas import Evidence

if TYPE_CHECKING:
    from hopyard.indexes.searches.summaries.nodes import Node

__all__ = ("SEARCH", "SummariesSettings")


class SummariesSettings(Group):
    """The searches `summaries` and `summary-walk`."""

    group: ClassVar[str] = "summaries"

    tokens: int = Field(
        2000,
        ge=1,
        description="Tokens of the summaries and passages found, if retrieval.k allows so many "
        "(paper: 2,000).",
    )


async def _find(search: Search) -> list[Evidence]:
    """The score is the cosine."""
    from hopyard.indexes.searches.summaries import nodes

    vector = await search.embed(search.text)
    found: Sequence[Node] = await asyncio.to_thread(nodes.collapsed, search, vector)
    tokens = SummariesSettings.of(search.settings).tokens
    return [node.evidence for node in nodes.within(found, search.k, tokens)]


SEARCH: Final = SearchMethod(
    name="summaries",
    about="The passages and summaries of a summary tree nearest to the question (RAPTOR).",
    find=_find,
    needs=("dense", "summary-tree"),
    settings=SummariesSettings,
    filters=True,
)
