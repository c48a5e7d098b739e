"""The weighted graphs that the walks of different papers go over, made of one entity graph.

Each is a symmetric matrix; entities come first, then passages.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph

_FACT: Final = 3.0
"""The weight of a fact beside a passage's entities, whose weights lie between 0.7 and some 9."""


def rarity(graph: EntityGraph) -> sparse.csr_array:
    """Entities and passages [e + p]²; an edge between them weighs ln(1 + P / df(entity)).

    The weight is the inverse document frequency of BM25 without its half counts: a name in few
    passages says more about them. Facts weigh 3, where the graph has them. Synonyms are left out:
    with them recall@5 on `train` is 0.7 higher on HotpotQA and 0.7 lower on MuSiQue.
    """
    df = np.maximum(graph.passages_with, 1)
    inverse = np.log1p(len(graph.passage_ids) / df)
    inside = sparse.csr_array(graph.counts.sign().multiply(inverse[:, np.newaxis]))
    return _with_passages(_FACT * _facts(graph), inside)


def shares(graph: EntityGraph) -> sparse.csr_array:
    """Entities and passages [e + p]²: an entity's share of all mentions of a passage (LinearRAG).

    The weights of a passage's edges add up to 1.
    """
    counts = graph.counts
    totals = np.maximum(counts.sum(axis=0), 1.0)
    return _with_passages(None, sparse.csr_array(counts.multiply(1 / totals)))


def facts_only(graph: EntityGraph) -> sparse.csr_array:
    """Entities [e]²: 1 for each fact, and synonyms by their cosine (HippoRAG)."""
    return sparse.csr_array(together(graph) + _synonyms(graph))


def facts_and_passages(graph: EntityGraph) -> sparse.csr_array:
    """Entities and passages [e + p]² (HippoRAG 2, its code).

    2 for each fact, 2·cosine for synonyms instead of what facts gave, 1 for a passage's entities.
    """
    facts, synonyms = 2 * together(graph), 2 * _synonyms(graph)
    facts = facts - facts.multiply(synonyms.sign())
    inside = graph.counts.sign()
    return _with_passages(facts + synonyms, inside)


def together(graph: EntityGraph) -> sparse.csr_array:
    """Entities [e]²: the number of facts about each pair.

    Without facts, entities of one sentence are taken to have one, which costs no model call.
    """
    if len(graph.files.facts):
        return _facts(graph)
    inside = graph.sentences_of.sign()
    pairs = sparse.csr_array(inside @ inside.T)
    return sparse.csr_array(pairs - sparse.diags_array(pairs.diagonal()))


def _facts(graph: EntityGraph) -> sparse.csr_array:
    facts = graph.files.facts
    return _symmetric(facts["subject"], facts["object"], np.ones(len(facts)), graph.entities)


def _synonyms(graph: EntityGraph) -> sparse.csr_array:
    pairs = graph.files.synonyms
    return _symmetric(pairs["first"], pairs["second"], pairs["cosine"], graph.entities)


def _symmetric(
    first: NDArray[Any], second: NDArray[Any], values: NDArray[Any], size: int
) -> sparse.csr_array:
    """The sum of all pairs in both directions, without loops."""
    apart = first != second
    half = sparse.csr_array((values[apart], (first[apart], second[apart])), shape=(size, size))
    return sparse.csr_array(half + half.T)


def _with_passages(entities: sparse.csr_array | None, inside: sparse.csr_array) -> sparse.csr_array:
    """Join entities [e]² and passages by the edges `inside` [e, p]."""
    return sparse.csr_array(sparse.block_array([[entities, inside], [inside.T, None]]))
