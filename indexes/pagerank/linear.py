"""LinearRAG: names of the question activate names of near sentences, then PageRank.

"LinearRAG: Linear Graph Retrieval-Augmented Generation on Large-scale Corpora", ICLR 2026
(arXiv:2510.10114), with the values of its code. No model call.
"""

from __future__ import annotations

import asyncio
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.weights import shares
from hopyard.indexes.pagerank.activation import activate, passage_reset
from hopyard.indexes.pagerank.hipporag import linked_or_nearest
from hopyard.indexes.pagerank.query import Query, Ranking, Seeds, nothing
from hopyard.indexes.pagerank.statements import sentence_cosines

__all__ = ("rank",)

DAMPING: Final = 0.5
ROUNDS: Final = 2
"""Rounds of activation (max_iterations 3 in the code gives two)."""
THRESHOLD: Final = 0.4
SENTENCES: Final = 3
"""Sentences that an entity takes in a round."""
PASSAGE_WEIGHT: Final = 2.0
"""λ: the weight of the cosine of question and passage."""


async def rank(query: Query) -> Ranking:
    """Rank passages by their own PageRank."""
    seeds = await linked_or_nearest(query, query.named().values())
    if not seeds:
        return nothing("the question names no entity of the graph")
    return await asyncio.to_thread(_walk, query, seeds, await query.nearest())


def _walk(query: Query, seeds: Seeds, near: NDArray[np.float64]) -> Ranking:
    graph = query.graph
    weights, levels = activate(
        seeds,
        graph.sentences_of,
        graph.entities_of_sentence,
        lambda rows: sentence_cosines(query, rows),
        rounds=ROUNDS,
        threshold=THRESHOLD,
        top_k=SENTENCES,
    )
    passages = passage_reset(near, weights, levels, graph.counts, PASSAGE_WEIGHT)
    walk = query.walk("shares", shares)
    reset = np.concatenate((weights, passages))
    found = walk.pagerank(reset, query.settings.damping or DAMPING)
    return Ranking(found[graph.entities :], found[: graph.entities], seeds)
