"""Hierarchical Leiden: communities of a weighted graph, and communities inside these.

Source: Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected
communities"; the levels are those of Edge et al. (GraphRAG), section 3.1.4, as the published tool
makes them: each community above a size is taken out of the graph and clustered alone.

Leiden from scratch moves entities between communities wherever a few documents are added, and each
changed community costs a report. So an update starts Leiden from the communities of the last
generation (`cluster_again`). A clustering from scratch is the measure: if the communities fall
behind it, it is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hopyard.indexes.arrays.ragged import Ragged

_ITERATIONS: Final = 10
"""Cycles of Leiden from single entities, each from the last partition."""
_STEADY_ITERATIONS: Final = 1
"""Cycles of Leiden from earlier communities. More would change more of them."""
_RESOLUTION: Final = 1.0
"""γ of the modularity, as in the published tool."""
_SEED: Final = 0
_LEAST: Final = 0.98
"""The least modularity of each level, as a share of that of a clustering from scratch."""

_Part = tuple[int, NDArray[np.int64], sparse.csr_array | None]
"""A community: the row of its parent or -1, its entities, and their graph if it may be divided."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """c communities of n entities, sorted by level; on a level the largest come first."""

    level: NDArray[np.int32]
    """[c] 0 at the root level."""
    parent: NDArray[np.int32]
    """[c] The row of the community that contains it, or -1."""
    members: Ragged
    """[c] Its entities, ascending."""

    def __len__(self) -> int:
        return len(self.level)

    @property
    def levels(self) -> int:
        """Number of levels; 0 without entities."""
        return int(self.level[-1]) + 1 if len(self.level) else 0

    @property
    def entities(self) -> int:
        """Number of entities."""
        return int(self.members.lengths[self.level == 0].sum())

    def at(self, level: int) -> NDArray[np.int64]:
        """Rows of the communities that hold each entity once at a level.

        These are the communities of the level, and those above it that have no children.
        """
        undivided = np.ones(len(self.level), bool)
        undivided[self.parent[self.parent >= 0]] = False
        return np.flatnonzero((self.level == level) | ((self.level < level) & undivided))

    def partition(self, level: int) -> NDArray[np.int64]:
        """[n] The row of each entity's community at a level."""
        rows = self.at(level)
        lengths = self.members.lengths
        found = np.empty(self.entities, np.int64)
        inside = np.isin(np.arange(len(self)), rows)
        found[self.members.values[np.repeat(inside, lengths)]] = np.repeat(rows, lengths[rows])
        return found


def cluster(
    weights: sparse.csr_array,
    *,
    max_size: int,
    before: Sequence[NDArray[np.int64]] = (),
) -> Hierarchy:
    """Divide a graph into communities, and divide communities above a size.

    Entities without edges are communities of their own. The same arguments give the same
    communities.

    Args:
        weights: [n, n] Symmetric, not negative; the diagonal is ignored.
        max_size: The size of the largest community that is not divided. A community in which Leiden
            finds no parts stays whole above it.
        before: For each level of an earlier clustering, [n] the community of each entity, or -1 for
            a new entity. Leiden starts from these communities, so most of them stay. Without any,
            it starts from single entities.
    """
    level: list[NDArray[np.int32]] = []
    parents: list[int] = []
    members: list[NDArray[np.int64]] = []
    waiting: list[_Part] = [(-1, np.arange(weights.shape[0]), _clean(weights))]
    while waiting:
        start = before[min(len(level), len(before) - 1)] if len(before) else None
        found = [part for above in waiting for part in _divide(above, max_size, start)]
        found.sort(key=lambda part: (-len(part[1]), part[1][0]))
        first = len(members)
        level.append(np.full(len(found), len(level), np.int32))
        parents += [part[0] for part in found]
        members += [part[1] for part in found]
        rows = enumerate(found, first)
        waiting = [(row, part[1], part[2]) for row, part in rows if part[2] is not None]
    return Hierarchy(
        np.concatenate(level) if level else np.empty(0, np.int32),
        np.array(parents, np.int32),
        Ragged.of(members, np.int32),
    )


def _clean(weights: sparse.csr_array) -> sparse.csr_array:
    """The graph without loops and zeros, in the order of rows and columns."""
    clean = sparse.csr_array(weights - sparse.diags_array(weights.diagonal()))
    clean.eliminate_zeros()
    clean.sort_indices()
    return clean


def _divide(part: _Part, max_size: int, before: NDArray[np.int64] | None) -> Iterator[_Part]:
    """The communities inside a part; none where Leiden keeps a community together."""
    row, entities, graph = part
    if graph is None or not len(entities):
        return
    labels = _leiden(graph) if before is None else _leiden_from(before[entities], graph)
    order = np.argsort(labels, kind="stable")
    bounds = np.append(np.flatnonzero(np.diff(labels[order], prepend=-1)), len(order)).tolist()
    if row >= 0 and len(bounds) == 2:
        return
    blocks = graph[order][:, order]
    blocks.sort_indices()
    for start, end in pairwise(bounds):
        block = blocks[start:end, start:end] if end - start > max_size else None
        yield row, entities[order[start:end]], block


