"""How strongly pairs of entities belong together: the weights of the graph that is clustered.

GraphRAG weighs a pair by the facts about it. On two corpora whose names the rules found, three
things made communities that a reader can name. Entities of one passage are joined too, because
more than half of all names share no sentence with another. Each sentence and passage has one unit
to share among its entities, so that a list of names does not outweigh a statement about two. And
frequent names and dates count less, because names such as `Google` and `2022` join everything near
them.

Sources: Edge et al. (GraphRAG), section 3.1.4; Newman, "Scientific collaboration networks. II",
equation 2.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.text.names import is_date

_DATE: Final = 0.1
"""The factor of a date or number, which joins passages that have nothing else in common."""


def pair_weights(graph: EntityGraph) -> sparse.csr_array:
    """[e, e] The weight of each pair of entities; symmetric, with an empty diagonal.

    The strengths of the facts about a pair, summed up, or without facts the number of sentences
    that they share, as in GraphRAG; and the passages that a pair shares, so that every name has
    neighbours. The sum is multiplied by ln(1 + P / df) of both, where df of the P passages name the
    entity.
    """
    ties = _facts(graph) if len(graph.files.facts) else shared(graph.sentences_of)
    scale = sparse.diags_array(_rarity(graph))
    pairs = sparse.csr_array(scale @ (ties + shared(graph.counts)) @ scale)
    # The factors of a pair may be multiplied in either order; the graph must be symmetric exactly.
    return sparse.csr_array((pairs + pairs.T) / 2)


def shared(inside: sparse.csr_array) -> sparse.csr_array:
    """[e, e] For each pair of entities, the sum of 1 / (n - 1) over the units that hold both.

    n is the number of entities in the unit. A unit thus adds 1 to the degree of each of them,
    unless it has a single entity.

    Args:
        inside: [e, u] Positive where an entity is in a unit: a sentence, a passage.
    """
    holds = sparse.csr_array(inside.sign())
    sizes = holds.sum(axis=0)
    split = sparse.diags_array(np.divide(1, sizes - 1, where=sizes > 1, out=np.zeros(len(sizes))))
    pairs = sparse.csr_array(holds @ split @ holds.T)
    return sparse.csr_array(pairs - sparse.diags_array(pairs.diagonal()))


def best_connected(
    weights: sparse.csr_array, partition: NDArray[np.int64], limit: int
) -> dict[int, list[int]]:
    """The entities of each community with the largest degrees inside it, the largest first.

    Args:
        weights: [e, e] The weights of pairs.
        partition: [e] The row of each entity's community.
        limit: Entities of a community at most, at least 1.

    Returns:
        Entities by the row of their community.
    """
    edges = weights.tocoo()
    inside = partition[edges.row] == partition[edges.col]
    degrees = np.bincount(edges.row[inside], edges.data[inside], minlength=len(partition))
    order = np.lexsort((np.arange(len(partition)), -degrees.round(9), partition))
    rows, starts = np.unique(partition[order], return_index=True)
    ends = np.minimum(np.append(starts[1:], len(order)), starts + limit)
    places = zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True)
    return {row: order[start:end].tolist() for row, start, end in places}


def _facts(graph: EntityGraph) -> sparse.csr_array:
    """[e, e] The strengths of the facts about each pair, in units of the mean strength."""
    facts, strengths = graph.files.facts, graph.fact_strengths.astype(np.float64)
    apart = facts["subject"] != facts["object"]
    ends = facts["subject"][apart], facts["object"][apart]
    values = strengths[apart] / max(float(strengths.mean()), 1e-9)
    half = sparse.csr_array((values, ends), shape=(graph.entities, graph.entities))
    return sparse.csr_array(half + half.T)


def _rarity(graph: EntityGraph) -> NDArray[np.float64]:
    """[e] The factor of each entity."""
    passages = np.maximum(graph.passages_with, 1)
    factor: NDArray[np.float64] = np.log1p(len(graph.passage_ids) / passages)
    factor[[is_date(graph.label(row)) for row in range(graph.entities)]] *= _DATE
    return factor
