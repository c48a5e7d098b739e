"""Hierarchical Leiden: communities of a weighted graph, and communities inside these.

Source: Traag, Waltman and van Eck, "From Louvain to Leiden: guaranteeing well-connected
communities"; the levels are those of Edge et al., "From Local to Global: A Graph RAG Approach to
Query-Focused Summarization", section 3.1.4, as the published tool makes them: each community above
a size is taken out of the graph and clustered alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hopyard.indexes.arrays.ragged import Ragged

__all__ = ("Hierarchy", "cluster", "modularity")

_ITERATIONS: Final = 10
"""Cycles of Leiden from single entities, each from the partition of the last one."""
_STEADY_ITERATIONS: Final = 1
"""Cycles of Leiden from earlier communities. More would change more of them."""

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
        found = np.empty(int(lengths[self.level == 0].sum()), np.int64)
        inside = np.isin(np.arange(len(self)), rows)
        found[self.members.values[np.repeat(inside, lengths)]] = np.repeat(rows, lengths[rows])
        return found


def cluster(
    weights: sparse.csr_array,
    *,
    max_size: int,
    resolution: float = 1.0,
    seed: int = 0,
    before: Sequence[NDArray[np.int64]] = (),
) -> Hierarchy:
    """Divide a graph into communities, and communities above a size into smaller ones.

    Entities without edges are communities of their own. The same arguments give the same
    communities.

    Args:
        weights: [n, n] Symmetric, not negative; the diagonal is ignored.
        max_size: The size of the largest community that is not divided. A community in which Leiden
            finds no parts stays whole above it.
        resolution: γ of the modularity; more gives more and smaller communities.
        seed: Seed of Leiden's random choices.
        before: For each level of an earlier clustering, [n] the community of each entity, or -1 for
            a new entity. Leiden starts from these communities, so most of them stay. Without any,
            it starts from single entities.
    """
    level: list[NDArray[np.int32]] = []
    parents: list[int] = []
    members: list[NDArray[np.int64]] = []
    waiting: list[_Part] = [(-1, np.arange(weights.shape[0]), _clean(weights))]
    while waiting:
        found = [
            part
            for above in waiting
            for part in _divide(
                above,
                max_size=max_size,
                resolution=resolution,
                seed=seed,
                before=before[min(len(level), len(before) - 1)] if len(before) else None,
            )
        ]
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


def _divide(
    part: _Part,
    *,
    max_size: int,
    resolution: float,
    seed: int,
    before: NDArray[np.int64] | None,
) -> Iterator[_Part]:
    """The communities inside a part; none where Leiden keeps a community together."""
    row, entities, graph = part
    if graph is None or not len(entities):
        return
    if before is None:
        labels = _leiden(graph, resolution=resolution, seed=seed)
    else:
        labels = _leiden_from(before[entities], graph, resolution=resolution, seed=seed)
    order = np.argsort(labels, kind="stable")
    bounds = np.append(np.flatnonzero(np.diff(labels[order], prepend=-1)), len(order)).tolist()
    if row >= 0 and len(bounds) == 2:
        return
    blocks = graph[order][:, order]
    blocks.sort_indices()
    for start, end in pairwise(bounds):
        block = blocks[start:end, start:end] if end - start > max_size else None
        yield row, entities[order[start:end]], block


def _leiden(graph: sparse.csr_array, *, resolution: float, seed: int) -> NDArray[np.int64]:
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
        resolution=resolution,
        iterations=_ITERATIONS,
        seed=seed,
    )
    labels = np.empty(size, np.int64)
    labels[np.fromiter(found.keys(), np.int64, size)] = np.fromiter(found.values(), np.int64, size)
    return labels


def _leiden_from(
    before: NDArray[np.int64], graph: sparse.csr_array, *, resolution: float, seed: int
) -> NDArray[np.int64]:
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
        resolution=resolution,
        iterations=_STEADY_ITERATIONS,
        seed=seed,
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


def modularity(
    weights: sparse.csr_array, partition: NDArray[np.int64], resolution: float = 1.0
) -> float:
    """How much more weight lies inside communities than chance would put there.

    Q = Σ_c [ w_c / m − γ (d_c / 2m)² ], where w_c is the weight of the edges inside community c,
    d_c the sum of the degrees of its vertices, and m the weight of all edges (Newman and Girvan,
    with the resolution γ of Reichardt and Bornholdt).

    Args:
        weights: [n, n] Symmetric, not negative, without loops.
        partition: [n] The community of each vertex.
        resolution: γ.

    Returns:
        At most 1; 0 for a graph without edges.
    """
    total = float(weights.sum())  # 2m: each edge stands in both directions
    if not total:
        return 0.0
    _, places = np.unique(partition, return_inverse=True)
    degrees = np.bincount(places, weights.sum(axis=1))
    edges = weights.tocoo()
    inside = edges.data[places[edges.row] == places[edges.col]].sum()
    return float(inside / total - resolution * np.sum((degrees / total) ** 2))
