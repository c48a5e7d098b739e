"""The settings of the search `pagerank`."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from hopyard.state.settings.fields import Group


class PageRankSettings(Group):
    """The search `pagerank`: PageRank over the entity graph."""

    group: ClassVar[str] = "pagerank"

    method: Literal["names", "hipporag", "hipporag2", "linear"] = Field(
        "names",
        description="Start of the walk: names (Hopyard's own), hipporag, hipporag2, or linear "
        "(LinearRAG).",
    )
    ask_model: bool = Field(
        False,
        description="Whether hipporag asks the chat model for the question's names, and hipporag2 "
        "which facts help: one call for each search.",
    )
