"""HippoRAG: a walk from the question's names over facts and synonyms.

Gutiérrez et al., "HippoRAG: Neurobiologically Inspired Long-Term Memory for Large Language Models",
NeurIPS 2024, section 2.3: PageRank with damping 0.5 begins at the entities of the question, each
weighted by its node specificity 1 / |passages with it|. A passage scores the sum of its entities'
PageRank.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

import numpy as np

from hopyard.indexes.keywords import normalise_keyword
from hopyard.indexes.kinds.entity_graph.weights import facts_only
from hopyard.indexes.names import names_in
from hopyard.indexes.pagerank.query import Query, Ranking, Seeds, nothing
from hopyard.prompts.pagerank import QUESTION_NAMES
from hopyard.prompts.passages import one_line
from hopyard.state.errors import BudgetExceededError, ModelOutputError

__all__ = ("linked_or_nearest", "rank")

DAMPING: Final = 0.5


async def rank(query: Query) -> Ranking:
    """Rank passages by the PageRank of their entities."""
    found = await linked_or_nearest(query, await _names(query))
    if not found:
        return nothing("the question names no entity of the graph")
    return await asyncio.to_thread(_walk, query, found)


def _walk(query: Query, found: Seeds) -> Ranking:
    graph = query.graph
    seeds = {entity: 1 / max(int(graph.passages_with[entity]), 1) for entity in found}
    reset = np.zeros(graph.entities)
    reset[list(seeds)] = list(seeds.values())
    walk = query.walk("facts", facts_only)
    entities = walk.pagerank(reset, query.settings.damping or DAMPING)
    return Ranking(graph.entities_in @ entities, entities, seeds)


async def _names(query: Query) -> list[str]:
    """The names of the question, found by the chat model if it is to be asked, else by rules."""
    search = query.search
    if query.settings.ask_model and search.call is not None:
        try:
            output = await search.call(QUESTION_NAMES, {"question": one_line(search.text)})
        except (ModelOutputError, BudgetExceededError) as error:
            search.report(error)
        else:
            return output.names
    known = await asyncio.to_thread(query.named)
    return list(known.values()) or [name.text for name in names_in(search.text)]


async def linked_or_nearest(query: Query, names: Iterable[str]) -> Seeds:
    """The entities of some names, each with its cosine: 1 where the graph has the very name.

    Any other name stands for the entity of the nearest name, if the graph has vectors.
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
        for entity in entities:
            found[entity] = max(cosine, found.get(entity, 0.0))
    return {entity: cosine for entity, cosine in found.items() if cosine > 0}
