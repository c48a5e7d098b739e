"""The communities as one self-contained page: a list that opens from level to level, and maps."""

from __future__ import annotations

from hopyard.indexes.kinds.communities.overview import Overview
from hopyard.state.text.counting import counted
from hopyard.tracing.pages import render

__all__ = ("community_page",)


def community_page(overview: Overview, name: str) -> str:
    """The page of the communities of an index.

    Args:
        overview: What is shown.
        name: The name of the index.
    """
    return render(
        "communities",
        styles=["page.css", "communities.css"],
        scripts=["communities.js"],
        kind="communities",
        main="communities",
        overview=overview,
        name=name,
        counted=counted,
    )
