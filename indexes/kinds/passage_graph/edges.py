"""From matches to the directed edges of the passage graph.

Second half of HopRAG's edge merging (Liu et al., section 3.2). A matched out-coming question of
passage s and in-coming question of passage t become the edge s -> t. It carries the in-coming
question, its embedding, and the union of both keyword sets. At most O(n log n) edges are kept.

The cap depends on the number of vertices, so the edges that survive it change when passages come
or go. Keep the matches, and derive the edges from them each time: it is a sort.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.passage_graph.matching import Matches
from hopyard.indexes.kinds.passage_graph.questions import Questions


@dataclass(frozen=True, eq=False)
class Edges:
    """Directed edges tail -> head; row i of each field is edge i."""

    tail: NDArray[np.int64]
    """[m] The passage that an edge leaves: it raised the out-coming question."""
    head: NDArray[np.int64]
    """[m] The passage that it reaches: it answers the in-coming question. Never the tail."""
    incoming: NDArray[np.int64]
    """[m] Id of the in-coming question; its text and its vector are the edge's."""
    outcoming: NDArray[np.int64]
    """[m] Id of the out-coming question that matched it, for the union of the keywords."""
    similarity: NDArray[np.float64]
    """[m] SIM of the two questions, in [-0.5, 1]."""

    def __len__(self) -> int:
        return len(self.tail)

    def take(self, rows: NDArray[np.int64]) -> Edges:
        """The edges of some rows, in the order given."""
        return Edges(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})


def edge_limit(vertices: int, factor: float = 1.0) -> int:
    """The most edges that a graph may have: floor(factor · n · log2 n), and 0 for n < 2.

    Args:
        vertices: n, how many passages the graph has, with or without edges.
        factor: The c of c · n · log2 n.

    Raises:
        ValueError: `vertices` is negative, or `factor` is not a positive number.
    """
    if vertices < 0 or not (math.isfinite(factor) and factor > 0):
        message = f"A graph of {vertices} vertices with factor {factor} has no edge limit."
        raise ValueError(message)
    return math.floor(factor * vertices * math.log2(vertices)) if vertices else 0


def edges_of(outcoming: Questions, incoming: Questions, matches: Matches) -> Edges:
    """One edge for each out-coming question that has a match.

    Args:
        outcoming: The out-coming questions that were matched.
        incoming: In-coming questions, at least all those that `matches` names.
        matches: One match for each of `outcoming`.

    Raises:
        ValueError: `matches` does not fit `outcoming`, or names a question not in `incoming`.
    """
    if len(matches) != len(outcoming):
        message = f"{len(matches)} matches do not fit {len(outcoming)} out-coming questions."
        raise ValueError(message)
    rows = np.flatnonzero(matches.incoming >= 0)
    wanted = matches.incoming[rows]
    order = np.argsort(incoming.ids)
    place = np.searchsorted(incoming.ids, wanted, sorter=order)
    known = place < len(order)
    known[known] = incoming.ids[order[place[known]]] == wanted[known]
    if not known.all():
        message = f"Question {int(wanted[~known][0])} is matched but not among the in-coming ones."
        raise ValueError(message)
    return Edges(
        tail=outcoming.owners[rows],
        head=incoming.owners[order[place]],
        incoming=wanted,
        outcoming=outcoming.ids[rows],
        similarity=matches.similarity[rows],
    )


def merge_duplicates(edges: Edges) -> Edges:
    """Keep for each tail and in-coming question the edge with the largest SIM.

    Several out-coming questions of a passage may match the same in-coming question. The best pair
    gives the edge its keywords, as the paper defines them for a pair; among equals it is the
    out-coming question with the lowest id.

    Returns:
        Edges sorted by tail, then in-coming question.
    """
    order = np.lexsort((edges.outcoming, -edges.similarity, edges.incoming, edges.tail))
    tail, incoming = edges.tail[order], edges.incoming[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (np.diff(tail) != 0) | (np.diff(incoming) != 0)
    return edges.take(order[first])


def cap_edges(edges: Edges, limit: int) -> Edges:
    """The `limit` edges with the largest SIM, but of each tail at least its best edge.

    Where there are more tails than `limit` allows edges, each keeps its one and no more: a vertex
    without an exit would end every walk that reaches it.

    Args:
        edges: Edges without duplicates.

    Returns:
        Edges sorted by tail, and for each tail from the best to the worst; among equal SIM the
        lower in-coming question comes first.
    """
    by_tail = edges.take(np.lexsort((edges.incoming, -edges.similarity, edges.tail)))
    best_of_tail = np.ones(len(by_tail), dtype=np.bool_)
    best_of_tail[1:] = np.diff(by_tail.tail) != 0
    by_rank = np.lexsort((by_tail.incoming, by_tail.tail, -by_tail.similarity, ~best_of_tail))
    kept = max(limit, int(np.count_nonzero(best_of_tail)))
    return by_tail.take(np.sort(by_rank[:kept]))


def build_edges(
    outcoming: Questions,
    incoming: Questions,
    matches: Matches,
    *,
    vertices: int,
    factor: float = 1.0,
) -> Edges:
    """The edges of the graph: matched, merged, and capped at floor(factor · n · log2 n).

    Args:
        matches: The result of `best_matches` for these.
        vertices: n, how many passages the graph has.
        factor: The c of the cap; the paper leaves it open, and its graphs have 5.87 edges a vertex.

    Returns:
        Edges sorted by tail, and for each tail from the best to the worst.
    """
    merged = merge_duplicates(edges_of(outcoming, incoming, matches))
    return cap_edges(merged, edge_limit(vertices, factor))


def edge_keywords(
    edges: Edges,
    outcoming: Mapping[int, AbstractSet[str]],
    incoming: Mapping[int, AbstractSet[str]],
) -> list[frozenset[str]]:
    """The keywords of each edge: those of its in-coming and of its out-coming question.

    Args:
        edges: m edges.
        outcoming: Keywords by out-coming question id.
        incoming: Keywords by in-coming question id.
    """
    pairs = zip(edges.outcoming.tolist(), edges.incoming.tolist(), strict=True)
    return [frozenset(outcoming[out] | incoming[into]) for out, into in pairs]
