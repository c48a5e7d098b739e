"""SIM, the hybrid similarity of HopRAG: the mean of a Jaccard index and a cosine.

Source: Liu et al., "HopRAG: Multi-Hop Reasoning for Logic-Aware Retrieval-Augmented Generation",
equation 1. The same formula matches questions to questions, the query to edges (the retrieval
phase) and the query to passages (equation 2), so it stands here once.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray


def jaccard(left: AbstractSet[str], right: AbstractSet[str]) -> float:
    """Share of the keywords of two sets that they have in common, in [0, 1].

    Two empty sets have no keyword in common, so they score 0: a missing keyword is no evidence
    that two questions are about the same thing.
    """
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared) if shared else 0.0


def row_cosines(left: NDArray[np.float32], right: NDArray[np.float32]) -> NDArray[np.float64]:
    """Cosine of each row of `left` with the same row of `right`; both [n, d] and L2-normalised.

    The sum runs in float64 and row by row, so a pair scores the same to the last bit whatever
    block it is computed in. A blocked matrix product does not promise that, and equal questions
    would stop being ties.
    """
    products = left.astype(np.float64) * right
    return np.asarray(products.sum(axis=1), dtype=np.float64)


def mean_of(
    jaccards: NDArray[np.float64] | float, cosines: NDArray[np.float64]
) -> NDArray[np.float64]:
    """SIM from its two parts: (Jaccard + cosine) / 2, in [-0.5, 1]."""
    return np.asarray((jaccards + cosines) / 2.0, dtype=np.float64)


def similarity(
    left_keywords: AbstractSet[str],
    right_keywords: AbstractSet[str],
    left_vector: NDArray[np.float32],
    right_vector: NDArray[np.float32],
) -> float:
    """SIM of one pair (equation 1).

    Args:
        left_keywords: Normalised keywords of one side.
        right_keywords: Normalised keywords of the other.
        left_vector: float32 [d], L2-normalised.
        right_vector: float32 [d], L2-normalised.

    Returns:
        A value in [-0.5, 1]; symmetric in its two sides.
    """
    cosines = row_cosines(left_vector[np.newaxis], right_vector[np.newaxis])
    return float(mean_of(jaccard(left_keywords, right_keywords), cosines)[0])


def similarities(
    keywords: AbstractSet[str],
    vector: NDArray[np.float32],
    other_keywords: Sequence[AbstractSet[str]],
    other_vectors: NDArray[np.float32],
) -> NDArray[np.float64]:
    """SIM of one side with many others, as a query meets the edges or the passages.

    Args:
        keywords: Normalised keywords of the one side.
        vector: float32 [d], L2-normalised.
        other_keywords: n sets of normalised keywords.
        other_vectors: float32 [n, d], L2-normalised.

    Returns:
        float64 [n], each in [-0.5, 1].
    """
    # A matrix-vector product: here nothing is compared for equality, so speed may win over bits.
    cosines = (other_vectors @ vector).astype(np.float64)
    jaccards = np.fromiter(
        (jaccard(keywords, other) for other in other_keywords), np.float64, len(other_keywords)
    )
    return mean_of(jaccards, cosines)
