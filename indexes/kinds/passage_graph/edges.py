"""From questions to the directed edges of the passage graph: HopRAG's edge merging.

For every out-coming question of a passage s, the in-coming question of a passage t other than s
with the largest SIM is its match (Liu et al., section 3.2, equation 1). The two become the edge
s -> t. It carries the in-coming question, its embedding, and the union of both keyword sets. At
most O(n log n) edges are kept. That cap depends on the number of vertices, so all edges are derived
from the questions again when passages come or go.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.indexes.kinds.passage_graph.similarity import mean_of, row_cosines

_PAIRS: Final = 4_000_000
"""Pairs of a block (16 MB)."""
_SCORED: Final = 4096
"""Pairs that are scored again at once: 2 x 4,096 x 384 x 8 bytes are 25 MB."""


class Matches(NamedTuple):
    """The best match of each out-coming question."""

    incoming: NDArray[np.int64]
    """[n] Row of the in-coming question, or -1 where no other passage has one."""
    similarity: NDArray[np.float64]
    """[n] SIM in [-0.5, 1], or -inf where `incoming` is -1."""


def best_matches(outcoming: Questions, incoming: Questions) -> Matches:
    """For each out-coming question, the in-coming question of another passage with the largest SIM.

    Among equal SIM the first in-coming question wins. The time grows with the product of both
    numbers. Products of blocks score all pairs in float32. The pairs that may be the best of their
    question are scored again in float64, one by one, so equal questions are ties wherever they are.
    """
    best_rows = np.full(len(outcoming), -1, dtype=np.int64)
    best = np.full(len(outcoming), -np.inf)
    if not len(outcoming) or not len(incoming):
        return Matches(best_rows, best)
    codes = {word: code for code, word in enumerate(sorted(set().union(*incoming.keywords)))}
    words, other_words = _words(outcoming, codes), _words(incoming, codes)
    sizes, other_sizes = (
        np.fromiter(map(len, side.keywords), np.float64, len(side))
        for side in (outcoming, incoming)
    )
    # A float32 dot product is off by at most d roundings; adding the Jaccard takes a few more.
    slack = 2 * (outcoming.vectors.shape[1] + 8) * float(np.finfo(np.float32).eps)
    block = max(1, _PAIRS // len(incoming))
    for start in range(0, len(outcoming), block):
        some = slice(start, start + block)
        sums = outcoming.vectors[some] @ incoming.vectors.T
        shared = sparse.coo_array(words[some] @ other_words.T)
        row, column = shared.coords
        union = sizes[some][row] + other_sizes[column] - shared.data
        sums[row, column] += shared.data / union
        sums[outcoming.owners[some, np.newaxis] == incoming.owners] = -np.inf
        highest = sums.max(axis=1)
        highest[np.isneginf(highest)] = np.inf  # nobody else asks
        rows, columns = np.nonzero(sums >= (highest - slack)[:, np.newaxis])
        rows += start
        for first in range(0, len(rows), _SCORED):
            pair = rows[first : first + _SCORED], columns[first : first + _SCORED]
            both = words[pair[0]].multiply(other_words[pair[1]]).sum(axis=1)
            jaccards = both / np.maximum(sizes[pair[0]] + other_sizes[pair[1]] - both, 1)
            cosines = row_cosines(outcoming.vectors[pair[0]], incoming.vectors[pair[1]])
            for each, other, score in zip(*pair, mean_of(jaccards, cosines), strict=True):
                if score > best[each]:  # the columns of a row ascend, so the first wins
                    best[each], best_rows[each] = score, other
    return Matches(best_rows, best)


def _words(questions: Questions, codes: Mapping[str, int]) -> sparse.csr_array:
    """[n, v] 1 where a question has a keyword that some in-coming question has."""
    rows = [[codes[word] for word in words if word in codes] for words in questions.keywords]
    ends = np.cumsum([0, *map(len, rows)])
    flat = np.fromiter((code for row in rows for code in row), np.int64, int(ends[-1]))
    return sparse.csr_array((np.ones(len(flat)), flat, ends), shape=(len(rows), len(codes)))


@dataclass(frozen=True, eq=False)
class Edges:
    """Directed edges tail -> head; row i of each field is edge i."""

    tail: NDArray[np.int64]
    """[m] The passage that an edge leaves: it raised the out-coming question."""
    head: NDArray[np.int64]
    """[m] The passage that it reaches: it answers the in-coming question. Never the tail."""
    incoming: NDArray[np.int64]
    """[m] Row of the in-coming question; its text and its vector are the edge's."""
    outcoming: NDArray[np.int64]
    """[m] Row of the out-coming question that matched it, for the union of the keywords."""
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
    """
    return math.floor(factor * vertices * math.log2(vertices)) if vertices else 0


def merge_duplicates(edges: Edges) -> Edges:
    """Keep for each tail and in-coming question the edge with the largest SIM.

    Several out-coming questions of a passage may match the same in-coming question. The best pair
    gives the edge its keywords, as the paper defines them for a pair; among equals it is the first
    out-coming question.

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
        first in-coming question comes first.
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
        matches: The result of `best_matches` for these; a question without a match makes no edge.
        vertices: n, how many passages the graph has.
        factor: The c of the cap; the paper leaves it open, and its graphs have 5.87 edges a vertex.

    Returns:
        Edges sorted by tail, and for each tail from the best to the worst.
    """
    asked = np.flatnonzero(matches.incoming >= 0)
    answered = matches.incoming[asked]
    matched = Edges(
        tail=outcoming.owners[asked],
        head=incoming.owners[answered],
        incoming=answered,
        outcoming=asked,
        similarity=matches.similarity[asked],
    )
    return cap_edges(merge_duplicates(matched), edge_limit(vertices, factor))


def edge_keywords(edges: Edges, outcoming: Questions, incoming: Questions) -> list[frozenset[str]]:
    """The keywords of each edge: those of its in-coming and of its out-coming question."""
    pairs = zip(edges.outcoming.tolist(), edges.incoming.tolist(), strict=True)
    return [frozenset(outcoming.keywords[out] | incoming.keywords[into]) for out, into in pairs]
