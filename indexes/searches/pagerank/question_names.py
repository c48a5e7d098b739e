"""The entities that a question names, by the very name or by the nearest one.

HippoRAG (Gutiérrez et al., NeurIPS 2024, section 2.3) and LinearRAG (Zhuang et al., ICLR 2026) link
each name of a question to the entity whose name has the highest cosine. Here a name that the graph
knows is that entity, with cosine 1.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

import numpy as np

from hopyard.indexes.searches.pagerank.query import Query, Seeds
from hopyard.indexes.text.keywords import normalise_keyword

__all__ = ("LEAST", "linked_or_nearest", "named_entities")

LEAST: Final = 0.8
"""Least cosine of a question's name and the nearest name of the graph: below it another thing is
meant. LinearRAG and HippoRAG have none."""


async def named_entities(query: Query) -> Seeds:
    """The entities of all names of the question, each with its name's cosine, in (0, 1].

    A name that the graph does not know stands for the nearest one, from the cosine `LEAST` on.
    """
    names = await asyncio.to_thread(query.names)
    known = {link.entity: 1.0 for link in names.links}
    return await linked_or_nearest(query, names.unknown, LEAST) | known


async def linked_or_nearest(query: Query, names: Iterable[str], least: float = 0.0) -> Seeds:
    """The entities of some names, each with its cosine: 1 where the graph has the very name.

    Any other name stands for the entity of the nearest name, if the graph has vectors.

    Args:
        query: The question over a graph.
        names: The names.
        least: A nearest name counts from this cosine on, and only if it is above 0.
    """
    found: Seeds = {}
    vectors = query.graph.files.name_vectors
    for name in names:
        entities, cosine = query.graph.entities_of(normalise_keyword(name)), 1.0
        if not entities and len(vectors):
            vector = await query.search.embed(name)
            cosines = await asyncio.to_thread(np.matmul, vectors, vector)
            row = int(cosines.argmax())
            entities = query.graph.files.name_entities[row].tolist()
            cosine = float(cosines[row])
        if cosine >= least and cosine > 0:
            for entity in entities:
                found[entity] = max(cosine, found.get(entity, 0.0))
    return found
