"""HippoRAG: a walk from the question's names over facts and synonyms.

Gutiérrez et al., "HippoRAG: Neurobiologically Inspired Long-Term Memory for Large Language Models",
NeurIPS 2024, section 2.3: PageRank with damping 0.5 begins at the entities of the question, each
weighted by its node specificity 1 / |passages with it|. A passage scores the sum of its entities'
PageRank.
"""

from __future__ import annotations

import asyncio
from typing import Final

import numpy as np

from hopyard.indexes.kinds.entity_graph.graph.weights import facts_only
from hopyard.indexes.searches.pagerank.query import (
    Query,
    Ranking,
    Seeds,
    linked_or_nearest,
    named_entities,
    nothing,
)
from hopyard.prompts.pagerank import QUESTION_NAMES
from hopyard.prompts.passages import one_line

DAMPING: Final = 0.5


async def rank(query: Query) -> Ranking:
    """Rank passages by the PageRank of their entities."""
    found = await _named(query)
    if not found:
        return nothing("the question names no entity of the graph")
    return await asyncio.to_thread(_walk, query, found)


def _walk(query: Query, found: Seeds) -> Ranking:
    graph = query.graph
    seeds = {entity: 1 / max(int(graph.passages_with[entity]), 1) for entity in found}
    reset = np.zeros(graph.entities)
    reset[list(seeds)] = list(seeds.values())
    walk = query.walk("facts", facts_only)
    entities = walk.pagerank(reset, DAMPING)
    return Ranking(graph.entities_in @ entities, entities, seeds)


async def _named(query: Query) -> Seeds:
    """The entities of the question's names, which the chat model finds if it is to be asked."""
    search = query.search
    if query.settings.ask_model:
        output = await search.try_call(QUESTION_NAMES, {"question": one_line(search.text)})
        if output is not None:
            return await linked_or_nearest(query, output.names)
    return await named_entities(query)
