"""LinearRAG: names of the question activate names of near sentences, then PageRank.

Zhuang et al., "LinearRAG: Linear Graph Retrieval-Augmented Generation on Large-scale Corpora", ICLR
2026 (arXiv:2510.10114), with the values of its code at commit 4ecfa25. No model call. Unlike in the
paper, a name that the graph knows is that entity, and another name needs a cosine of 0.65 to its
nearest. The reset counts only the nearest passages and BM25's best.

An active entity activates
the entities in its sentences: aᵗ = max(Mᵀ(σ ⊙ M aᵗ⁻¹), aᵗ⁻¹), where M says which entity is in which
sentence and σ holds the cosines of question and sentences. Activations below δ are dropped.

Here as in the code: each entity reads only its best unused sentences, and each sentence is used
once. Otherwise the formula grows without bound, because a sentence passes an entity's activation
back to it. Unlike the code, which overwrites an activation and adds up weights, an entity keeps its
highest activation and the round that first reached it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.entity_graph.graph.weights import shares
from hopyard.indexes.searches.pagerank.query import (
    Query,
    Ranking,
    Seeds,
    min_max,
    named_entities,
    nothing,
    with_words,
)
from hopyard.indexes.searches.pagerank.statements import sentence_cosines

if TYPE_CHECKING:
    from scipy.sparse import csr_array

PASSAGE_FACTOR: Final = 0.05
"""The weight of passages against entities in the reset, in HippoRAG 2 and LinearRAG."""

Similarity = Callable[[NDArray[np.int64]], NDArray[np.floating]]
"""Gets rows of sentences [s] and returns their cosines with the question [s]."""


class Activation(NamedTuple):
    """The active entities, by row."""

    entities: NDArray[np.int64]
    """[a] Rows, ascending."""
    weights: NDArray[np.float64]
    """[a] Highest activation of each entity, > 0."""
    levels: NDArray[np.int64]
    """[a] The round that first reached the entity; 1 for an entity of the question."""


def activate(
    seeds: Mapping[int, float],
    sentences_of: Ragged,
    entities_of: Ragged,
    similarity: Similarity,
    *,
    rounds: int,
    threshold: float,
    top_k: int,
) -> Activation:
    """Activate entities from those that the question names.

    In each round, every entity whose activation rose in the last round takes its `top_k` best
    unused sentences. The strongest entity takes first; equal values are taken in the order of rows.

    Args:
        seeds: Cosine of a name in the question and its nearest entity, by the entity's row. A seed
            that is not positive is left out.
        sentences_of: Rows of the sentences that mention each entity.
        entities_of: Rows of the entities in each sentence.
        similarity: Cosines of sentences with the question.
        rounds: Hops between entities, ≥ 0. The code's `max_iterations` − 1.
        threshold: δ. A weaker entity activates no other; a weaker activation is dropped.
        top_k: Sentences that an entity takes in a round.
    """
    weights = {int(row): float(score) for row, score in seeds.items() if score > 0}
    levels = dict.fromkeys(weights, 1)
    used = np.zeros(len(entities_of), bool)
    risen: Iterable[int] = weights
    for level in range(2, rounds + 2):
        strong = {row: weights[row] for row in risen if weights[row] >= threshold}
        reached = _spread(strong, sentences_of, entities_of, similarity, used, top_k)
        higher = {
            row: score
            for row, score in reached.items()
            if score >= threshold and score > weights.get(row, 0)
        }
        if not higher:
            break
        weights |= higher
        levels = dict.fromkeys(higher, level) | levels
        risen = higher
    rows = sorted(weights)
    return Activation(
        np.array(rows, np.int64),
        np.array([weights[row] for row in rows], np.float64),
        np.array([levels[row] for row in rows], np.int64),
    )


def _spread(
    active: Mapping[int, float],
    sentences_of: Ragged,
    entities_of: Ragged,
    similarity: Similarity,
    used: NDArray[np.bool_],
    top_k: int,
) -> dict[int, float]:
    """One round: the highest activation of each entity in a chosen sentence, a·cos.

    Marks the chosen sentences in `used` [s].
    """
    reached: dict[int, float] = {}
    for row, score in sorted(active.items(), key=lambda item: (-item[1], item[0])):
        unused = np.unique(sentences_of[row][~used[sentences_of[row]]])
        if not len(unused):
            continue
        cosines = similarity(unused)
        best = np.argsort(-cosines, kind="stable")[:top_k]
        used[unused[best]] = True
        for sentence, cosine in zip(unused[best], cosines[best].tolist(), strict=True):
            for other in entities_of[sentence].tolist():
                reached[other] = max(reached.get(other, 0.0), score * cosine)
    return reached


def passage_reset(
    cosines: NDArray[np.floating],
    activation: Activation,
    mentions: csr_array,
    *,
    ratio: float,
) -> NDArray[np.float64]:
    """How often the walk restarts at each passage.

    0.05·(λ·minmax(cos(q, p)) + ln(1 + Σ a·ln(1 + n) / level)) over the active entities in the
    passage, LinearRAG's code. All passages take part.

    Args:
        cosines: [p] Cosines of the question and the passages.
        activation: Result of `activate`.
        mentions: [e, p] n, how often a passage mentions an entity.
        ratio: λ, the weight of the cosine against the entities, ≥ 0.

    Returns:
        [p] Values ≥ 0.
    """
    active = mentions[activation.entities].astype(np.float64)
    np.log1p(active.data, out=active.data)
    entity_part = np.log1p(active.T @ (activation.weights / activation.levels))
    reset: NDArray[np.float64] = PASSAGE_FACTOR * (ratio * min_max(cosines) + entity_part)
    return reset


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
