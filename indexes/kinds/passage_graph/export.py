"""The passage graph for other programs.

The paper keeps its graph in Neo4j, so there its users look for it. Every passage is a node, and
every edge has its direction and the in-coming question that it carries.
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
            Node(passage.id, "Passage", {"title": passage.title, "text": passage.text})
            for passage in passages
        ),
        links=(
            Link(
                edge.tail,
                edge.head,
                "ANSWERED_BY",
                {
                    "question": edge.question,
                    "keywords": sorted(edge.keywords),
                    "similarity": edge.similarity,
                },
            )
            for edge in graph
        ),
        id_column="passageId",
        node_columns=("title", "text"),
        link_columns=("question", "keywords:string[]", "similarity:double"),
        counts={"edge": len(graph)},
    )
