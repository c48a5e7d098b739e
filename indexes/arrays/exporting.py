"""A graph as files for other programs: GraphML, and the CSV files that `neo4j-admin` imports."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hopyard.prompts.passages import one_line
from hopyard.state.storage.atomic import replacing

NEO4J_FILES: Final = ("nodes.csv", "relationships.csv")

Value = str | int | float | Sequence[str]
"""A value of a node or edge. Both formats write several texts as one, with semicolons."""

_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, not even escaped."""


class Node(NamedTuple):
    """A node: its id, Neo4j's label for it, and its values by column."""

    id: str
    label: str
    values: Mapping[str, Value]


class Link(NamedTuple):
    """An edge: the ids of its nodes, Neo4j's type for it, and its values by column."""

    start: str
    end: str
    type: str
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Export:
    """A graph for other programs. The nodes and edges are read once.

    Attributes:
        nodes: Every node, each once.
        links: Every edge.
        id_column: Neo4j's name for the ids of nodes.
        node_columns: Neo4j's columns for the values of nodes, as in `passages:int`.
        link_columns: The same for edges.
        counts: The numbers of its parts by noun, such as `{"edge": 12}`.
    """

    nodes: Iterable[Node]
    links: Iterable[Link]
    id_column: str
    node_columns: Sequence[str]
    link_columns: Sequence[str]
    counts: Mapping[str, int]


def write_graphml(export: Export, file: Path) -> None:
    """Write a graph as GraphML. It is a multigraph: several edges may join two nodes.

    Args:
        file: Written whole or not at all.

    Raises:
        UsageError: The file cannot be written.
    """
    import networkx

    whole = networkx.MultiDiGraph()
    for node in export.nodes:
        whole.add_node(_xml(node.id), **_attributes(node.values))
    for number, link in enumerate(export.links):
        ends = _xml(link.start), _xml(link.end)
        whole.add_edge(*ends, key=number, **_attributes(link.values))
    with replacing(file) as temporary:
        networkx.write_graphml(whole, temporary)


def write_neo4j(export: Export, directory: Path) -> None:
    """Write `nodes.csv` and `relationships.csv` for `neo4j-admin database import full`.

    Args:
        directory: Made if need be; each file is written whole or not at all.

    Raises:
        UsageError: A file cannot be written.
    """
    nodes, relationships = (directory / name for name in NEO4J_FILES)
    _write_csv(
        nodes,
        (f"{export.id_column}:ID", *export.node_columns, ":LABEL"),
        ((node.id, *_cells(node.values, export.node_columns), node.label) for node in export.nodes),
    )
    _write_csv(
        relationships,
        (":START_ID", ":END_ID", *export.link_columns, ":TYPE"),
        (
            (link.start, link.end, *_cells(link.values, export.link_columns), link.type)
            for link in export.links
        ),
    )


def _attributes(values: Mapping[str, Value]) -> dict[str, str | int | float]:
    return {
        name: value if isinstance(value, int | float) else _xml(_joined(value))
        for name, value in values.items()
    }


def _cells(values: Mapping[str, Value], columns: Iterable[str]) -> Iterator[str]:
    for column in columns:
        value = values.get(column.partition(":")[0], "")
        yield repr(value) if isinstance(value, int | float) else one_line(_joined(value))


def _joined(value: str | Sequence[str]) -> str:
    """Several texts as one; none of them may hold the sign that separates them."""
    if isinstance(value, str):
        return value
    return ";".join(text.replace(";", ",") for text in value)


def _write_csv(file: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with replacing(file) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(header)
        writer.writerows(rows)


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)
