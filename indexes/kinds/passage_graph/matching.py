"""The best in-coming question of another passage for each out-coming question.

This is the first half of HopRAG's edge merging: for every out-coming question of a passage s, the
in-coming question of a passage t other than s with the largest SIM (Liu et al., section 3.2,
equation 1).

Products of blocks score all pairs in float32. The pairs that may be the best of their question are
scored again in float64, one by one, so equal questions are ties wherever they stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.indexes.kinds.passage_graph.similarity import mean_of, row_cosines

_PAIRS: Final = 4_000_000
"""Pairs of a block (16 MB)."""
_SCORED: Final = 4096
"""Pairs that are scored again at once: 2 x 4,096 x 384 x 8 bytes are 25 MB."""


@dataclass(frozen=True, eq=False)
class Matches:
    """The best match of each out-coming question; row i belongs to out-coming question i."""

    incoming: NDArray[np.int64]
    """[n] Id of the in-coming question, or -1 where no other passage has one."""
    similarity: NDArray[np.float64]
    """[n] SIM in [-0.5, 1], or -inf where `incoming` is -1."""

    def __len__(self) -> int:
        return len(self.incoming)


def best_matches(outcoming: Questions, incoming: Questions) -> Matches:
    """For each out-coming question, the in-coming question of another passage with the largest SIM.

    Among equal SIM the lowest id wins. The time grows with the product of both numbers.

    Returns:
        One match for each out-coming question, in the order of `outcoming`.

    Raises:
        ValueError: The two sides have vectors of different length.
    """
    ids = np.full(len(outcoming), -1, dtype=np.int64)
    best = np.full(len(outcoming), -np.inf)
    if not len(outcoming) or not len(incoming):
        return Matches(ids, best)
    dimension = outcoming.vectors.shape[1]
    if dimension != incoming.vectors.shape[1]:
        raise ValueError(
            f"Out-coming vectors have {dimension} dimensions and in-coming ones "
            f"{incoming.vectors.shape[1]}; embed both with one model."
        )
    incoming = incoming.take(np.argsort(incoming.ids))
    codes = {word: code for code, word in enumerate(sorted(set().union(*incoming.keywords)))}
    words, other_words = _words(outcoming, codes), _words(incoming, codes)
    sizes, other_sizes = (
        np.fromiter(map(len, side.keywords), np.float64, len(side))
        for side in (outcoming, incoming)
    )
    # A float32 dot product is off by at most d roundings; adding the Jaccard takes a few more.
    slack = 2 * (dimension + 8) * float(np.finfo(np.float32).eps)
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
                if score > best[each]:  # the columns of a row ascend, so the lowest id is first
                    best[each], ids[each] = score, incoming.ids[other]
    return Matches(ids, best)


def _words(questions: Questions, codes: Mapping[str, int]) -> sparse.csr_array:
    """[n, v] 1 where a question has a keyword that some in-coming question has."""
    rows = [[codes[word] for word in words if word in codes] for words in questions.keywords]
    ends = np.cumsum([0, *map(len, rows)])
    flat = np.fromiter((code for row in rows for code in row), np.int64, int(ends[-1]))
    return sparse.csr_array((np.ones(len(flat)), flat, ends), shape=(len(rows), len(codes)))
