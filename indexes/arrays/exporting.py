"""A graph as a file for other programs: GraphML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hopyard.state.storage.atomic import replacing

Value = str | int | float | Sequence[str]
"""A value of a node or edge. Several texts are written as one, with semicolons."""

_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, not even escaped."""


class Node(NamedTuple):
    """A node: its id, and its values by name."""

    id: str
    values: Mapping[str, Value]


class Link(NamedTuple):
    """An edge: the ids of its nodes, and its values by name."""

    start: str
    end: str
    values: Mapping[str, Value]


@dataclass(frozen=True)
class Export:
    """A graph for other programs. The nodes and edges are read once.

    Attributes:
        nodes: Every node, each once.
        links: Every edge.
        counts: The numbers of its parts by noun, such as `{"edge": 12}`.
    """

    nodes: Iterable[Node]
    links: Iterable[Link]
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


def _attributes(values: Mapping[str, Value]) -> dict[str, str | int | float]:
    return {
        name: value if isinstance(value, int | float) else _xml(_joined(value))
        for name, value in values.items()
    }


def _joined(value: str | Sequence[str]) -> str:
    """Several texts as one; none of them may hold the sign that separates them."""
    if isinstance(value, str):
        return value
    return ";".join(text.replace(";", ",") for text in value)


def _xml(text: str) -> str:
    return _NOT_XML.sub("", text)
