"""HopRAG's passage graph: passages as vertices, questions as directed edges.

`writing` asks the model for the questions of every passage, and `similarity` is the paper's SIM.
`edges` finds for every out-coming question the best in-coming question of another passage, and
turns those matches into the graph. `graph` is what readers open, and `traversal` walks over it.

Source: Liu et al., "HopRAG: Multi-Hop Reasoning for Logic-Aware Retrieval-Augmented Generation",
section 3.2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hopyard.indexes.kind import count_problem
from hopyard.indexes.written.kind import WrittenKind

if TYPE_CHECKING:
    from hopyard.indexes.arrays.exporting import Export
    from hopyard.indexes.corpus.records import Passage
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.passage_graph.graph import GraphIndex


class PassageGraph(WrittenKind):
    """The kind `passage-graph`."""

    name = "passage-graph"
    about = (
        "Questions that lead from passage to passage. The model is asked about every passage. Read "
        "by the strategy hop and by passage-graph search."
    )
    needs_vectors = True  # a walk's end compares passages with the question
    text = "questions"
    worded = ("hopyard.prompts.indexes.passage_graph:QUESTIONS",)
    stats = "hopyard.indexes.kinds.passage_graph.stats:GraphStats"
    builder = "hopyard.indexes.kinds.passage_graph.building"
    reader = "hopyard.indexes.kinds.passage_graph.graph:GraphIndex"

    def readable(self, reader: GraphIndex, index: Index) -> GraphIndex:
        """The edges between passages that a caller may read."""
        return reader.part(index.allowed(()) or frozenset())

    def check(self, reader: GraphIndex, counts: Mapping[str, int]) -> str:
        """See that every passage is in it."""
        return count_problem(len(reader.passage_ids), counts["passages"], "passage")

    def export(self, reader: Callable[[str], Any], passages: Iterable[Passage]) -> Export:
        """Passages are nodes, and each edge has its in-coming question."""
        from hopyard.indexes.kinds.passage_graph.graph import export_of

        return export_of(reader(self.name), passages)

    def derived(
        self, directory: Path, passage_ids: Sequence[str]
    ) -> Mapping[str, Mapping[str, Any]]:
        """Each passage's keywords, and the questions on the edges that leave and reach it."""
        graph = self.open(directory)
        return {
            name: {
                "keywords": sorted(graph.passage_keywords(name)),
                "leads_to": [
                    {"question": edge.question, "passage": edge.head, "similarity": edge.similarity}
                    for edge in graph.out_edges(name)
                ],
                "reached_from": [
                    {"question": edge.question, "passage": edge.tail, "similarity": edge.similarity}
                    for edge in graph.in_edges(name)
                ],
            }
            for name in passage_ids
        }


KIND: Final = PassageGraph()
