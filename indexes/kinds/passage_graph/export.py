"""The passage graph for other programs.

Every passage is a node. Every edge has its direction and the in-coming question that it carries.
"""

from __future__ import annotations

from collections.abc import Iterable

from hopyard.indexes.arrays.exporting import Export, Link, Node
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.passage_graph.graph import GraphIndex


def export_of(graph: GraphIndex, passages: Iterable[Passage]) -> Export:
    """The graph with the texts of its passages."""
    return Export(
        nodes=(
            Node(passage.id, {"title": passage.title, "text": passage.text}) for passage in passages
        ),
        links=(
            Link(
                edge.tail,
                edge.head,
                {
                    "question": edge.question,
                    "keywords": sorted(edge.keywords),
                    "similarity": edge.similarity,
                },
            )
            for edge in graph
        ),
        counts={"edge": len(graph)},
    )
