"""Keep the clusters of the last build when documents come and go.

A new passage joins the cluster whose middle is nearest. A cluster that gets too long is divided,
and its parts stay where it was. So only the summaries above a change are written again. Clusters
drift from those of a build of all documents, until such a build is made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.summary_tree.clustering import Rows, divide

__all__ = ("grown",)


def grown(
    clusters: Sequence[Sequence[str]],
    became: Mapping[str, Sequence[int]],
    vectors: NDArray[np.float32],
    sizes: Sequence[int],
    longest: int,
) -> tuple[list[Rows], list[list[int]]]:
    """The clusters of a layer after a change, each once: soft clusters may become alike.

    Args:
        clusters: The last build's clusters of this layer: the ids of their members.
        became: The rows in the new layer of each former member; none if it is gone. Rows of no
            former member are new.
        vectors: [n, d] The embeddings of the new layer below.
        sizes: [n] Their tokens.
        longest: Tokens of a cluster at most.

    Returns:
        The new clusters, and for each of the last: the places of what it has become, which is
        nothing, itself, or its parts.
    """
    kept = [{row for name in names for row in became.get(name, ())} for names in clusters]
    known = set().union(*kept)
    homes = [place for place, rows in enumerate(kept) if rows]
    if not homes:
        return [], [[] for _ in clusters]
    middles = np.stack([vectors[sorted(kept[place])].mean(axis=0) for place in homes])
    middles /= np.linalg.norm(middles, axis=1, keepdims=True)
    for row in range(len(vectors)):
        if row not in known:
            kept[homes[int(np.argmax(middles @ vectors[row]))]].add(row)
    found: dict[tuple[int, ...], int] = {}
    places: list[list[int]] = [[] for _ in clusters]
    for place in homes:
        for part in divide(np.array(sorted(kept[place]), np.int64), vectors, sizes, longest):
            places[place].append(found.setdefault(tuple(part.tolist()), len(found)))
    return [np.array(rows, np.int64) for rows in found], places
