"""Sentences in place of a report, for communities that have none.

A corpus has many small communities, about which a report would be longer than what they say. They
are read as they are, without a call. LazyGraphRAG maps text in place of reports too (Edge, Trinh
and Larson, "LazyGraphRAG: Setting a new standard for quality and cost", 2024).
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from typing import Final

from hopyard.indexes.kinds.communities.context import leaf
from hopyard.indexes.kinds.communities.elements import Elements
from hopyard.indexes.kinds.communities.records import Community
from hopyard.indexes.kinds.communities.writing import tokens_of
from hopyard.nodes.global_search.reports import ReadableReport, communities_of, elements_of
from hopyard.nodes.run import Run

__all__ = ("excerpt", "excerpts_within", "is_short")

_TOKENS: Final = 300
"""Tokens of an excerpt at most, about those of a short report."""
_PASSAGES: Final = 3
"""A community in more passages is not short; so most need not be read to know it."""


def excerpt(
    community: Community, elements: Elements, allowed: Collection[str] | None = None
) -> ReadableReport:
    """What the documents say of a community, by combined degree. It reads passages.

    Args:
        community: The community.
        elements: The elements of the graph.
        allowed: Only lines that one of these passages supports; None for all.
    """
    shown = leaf(elements.groups(community.entities), _TOKENS, tokens_of)
    lines = [
        element
        for element in shown.elements
        if _says_something(element.id, element.text)
        and (
            allowed is None
            or any(source.passage in allowed for source in elements.sources(element.id))
        )
    ]
    return ReadableReport(
        community=community.id,
        heading=f"{community.title} (lines of the documents)",
        findings=tuple(line.text for line in lines),
        elements=tuple((line.id,) for line in lines),
    )


def is_short(community: Community, elements: Elements) -> bool:
    """Whether an excerpt holds all that the documents say of a community. It reads passages."""
    if community.passages > _PASSAGES:
        return False
    names: set[str] = set()
    tokens = 0
    for group in elements.groups(community.entities):
        for element in group.elements:
            if element.id not in names:
                names.add(element.id)
                tokens += tokens_of(f"{element.id[0]}99 {element.text}")
        if tokens > _TOKENS:
            return False
    return True


async def excerpts_within(run: Run, names: Sequence[str], budget: int) -> tuple[str, ...]:
    """The first communities whose excerpts fit into a budget of tokens together."""
    if not names or not budget:
        return ()
    reader, elements = await communities_of(run), await elements_of(run)

    def fitting() -> tuple[str, ...]:
        room, kept = budget, []
        for name in names:
            room -= tokens_of("\n".join(excerpt(reader.community(name), elements).findings))
            if room < 0:
                break
            kept.append(name)
        return tuple(kept)

    return await asyncio.to_thread(fitting)


def _says_something(name: str, text: str) -> bool:
    """Whether a line is more than the name of an entity."""
    return not name.startswith("E") or ": " in text
