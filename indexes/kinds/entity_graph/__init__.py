"""The entity graph: passages, the names in them, and facts about these names.

`rules` finds names without a model (LinearRAG), and with `domain_terms` terms, too; `model` asks
the chat model for names and facts (HippoRAG). All keep the sentence of each. `entities` makes
entities of names, `assemble` puts everything into rows, `graph` is what readers open, and `linking`
finds a question's names in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from pydantic import Field

from hopyard.indexes.kind import count_problem
from hopyard.indexes.written.kind import WrittenKind
from hopyard.state.settings.fields import Group
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.arrays.exporting import Export
    from hopyard.indexes.corpus.records import Passage
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
    from hopyard.indexes.kinds.entity_graph.read.neighbourhood import Neighbourhood


class EntityGraphSettings(Group):
    """The entity graph, while it is built. An index keeps the settings of its last build."""

    group: ClassVar[str] = "entity_graph"

    builder: str = Field(
        "rules",
        description="rules (names, without model calls), terms (names and English terms in small "
        "letters, without model calls; for domains such as medicine and law), model (names and "
        "facts, with one call a passage), or a recogniser that an installed package brings.",
    )
    descriptions: bool = Field(
        False,
        description="With entity_graph.builder=model: also write a type and a description of each "
        "entity, and a description and a strength of each fact (GraphRAG).",
    )


class EntityGraphKind(WrittenKind):
    """The kind `entity-graph`."""

    name = "entity-graph"
    about = (
        "Names, and the passages that they stand in. With entity_graph.builder=model also facts; "
        "then the model is asked about every passage. Read by pagerank search."
    )
    settings = EntityGraphSettings
    needs_vectors = True  # which of two people of one name is meant depends on the passage
    worded = (
        "hopyard.prompts.indexes.entity_graph:FACTS",
        "hopyard.prompts.indexes.elements:ELEMENTS",
    )
    stats = "hopyard.indexes.kinds.entity_graph.stats:EntityStats"
    builder = "hopyard.indexes.kinds.entity_graph.building"
    reader = "hopyard.indexes.kinds.entity_graph.graph.graph:EntityGraph"
    text = "names"

    def readable(self, reader: EntityGraph, index: Index) -> EntityGraph:
        """The names and facts of the passages that a caller may read."""
        from hopyard.indexes.kinds.entity_graph.graph.readable import ReadableGraph

        return ReadableGraph(reader, index.allowed(()) or frozenset())

    def check(self, reader: EntityGraph, counts: Mapping[str, int]) -> str:
        """See that every passage is in it."""
        return count_problem(len(reader.passage_ids), counts["passages"], "passage")

    def export(self, reader: Callable[[str], Any], passages: Iterable[Passage]) -> Export:
        """Entities and passages are nodes; edges are mentions, facts and synonyms."""
        from hopyard.indexes.kinds.entity_graph.read.export import export_of

        graph, communities = reader(self.name), reader("communities")
        paths = list(map(communities.of_entity, range(graph.entities))) if communities else []
        return export_of(graph, passages, paths)

    def entities(
        self, index: Index, pattern: str, only: Literal["", "split"] = ""
    ) -> Sequence[Mapping[str, Any]]:
        """Entities with their names, or the senses of names."""
        from hopyard.indexes.kinds.entity_graph.read.lookup import entity_rows, sense_rows
        from hopyard.indexes.kinds.entity_graph.stats import EntityStats

        if only:
            return sense_rows(EntityStats.load(index.kind_directory(self.name)), pattern)
        return entity_rows(index.reader(self.name), pattern)

    def look_up(
        self,
        reader: EntityGraph,
        name: str,
        read: Callable[[Sequence[str]], Sequence[Passage]],
        limit: int,
        choice: int = 0,
    ) -> Sequence[Neighbourhood]:
        """The neighbourhood of each entity that a name means."""
        from hopyard.indexes.kinds.entity_graph.read.lookup import find_entities, several
        from hopyard.indexes.kinds.entity_graph.read.neighbourhood import neighbourhood

        found = find_entities(reader, name)
        if choice > len(found):
            raise several(name, len(found))
        found = found[choice - 1 : choice] or found
        length = limit if len(found) == 1 else min(limit, 3)
        return [neighbourhood(reader, entity.row, read, length) for entity in found]

    def derived(
        self, directory: Path, passage_ids: Sequence[str]
    ) -> Mapping[str, Mapping[str, Any]]:
        """Each passage's entities and facts."""
        graph = self.open(directory)
        return {
            name: {"entities": graph.labels_in(name), "facts": graph.facts_in(name)}
            for name in passage_ids
        }

    def unfinished(self, directory: Path) -> str:
        """How many passages the model was not asked about yet."""
        from hopyard.indexes.kinds.entity_graph.stats import EntityStats

        count = EntityStats.load(directory).unread
        return f"{counted(count, 'passage')} without names yet" if count else ""


KIND: Final = EntityGraphKind()
