"""The two ways to find best matches that the passage-graph benchmark compares.

Each takes the out-coming and the in-coming questions and returns, for each out-coming question,
the row of its best in-coming question of another passage.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.passage_graph.edges import best_matches
from hopyard.indexes.kinds.passage_graph.questions import Questions

__all__ = ("hopyard", "literal")


def hopyard(outcoming: Questions, incoming: Questions) -> NDArray[np.int64]:
    """Ours."""
    return best_matches(outcoming, incoming).incoming


def literal(
    outcoming: Questions, incoming: Questions, sample: int | None
) -> tuple[NDArray[np.int64], float]:
    """The definition as it reads, after the authors' program: every pair is scored.

    All dot products are taken at once and the Jaccard index pair by pair, both as there. It is
    kinder than the original in memory (a float32 matrix; the original goes on to a list of Python
    floats and a data frame with a row for each pair, which would not fit) and in time (their
    keyword sets travel through strings).

    Args:
        outcoming: Out-coming questions.
        incoming: In-coming questions.
        sample: Compute the Jaccard indices of this many rows only; None: of all.

    Returns:
        Rows of the best matches (of the first `sample` questions), and the seconds that all rows
        would take: the Jaccard part is scaled up from the sample.
    """
    started = time.process_time()
    similarities = outcoming.vectors @ incoming.vectors.T
    products = time.process_time() - started
    rows = len(outcoming) if sample is None else min(sample, len(outcoming))
    best = np.empty(rows, dtype=np.int64)
    for row in range(rows):
        words = outcoming.keywords[row]
        jaccards = [
            len(words & others) / (len(words | others) or 1) for others in incoming.keywords
        ]
        sums = similarities[row]
        sums += np.asarray(jaccards, dtype=np.float32)
        sums[incoming.owners == outcoming.owners[row]] = -np.inf
        best[row] = np.argmax(sums)
    pairs = time.process_time() - started - products
    return best, products + pairs * len(outcoming) / max(rows, 1)
