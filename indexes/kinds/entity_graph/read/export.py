"""The entity graph for other programs.

Entities and passages are nodes. An entity is joined to the passages that name it; a fact joins its
subject to its object, and synonyms join two entities without a direction. Types, descriptions,
strengths and communities are there if the index has any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from hopyard.indexes.arrays.exporting import Export, Link, Node, Value
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph, join_descriptions


def export_of(
    graph: EntityGraph, passages: Iterable[Passage], communities: Sequence[Sequence[str]] = ()
) -> Export:
    """The graph with the titles of its passages.

    Nodes have the ids `entity:NUMBER` and `passage:ID`. Another generation of the index numbers its
    entities again.

    Args:
        communities: The ids of each entity's communities, from the root to the leaf, by its row;
            empty for an index without communities. Below its leaf an entity keeps the leaf's id.
    """
    levels = max(map(len, communities), default=0)
    own = (
        Node(f"passage:{passage.id}", {"kind": "passage", "label": passage.title})
        for passage in passages
    )
    return Export(
        nodes=chain(_entities(graph, communities, levels), own),
        links=chain(_mentions(graph), _facts(graph), _synonyms(graph)),
        counts={
            "entity": graph.entities,
            "mention": graph.counts.nnz,
            "fact": len(graph.files.facts),
            "synonym": len(graph.files.synonyms),
        },
    )


def _entities(
    graph: EntityGraph, communities: Sequence[Sequence[str]], levels: int
) -> Iterator[Node]:
    for entity, passages in enumerate(graph.passages_with.tolist()):
        values: dict[str, Value] = {
            "kind": "entity",
            "label": graph.label(entity),
            "names": graph.names_of(entity),
            "passages": passages,
        }
        if descriptions := graph.descriptions(entity):
            values["type"] = graph.type_of(entity)
            values["description"] = join_descriptions(descriptions)
        for level in range(levels):
            path = communities[entity]
            values[f"community_{level}"] = path[min(level, len(path) - 1)]
        yield Node(f"entity:{entity}", values)


def _mentions(graph: EntityGraph) -> Iterator[Link]:
    counts = graph.counts.tocoo()
    order = np.lexsort((counts.col, counts.row))
    parts = (counts.row[order], counts.col[order], counts.data[order])
    for entity, passage, count in zip(*(part.tolist() for part in parts), strict=True):
        ends = f"entity:{entity}", f"passage:{graph.passage_ids[passage]}"
        yield Link(*ends, {"kind": "mention", "count": int(count)})


def _facts(graph: EntityGraph) -> Iterator[Link]:
    has_strengths = len(graph.files.fact_strengths) > 0
    for row, (subject, relation, object_, passage, _) in enumerate(graph.files.facts.tolist()):
        values: dict[str, Value] = {
            "kind": "fact",
            "relation": graph.files.relations.text(relation),
            "passage": graph.passage_ids[passage],
        }
        if has_strengths:
            values["description"] = graph.fact_description(row)
            values["strength"] = float(graph.fact_strengths[row])
        yield Link(f"entity:{subject}", f"entity:{object_}", values)


def _synonyms(graph: EntityGraph) -> Iterator[Link]:
    for first, second, cosine in graph.files.synonyms.tolist():
        values = {"kind": "synonym", "cosine": round(cosine, 4)}
        yield Link(f"entity:{first}", f"entity:{second}", values)
