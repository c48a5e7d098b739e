"""Divide a layer of the tree into clusters: UMAP, then Gaussian mixtures; global, then local.

Source: Sarthi et al., RAPTOR, section 3, "Clustering Algorithm". The numbers are those of the
authors' code. All randomness is seeded, so the same vectors give the same clusters.

When documents come and go, the clusters of the last build are kept (`grown`). A new passage joins
the cluster whose middle is nearest. A cluster that gets too long is divided, and its parts stay
where it was. So only the summaries above a change are written again. Clusters drift from those of a
build of all documents, until such a build is made.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.summary_tree.formulas import bic, soft_members

Rows = NDArray[np.int64]
"""The rows of a cluster in the layer below, ascending."""

TOKENS: Final = 3500
"""Tokens of the members of a cluster at most; a larger one is divided."""
DIMENSIONS: Final = 10
"""Dimensions that UMAP reduces to. A layer of at most one node more is one cluster: UMAP fails on
a layer that has hardly more nodes than dimensions."""
COMPONENTS: Final = 50
"""Components of a mixture at most."""
PATIENCE: Final = 5
"""Mixtures in a row without a better BIC, after which no larger mixture is tried."""
THRESHOLD: Final = 0.1
"""A node belongs to a component with a higher probability than this."""
LOCAL_NEIGHBOURS: Final = 10
EPOCHS: Final = 200
"""UMAP's own number for large data; for up to 10,000 points it would take 500."""
SEED: Final = 224


def clusters_of(
    vectors: NDArray[np.float32], sizes: Sequence[int], longest: int = TOKENS
) -> list[Rows]:
    """The clusters of a layer. Each node is in at least one.

    Args:
        vectors: [n, d] The embeddings of the nodes, of length 1.
        sizes: [n] Their tokens.
        longest: Tokens of a cluster at most.

    Returns:
        Fewer than n clusters, or one.
    """
    found: set[tuple[int, ...]] = set()
    with _quiet():
        for rows in _mixture(vectors, math.isqrt(len(vectors) - 1)):
            for part in _mixture(vectors[rows], LOCAL_NEIGHBOURS):
                for group in divide(rows[part], vectors, sizes, longest):
                    found.add(tuple(group.tolist()))
    if len(found) >= len(vectors):
        return divide(np.arange(len(vectors)), vectors, sizes, longest)
    return [np.array(rows, np.int64) for rows in sorted(found)]


def divide(
    rows: Rows, vectors: NDArray[np.float32], sizes: Sequence[int], longest: int
) -> list[Rows]:
    """A cluster, or parts of it that are short enough. A part has at least two nodes if it can.

    Args:
        vectors: [n, d] The embeddings of the layer's nodes.
        sizes: [n] Their tokens.
        longest: Tokens of a part at most.
    """
    if len(rows) < 4 or sum(sizes[row] for row in rows) <= longest:
        return [rows]
    own = vectors[rows]
    # Split in the middle of the direction in which the nodes differ most.
    _, _, axes = np.linalg.svd(own - own.mean(axis=0), full_matrices=False)
    order = np.argsort(own @ axes[0], kind="stable")
    halves = np.sort(rows[order[: len(rows) // 2]]), np.sort(rows[order[len(rows) // 2 :]])
    return [part for half in halves for part in divide(half, vectors, sizes, longest)]


def _mixture(vectors: NDArray[np.float32], neighbours: int) -> list[Rows]:
    """The soft clusters of some nodes, by the mixture with the best BIC."""
    if len(vectors) <= DIMENSIONS + 1:
        return [np.arange(len(vectors))]
    points = _reduced(vectors, neighbours)
    criterion, best = _fitted(points, 1)
    worse = 0
    for components in range(2, min(COMPONENTS, len(points))):
        found, mixture = _fitted(points, components)
        if found < criterion:
            criterion, best, worse = found, mixture, 0
        elif (worse := worse + 1) == PATIENCE:
            break
    return soft_members(best.predict_proba(points), THRESHOLD)


def _reduced(vectors: NDArray[np.float32], neighbours: int) -> NDArray[np.float64]:
    """The nodes in few dimensions [n, 10]."""
    from umap import UMAP

    reducer = UMAP(
        n_neighbors=max(2, min(neighbours, len(vectors) - 1)),
        n_components=min(DIMENSIONS, vectors.shape[1]),
        metric="cosine",
        n_epochs=EPOCHS,
        init="pca",  # the spectral layout fails on small and on divided graphs
        random_state=SEED,
        n_jobs=1,
    )
    return np.asarray(reducer.fit_transform(vectors), np.float64)


def _fitted(points: NDArray[np.float64], components: int) -> tuple[float, Any]:
    """A mixture of so many components, after its BIC."""
    from sklearn.mixture import GaussianMixture

    mixture = GaussianMixture(components, random_state=SEED).fit(points)
    count, dimensions = points.shape
    likelihood = float(mixture.score(points)) * count
    return bic(likelihood, count, dimensions, components), mixture


@contextmanager
def _quiet() -> Iterator[None]:
    """One thread, so that sums have one order, and no warning about points that are all alike."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


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
