"""The entity graph for other programs.

Entities and passages are nodes. An entity is joined to the passages that name it; a fact joins its
subject to its object, and synonyms join two entities without a direction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from hopyard.indexes.exporting import Export, Link, Node
from hopyard.indexes.kinds.entity_graph.graph import EntityGraph
from hopyard.indexes.records import Passage

__all__ = ("export_of",)


def export_of(graph: EntityGraph, passages: Iterable[Passage]) -> Export:
    """The graph with the titles of its passages.

    Nodes have the ids `entity:NUMBER` and `passage:ID`. Another generation of the index numbers its
    entities again.

    Args:
        graph: The graph.
        passages: All passages.
    """
    return Export(
        nodes=chain(_entities(graph), map(_passage, passages)),
        links=chain(_mentions(graph), _facts(graph), _synonyms(graph)),
        id_column="nodeId",
        node_columns=("kind", "label", "names:string[]", "passages:int"),
        link_columns=("kind", "count:int", "relation", "passage", "cosine:double"),
    )


def _entities(graph: EntityGraph) -> Iterator[Node]:
    names: list[list[str]] = [[] for _ in range(graph.entities)]
    for row in range(len(graph.files.names)):
        for entity in graph.files.name_entities[row].tolist():
            names[entity].append(graph.files.names.text(row))
    for entity, passages in enumerate(graph.passages_with.tolist()):
        values = {"label": graph.label(entity), "names": names[entity], "passages": passages}
        yield Node(f"entity:{entity}", "Entity", {"kind": "entity", **values})


def _passage(passage: Passage) -> Node:
    return Node(f"passage:{passage.id}", "Passage", {"kind": "passage", "label": passage.title})


def _mentions(graph: EntityGraph) -> Iterator[Link]:
    counts = graph.counts.tocoo()
    order = np.lexsort((counts.col, counts.row))
    parts = (counts.row[order], counts.col[order], counts.data[order])
    for entity, passage, count in zip(*(part.tolist() for part in parts), strict=True):
        ends = f"entity:{entity}", f"passage:{graph.passage_ids[passage]}"
        yield Link(*ends, "MENTIONED_IN", {"kind": "mention", "count": int(count)})


def _facts(graph: EntityGraph) -> Iterator[Link]:
    for subject, relation, object_, passage, _ in graph.files.facts.tolist():
        values = {
            "kind": "fact",
            "relation": graph.files.relations.text(relation),
            "passage": graph.passage_ids[passage],
        }
        yield Link(f"entity:{subject}", f"entity:{object_}", "FACT", values)


def _synonyms(graph: EntityGraph) -> Iterator[Link]:
    for first, second, cosine in graph.files.synonyms.tolist():
        values = {"kind": "synonym", "cosine": round(cosine, 4)}
        yield Link(f"entity:{first}", f"entity:{second}", "SYNONYM", values)
