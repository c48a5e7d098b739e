"""The formulas of the summary tree, as pure functions."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

DAMPING: Final = 0.15
"""The share of LexRank that all sentences get alike (Erkan and Radev, section 3.2)."""
_ROUNDS: Final = 100
_EXACT: Final = 1e-9


def bic(log_likelihood: float, points: int, dimensions: int, components: int) -> float:
    """The Bayesian information criterion of a Gaussian mixture. The smallest is the best.

        BIC = ln(N) k - 2 ln(L)

    k counts the free parameters: a mean [d] and a symmetric covariance [d, d] for each component,
    and the weights, which add up to 1.

    Source: Sarthi et al., RAPTOR, section 3, "Clustering Algorithm".

    Args:
        log_likelihood: ln(L), the log-likelihood of all points.
        dimensions: d, from 1.
    """
    covariance = dimensions * (dimensions + 1) // 2
    free = components * (dimensions + covariance) + components - 1
    return math.log(points) * free - 2 * log_likelihood


def soft_members(probabilities: NDArray[np.float64], threshold: float) -> list[NDArray[np.int64]]:
    """The members of each cluster: a point may belong to several (soft clustering).

    A point is in every component that has generated it with a higher probability than the
    threshold, and always in the likeliest. Components without members are left out.

    Source: Sarthi et al., RAPTOR, section 3; the threshold is that of the authors' code, 0.1. They
    lose a point whose probabilities are all below it.

    Args:
        probabilities: [n, k] Of each point under each component, each row adding up to 1.
        threshold: From 0 to 1.

    Returns:
        The rows of the points of each cluster, ascending.
    """
    taken = probabilities > threshold
    taken[np.arange(len(taken)), probabilities.argmax(axis=1)] = True
    members = (np.flatnonzero(column) for column in taken.T)
    return [rows for rows in members if len(rows)]


def lexrank(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    """The centrality of each sentence: continuous LexRank.

        p(u) = d / N + (1 - d) sum over v of [ sim(u, v) / sum over z of sim(z, v) ] p(v)

    A sentence does not vote for itself. If it did, as in the paper, a sentence that is like no
    other would rank as high as the average. Here such a sentence votes for all alike.

    Source: Erkan and Radev, "LexRank: Graph-based Lexical Centrality as Salience in Text
    Summarization", 2004, section 3.3.

    Args:
        similarity: [n, n] Symmetric, from 0 to 1.

    Returns:
        [n] The centralities, adding up to 1.
    """
    count = len(similarity)
    votes = similarity - np.diag(np.diag(similarity))
    sums = votes.sum(axis=0)
    walk = np.divide(votes, sums, out=np.full_like(votes, 1 / count), where=sums > 0)
    rank = np.full(count, 1 / count)
    for _ in range(_ROUNDS):
        last, rank = rank, DAMPING / count + (1 - DAMPING) * walk @ rank
        if np.abs(rank - last).sum() < _EXACT:
            break
    return rank
