"""The three ways to find best matches that the passage-graph benchmark compares.

Each takes the out-coming and the in-coming questions and returns, for each out-coming question,
the row of its best in-coming question of another passage.
"""

from __future__ import annotations

import time
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.passage_graph.matching import best_matches
from hopyard.indexes.kinds.passage_graph.questions import Questions

__all__ = ("dense", "hopyard", "literal")

_BLOCK: Final = 1024


def hopyard(outcoming: Questions, incoming: Questions) -> NDArray[np.int64]:
    """Ours. Ids are row numbers in this benchmark."""
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
    started = time.perf_counter()
    similarities = outcoming.vectors @ incoming.vectors.T
    products = time.perf_counter() - started
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
    pairs = time.perf_counter() - started - products
    return best, products + pairs * len(outcoming) / max(rows, 1)


def dense(outcoming: Questions, incoming: Questions) -> NDArray[np.int64]:
    """The strong alternative: a blocked matrix product with a sparse Jaccard added into it."""
    codes = {word: code for code, word in enumerate(sorted(set().union(*incoming.keywords)))}
    rows, columns = _incidence(outcoming, codes), _incidence(incoming, codes)
    row_sizes = np.array([len(words) for words in outcoming.keywords], dtype=np.float32)
    column_sizes = np.array([len(words) for words in incoming.keywords], dtype=np.float32)
    transposed = columns.T.tocsr()
    best = np.empty(len(outcoming), dtype=np.int64)
    for start in range(0, len(outcoming), _BLOCK):
        part = slice(start, start + _BLOCK)
        sums = outcoming.vectors[part] @ incoming.vectors.T
        shared = (rows[part] @ transposed).tocoo()
        union = row_sizes[part][shared.row] + column_sizes[shared.col] - shared.data
        sums[shared.row, shared.col] += shared.data / union
        sums[outcoming.owners[part, np.newaxis] == incoming.owners] = -np.inf
        best[part] = sums.argmax(axis=1)
    return best


def _incidence(questions: Questions, codes: dict[str, int]) -> sparse.csr_array:
    places = [
        (row, codes[word])
        for row, words in enumerate(questions.keywords)
        for word in words
        if word in codes
    ]
    row, column = np.array(places, dtype=np.int64).reshape(-1, 2).T
    return sparse.csr_array(
        (np.ones(len(row), dtype=np.float32), (row, column)), shape=(len(questions), len(codes))
    )