def _leiden(graph: sparse.csr_array) -> NDArray[np.int64]:
    """[n] The community of each vertex, by modularity. Vertices without edges are alone."""
    from graspologic_native import leiden_csr

    size = graph.shape[0]
    if not graph.nnz:
        return np.arange(size)
    _, found = leiden_csr(
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int32),
        graph.data.astype(np.float64),
        size,
        resolution=_RESOLUTION,
        iterations=_ITERATIONS,
        seed=_SEED,
    )
    labels = np.empty(size, np.int64)
    labels[np.fromiter(found.keys(), np.int64, size)] = np.fromiter(found.values(), np.int64, size)
    return labels


def _leiden_from(before: NDArray[np.int64], graph: sparse.csr_array) -> NDArray[np.int64]:
    """[n] The community of each vertex, from earlier communities [n], of which -1 is none."""
    from graspologic_native import leiden

    start = _connected(before, graph)
    edges = sparse.triu(graph).tocoo()
    joined = np.flatnonzero(np.diff(graph.indptr)).tolist()
    if not joined:
        return start
    names = list(map(str, range(graph.shape[0])))
    ends = ([names[row] for row in rows.tolist()] for rows in (edges.row, edges.col))
    _, found = leiden(
        list(zip(*ends, edges.data.tolist(), strict=True)),
        starting_communities={names[row]: int(start[row]) for row in joined},
        resolution=_RESOLUTION,
        iterations=_STEADY_ITERATIONS,
        seed=_SEED,
    )
    labels = len(start) + start  # vertices without edges are alone, as they were
    labels[joined] = [found[names[row]] for row in joined]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


def _connected(before: NDArray[np.int64], graph: sparse.csr_array) -> NDArray[np.int64]:
    """[n] The connected parts of earlier communities [n]; -1 is alone.

    The library fails on a start community that is not connected (graspologic-native, issue 29).
    """
    edges = graph.tocoo()
    same = (before[edges.row] == before[edges.col]) & (before[edges.row] >= 0)
    inside = sparse.csr_array(
        (edges.data[same], (edges.row[same], edges.col[same])), shape=graph.shape
    )
    parts: NDArray[np.int64] = connected_components(inside, directed=False)[1].astype(np.int64)
    return parts


def modularity(weights: sparse.csr_array, partition: NDArray[np.int64]) -> float:
    """How much more weight lies inside communities than chance would put there.

    Q = Σ_c [ w_c / m − (d_c / 2m)² ], where w_c is the weight of the edges inside community c, d_c
    the sum of the degrees of its vertices, and m the weight of all edges (Newman and Girvan).

    Args:
        weights: [n, n] Symmetric, not negative, without loops.
        partition: [n] The community of each vertex.

    Returns:
        At most 1; 0 for a graph without edges.
    """
    total = float(weights.sum())  # 2m: each edge has both directions
    if not total:
        return 0.0
    _, places = np.unique(partition, return_inverse=True)
    degrees = np.bincount(places, weights.sum(axis=1))
    edges = weights.tocoo()
    inside = edges.data[places[edges.row] == places[edges.col]].sum()
    return float(inside / total - np.sum((degrees / total) ** 2))


def cluster_again(
    weights: sparse.csr_array, *, max_size: int, before: Sequence[NDArray[np.int64]]
) -> Hierarchy:
    """Cluster a graph that has changed since an earlier clustering; most communities stay.

    Args:
        max_size: As for `cluster`.
        before: As `partitions_before` gives it.
    """
    fresh = cluster(weights, max_size=max_size)
    steady = cluster(weights, max_size=max_size, before=before)
    for level in range(min(fresh.levels, steady.levels)):
        least = _LEAST * modularity(weights, fresh.partition(level))
        if modularity(weights, steady.partition(level)) < least:
            return fresh
    return steady


def partitions_before(
    last: Hierarchy, last_labels: Ragged, labels: Ragged
) -> list[NDArray[np.int64]]:
    """The earlier community of each entity.

    Entities of two generations are the same if their label is the same; among several of the same
    label (homonyms), the first is the first, and so on.

    Args:
        last: The clustering of the earlier graph.
        last_labels: [m] The labels of its entities.
        labels: [n] The labels of the present entities.

    Returns:
        For each level of the earlier clustering, [n] the row of the community, -1 for a new entity.
    """
    rows = {name: row for row, name in enumerate(_names(last_labels))}
    same = np.array([rows.get(name, -1) for name in _names(labels)], np.int64)
    levels = (last.partition(level) for level in range(last.levels))
    return [np.where(same < 0, -1, partition[same]) for partition in levels]


def _names(labels: Ragged) -> Iterator[tuple[str, int]]:
    seen: Counter[str] = Counter()
    for row in range(len(labels)):
        label = labels.text(row)
        seen[label] += 1
        yield label, seen[label]
