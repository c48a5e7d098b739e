"""The passage graph for other programs: GraphML, and the CSV files that `neo4j-admin` imports.

The paper keeps its graph in Neo4j, so there its users look for it. Both forms hold every passage
as a node and every edge in its direction, with the in-coming question that it carries.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import networkx

from hopyard.indexes.kinds.passage_graph.graph import Edge, GraphIndex
from hopyard.indexes.records import Passage
from hopyard.prompts.passages import one_line
from hopyard.state.atomic import replacing

__all__ = ("NEO4J_FILES", "export_graphml", "export_neo4j")

NEO4J_FILES: Final = ("nodes.csv", "relationships.csv")

_NODE_HEADER: Final = ("passageId:ID", "title", "text", ":LABEL")
_EDGE_HEADER: Final = (
    ":START_ID",
    ":END_ID",
    "question",
    "keywords:string[]",
    "similarity:double",
    ":TYPE",
)
_LABEL: Final = "Passage"
_TYPE: Final = "ANSWERED_BY"

_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, not even escaped."""


def export_graphml(graph: GraphIndex, passages: Iterable[Passage], file: Path) -> None:
    """Write the graph as GraphML.

    Two passages may be joined by several edges, one a question, so it is a multigraph; an edge's
    keywords are one text, separated by semicolons.

    Args:
        graph: The edges.
        passages: All passages.
        file: Written whole or not at all.

    Raises:
        UsageError: The file cannot be written.
    """
    whole = networkx.MultiDiGraph()
    for passage in passages:
        whole.add_node(_xml(passage.id), title=_xml(passage.title), text=_xml(passage.text))
    for edge in graph:
        whole.add_edge(
            _xml(edge.tail),
            _xml(edge.head),
            key=edge.id,
            question=_xml(edge.question),
            keywords=_xml(";".join(_keywords(edge))),
            similarity=edge.similarity,
        )
    with replacing(file) as temporary:
        networkx.write_graphml(whole, temporary)


def export_neo4j(graph: GraphIndex, passages: Iterable[Passage], directory: Path) -> None:
    """Write `nodes.csv` and `relationships.csv` for `neo4j-admin database import full`.

    Args:
        graph: The edges.
        passages: All passages.
        directory: Made if need be; each file is written whole or not at all.

    Raises:
        UsageError: A file cannot be written.
    """
    nodes, relationships = (directory / name for name in NEO4J_FILES)
    _write_csv(
        nodes,
        _NODE_HEADER,
        (
            (passage.id, one_line(passage.title), one_line(passage.text), _LABEL)
            for passage in passages
        ),
    )
    _write_csv(
        relationships,
        _EDGE_HEADER,
        (
            (
                edge.tail,
                edge.head,
                one_line(edge.question),
                ";".join(_keywords(edge)),
                repr(edge.similarity),
                _TYPE,
            )
            for edge in graph
        ),
    )


def _write_csv(file: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with replacing(file) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)


def _keywords(edge: Edge) -> list[str]:
    """The keywords of an edge, none of which holds the sign that separates them."""
    return sorted(keyword.replace(";", ",") for keyword in edge.keywords)


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)
