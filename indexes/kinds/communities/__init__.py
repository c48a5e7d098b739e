"""Communities of the entity graph, level by level, and reports about them (GraphRAG).

`pairs` weighs the graph, `clustering` divides it, `index` is what readers open. `elements`,
`context` and `writing` make the reports, with `communities.reports=all` while the index is built
and otherwise when a question asks for them.

Source: Edge et al., "From Local to Global", 2024 (arXiv:2404.16130).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import Field

from hopyard.indexes.kind import count_problem
from hopyard.indexes.written.kind import WrittenKind
from hopyard.state.settings.fields import Group

if TYPE_CHECKING:
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.communities.index import CommunityIndex


class CommunitySettings(Group):
    """The communities, while they are built. An index keeps the settings of its last build."""

    group: ClassVar[str] = "communities"

    max_size: int = Field(
        10,
        ge=1,
        description="Size of the largest community that is not divided further (published tool: "
        "10).",
    )
    reports: Literal["on-demand", "all"] = Field(
        "on-demand",
        description="on-demand (a question has the reports written that it needs, and the index "
        "costs no model call) or all (the build writes them).",
    )


class Communities(WrittenKind):
    """The kind `communities`."""

    name = "communities"
    about = (
        "Communities of the entity graph, level by level, with reports about them. Read by the "
        "strategies global and local."
    )
    settings = CommunitySettings
    needs = ("entity-graph",)
    source = "community"
    text = "a report"
    worded = ("hopyard.prompts.indexes.communities:REPORT",)
    stats = "hopyard.indexes.kinds.communities.records:CommunityStats"
    builder = "hopyard.indexes.kinds.communities.building"
    reader = "hopyard.indexes.kinds.communities.index:CommunityIndex"

    def readable(self, reader: CommunityIndex, index: Index) -> CommunityIndex:
        """Communities without what a caller may not read, and the reports that have none of it."""
        from hopyard.indexes.kinds.communities.readable import ReadableCommunities

        whole = index.whole or index
        graphs = whole.reader("entity-graph"), index.reader("entity-graph")
        return ReadableCommunities(reader, *graphs)

    def check(self, reader: CommunityIndex, counts: Mapping[str, int]) -> str:
        """See that every entity of the graph is in it."""
        return count_problem(reader.entities, counts["entities"], "entity")

    def derived(
        self, directory: Path, passage_ids: Sequence[str]
    ) -> Mapping[str, Mapping[str, Any]]:
        """The root communities of each passage's entities, those of most entities first."""
        from hopyard.indexes.kinds.entity_graph import KIND as GRAPH

        graph, index = GRAPH.open(directory.parent / GRAPH.name), self.open(directory)
        return {name: {"communities": index.titles_of(graph.rows_in(name))} for name in passage_ids}


KIND: Final = Communities()
