"""Communities of the entity graph, level by level, and reports about them (GraphRAG).

`pairs` weighs the graph, `clustering` divides it, `index` is what readers open. `elements`,
`context` and `writing` make the reports, with `communities.reports=all` while the index is built
and otherwise when a question asks for them.

Source: Edge et al., "From Local to Global: A Graph RAG Approach to Query-Focused Summarization".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import Field

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.kind import Estimate, IndexKind
from hopyard.state.counting import counted
from hopyard.state.settings import Group

if TYPE_CHECKING:
    from hopyard.indexes.kinds.communities.index import CommunityIndex
    from hopyard.indexes.records import Passage

__all__ = ("KIND", "Communities", "CommunitySettings")


class CommunitySettings(Group):
    """The communities, while they are built. An index keeps the settings of its last build."""

    group: ClassVar[str] = "communities"

    max_size: int = Field(
        10,
        ge=1,
        description="Size of the largest community that is not divided further (published tool: "
        "10).",
    )
    resolution: float = Field(
        1.0, gt=0, description="Resolution of the clustering: more gives smaller communities."
    )
    seed: int = Field(0, ge=0, description="Seed of the clustering.")
    reports: Literal["on-demand", "all"] = Field(
        "on-demand",
        description="on-demand (a question has the reports written that it needs, and the index "
        "costs no model call) or all (the build writes them).",
    )


class Communities(IndexKind):
    """The kind `communities`."""

    name = "communities"
    about = (
        "Communities of the entity graph, level by level, with reports about them. Read by the "
        "strategies global and local."
    )
    settings = CommunitySettings
    needs = ("entity-graph",)
    asks_model = True

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Cluster the graph of the new generation, and write reports if the settings say so.

        Raises:
            ModelUnreachableError: The model does not answer; the reports written are kept.
            ModelOutputError: Too large a share of the reports failed; the others are kept.
        """
        from hopyard.indexes.kinds.communities import building

        return await building.build_communities(context)

    def open(self, directory: Path) -> CommunityIndex:
        """Map the communities into memory."""
        from hopyard.indexes.kinds.communities.index import CommunityIndex

        return CommunityIndex.load(directory)


KIND: Final = Communities()
