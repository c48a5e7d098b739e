"""The entity graph: passages, the names in them, and facts about these names.

`rules` finds names without a model (LinearRAG), `model` asks the chat model for names and facts
(HippoRAG), and both keep the sentence of each. `merging` makes entities of names, `assemble` puts
everything into rows, `graph` is what readers open, and `linking` finds a question's names in it.
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
    from hopyard.indexes.kinds.entity_graph.graph import EntityGraph
    from hopyard.indexes.records import Passage

__all__ = ("KIND", "EntityGraphKind", "EntityGraphSettings")


class EntityGraphSettings(Group):
    """The entity graph, while it is built. An index keeps what its last build was given."""

    group: ClassVar[str] = "graph"

    builder: Literal["rules", "model"] = Field(
        "rules",
        description="How names are found: rules (no model call), or model (names and facts by the "
        "chat model).",
    )
    sentences: bool = Field(
        False,
        description="Embed sentences too, for pagerank.method=linear and hipporag2; without, a "
        "sentence counts as near as its passage.",
    )
    synonyms: float = Field(
        0.0,
        ge=0,
        le=1,
        description="Least cosine of two names that are joined as synonyms (HippoRAG: 0.8); 0 joins "
        "none.",
    )


class EntityGraphKind(IndexKind):
    """The kind `entity-graph`."""

    name = "entity-graph"
    about = (
        "Names and the passages that they stand in; with graph.builder=model also facts. Read by "
        "pagerank search."
    )
    settings = EntityGraphSettings
    needs_vectors = True  # which of two people of one name is meant depends on the passage
    asks_model = True

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Write the graph of the new generation."""
        from hopyard.indexes.kinds.entity_graph import building

        return await building.build_graph(context)

    def open(self, directory: Path) -> EntityGraph:
        """Map the graph into memory."""
        from hopyard.indexes.kinds.entity_graph.graph import EntityGraph

        return EntityGraph.load(directory)

    def check(self, reader: EntityGraph, counts: Mapping[str, int]) -> str:
        """See that every passage is in it."""
        held, passages = len(reader.passage_ids), counts["passages"]
        return f"holds {counted(held, 'passage')}, not {passages}" if held != passages else ""


KIND: Final = EntityGraphKind()
