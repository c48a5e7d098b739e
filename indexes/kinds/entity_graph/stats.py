"""Counts and settings of an entity graph: the file that `index status` reads."""

from __future__ import annotations

from typing import Any, Final

from hopyard.indexes.kinds.entity_graph.find.extractions import ExtractionCounts
from hopyard.indexes.kinds.entity_graph.resolve.senses import Split
from hopyard.indexes.written.stats import Plain, WrittenStats

GRAPH_VERSION: Final = 6
"""Counted up when the files or the entities of names change: then a graph is assembled again."""

_ALWAYS: Final = ("entities", "mentions", "facts")
"""Counts that are shown even if they are 0."""


class MadeWith(Plain):
    """The settings of a graph."""

    version: int = GRAPH_VERSION
    builder: str
    embedding: str
    dimension: int
    descriptions: bool = False
    """Whether the model also wrote descriptions and strengths."""


class EntityStats(WrittenStats):
    """Counts of one generation of the graph."""

    made_with: MadeWith
    names: int
    entities: int
    mentions: int
    facts: int
    synonym_pairs: int
    unread: int
    """Passages that the model was not asked about, because a budget ended the build."""
    written: ExtractionCounts
    splits: tuple[Split, ...]

    def plain(self) -> dict[str, Any]:
        """The lines of `hopyard index status`; counts of problems only where there are any."""
        values = self.model_dump(mode="json", exclude={"made_with", "written", "splits"})
        unshown = {"version", "embedding", "dimension"}
        made = self.made_with.model_dump(mode="json", exclude=unshown)
        hidden = {"runs", "missing"}
        if self.made_with.builder != "model":
            hidden.add("authors")  # the builder says it
        found = self.written.model_dump(mode="json", exclude=hidden)
        own = {**made, **values, "split": len(self.splits), **found}
        return {name: value for name, value in own.items() if value or name in _ALWAYS}
