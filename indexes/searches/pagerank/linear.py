"""LinearRAG: names of the question activate names of near sentences, then PageRank.

"LinearRAG: Linear Graph Retrieval-Augmented Generation on Large-scale Corpora", ICLR 2026
(arXiv:2510.10114), with the values of its code. No model call. Unlike in the paper, a name that the
graph knows is that entity, and another name needs a cosine of 0.8 to its nearest. The reset counts
only the nearest passages and BM25's best.
"""

from __future__ import annotations

import asyncio
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.entity_graph.graph.weights import shares
from hopyard.indexes.searches.pagerank.activation import activate, passage_reset
from hopyard.indexes.searches.pagerank.query import (
    Query,
    Ranking,
    Seeds,
    named_entities,
    nothing,
    with_words,
)
from hopyard.indexes.searches.pagerank.statements import sentence_cosines

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
    seeds = await named_entities(query)
    if not seeds:
        return nothing("the question names no entity of the graph")
    near = with_words(await query.nearest(), await query.by_words())
    return await asyncio.to_thread(_walk, query, seeds, near)


def _walk(query: Query, seeds: Seeds, near: NDArray[np.float64]) -> Ranking:
    graph = query.graph
    active = activate(
        seeds,
        _rows(graph.sentences_of),
        _rows(graph.entities_of_sentence),
        lambda rows: sentence_cosines(query, rows),
        rounds=ROUNDS,
        threshold=THRESHOLD,
        top_k=SENTENCES,
    )
    entities = np.zeros(graph.entities)
    entities[active.entities] = active.weights
    passages = passage_reset(near, active, graph.counts, ratio=PASSAGE_WEIGHT)
    walk = query.walk("shares", shares)
    found = walk.pagerank(np.concatenate((entities, passages)), DAMPING)
    return Ranking(found[graph.entities :], found[: graph.entities], seeds)


def _rows(matrix: csr_array) -> Ragged:
    """The columns of each row."""
    return Ragged(matrix.indices, matrix.indptr)
