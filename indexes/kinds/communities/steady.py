"""Communities that change little when documents are added or removed.

Leiden from scratch moves entities between communities wherever a few documents are added, and each
changed community costs a report. So an update starts Leiden from the communities of the last
generation. A clustering from scratch is the measure: if the communities fall behind it, it is
taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.communities.clustering import Hierarchy, cluster, modularity

__all__ = ("cluster_again", "partitions_before")

_LEAST: Final = 0.98
"""The least modularity of each level, as a share of that of a clustering from scratch."""


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


def cluster_again(
    weights: sparse.csr_array,
    *,
    max_size: int,
    resolution: float = 1.0,
    seed: int = 0,
    before: Sequence[NDArray[np.int64]],
) -> Hierarchy:
    """Cluster a graph that has changed since an earlier clustering; most communities stay.

    Args:
        weights: [n, n] As for `cluster`.
        max_size: As for `cluster`.
        resolution: As for `cluster`.
        seed: As for `cluster`.
        before: As `partitions_before` gives it.
    """
    fresh = cluster(weights, max_size=max_size, resolution=resolution, seed=seed)
    steady = cluster(weights, max_size=max_size, resolution=resolution, seed=seed, before=before)
    for level in range(min(fresh.levels, steady.levels)):
        least = _LEAST * modularity(weights, fresh.partition(level), resolution)
        if modularity(weights, steady.partition(level), resolution) < least:
            return fresh
    return steady
