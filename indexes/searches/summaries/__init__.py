"""Search in the summary tree: all nodes together, up to a limit of tokens (RAPTOR).

Source: Sarthi et al., RAPTOR, section 3, "Querying": the collapsed tree, which they found the
better. `summary_walk` is their tree traversal.
"""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import Field

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.group import Group
from hopyard.state.schemas import Evidence

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
    from hopyard.indexes.searches.summaries import nodes

    return await nodes.find(search, nodes.collapsed)


SEARCH: Final = SearchMethod(
    name="summaries",
    about="The passages and summaries of a summary tree nearest to the question (RAPTOR).",
    find=_find,
    needs=("dense", "summary-tree"),
    settings=SummariesSettings,
    filters=True,
)
