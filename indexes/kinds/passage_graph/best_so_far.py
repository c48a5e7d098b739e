"""The state of a matching: both sides encoded, and the best match of each question so far.

The searches offer candidate pairs, and only this class scores them, with the exact SIM in float64.
So the searches may use float32 products and lower bounds: they decide which pairs are looked at,
never which pair wins.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.passage_graph.questions import NORM_TOLERANCE, Questions
from hopyard.indexes.kinds.passage_graph.similarity import mean_of, row_cosines

# The highest value that a dot product of two vectors of accepted length can take.
COSINE_CEILING: Final = (1.0 + NORM_TOLERANCE) ** 2

# Pairs scored at once in float64: 2 x 4,096 x 384 x 8 bytes is 25 MB.
_SCORED_AT_ONCE: Final = 4096


@dataclass(frozen=True, eq=False)
class Side:
    """Out-coming or in-coming questions, encoded over a common vocabulary."""

    ids: NDArray[np.int64]
    """[n] Question ids."""
    owners: NDArray[np.int64]
    """[n] The passage of each question."""
    vectors: NDArray[np.float32]
    """[n, d] L2-normalised, C-contiguous."""
    keywords: sparse.csr_array
    """[n, v] 1 where the question has the keyword. Keywords that no in-coming question has can be
    shared with none and are left out."""
    sizes: NDArray[np.float32]
    """[n] Size of each keyword set, the left-out keywords included."""


class BestSoFar:
    """The best in-coming question found so far for each out-coming question.

    Rows are out-coming questions; columns are in-coming questions in ascending order of id.
    """

    def __init__(self, outcoming: Questions, incoming: Questions) -> None:
        incoming = incoming.take(_representatives(incoming))
        vocabulary = {
            word: code for code, word in enumerate(sorted(set().union(*incoming.keywords)))
        }
        self.rows: Final = _encode(outcoming, vocabulary)
        self.columns: Final = _encode(incoming, vocabulary)
        self.score: Final = np.full(len(outcoming), -np.inf)
        self.column: Final = np.full(len(outcoming), -1, dtype=np.int64)
        # A float32 dot product is off by at most d roundings; adding the Jaccard takes a few more.
        self.slack: Final = (outcoming.vectors.shape[1] + 8) * float(np.finfo(np.float32).eps)

    def open_rows(self, jaccard_ceiling: NDArray[np.float64] | float) -> NDArray[np.bool_]:
        """Rows that a pair with at most this Jaccard could still improve, or tie."""
        bound = mean_of(jaccard_ceiling, np.full(len(self.score), COSINE_CEILING))
        return np.asarray(self.score <= bound, dtype=np.bool_)

    def worth_offering(
        self, rows: NDArray[np.int64], sums: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """The sum (Jaccard + cosine, float32) from which on a pair of each row may be the best.

        Args:
            rows: [m] Row numbers.
            sums: [m] The highest sum of each row in what has just been searched.

        Returns:
            float32 [m]; +inf for a row in which nothing was found.
        """
        floor = np.maximum(sums, 2.0 * self.score[rows]) - self.slack
        return np.asarray(np.where(np.isneginf(sums), np.inf, floor), dtype=np.float32)

    def offer(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> None:
        """Score pairs exactly and keep the best of each row; among equals the lowest id wins."""
        for start in range(0, len(rows), _SCORED_AT_ONCE):
            part = slice(start, start + _SCORED_AT_ONCE)
            self._keep(rows[part], columns[part], self._similarity(rows[part], columns[part]))

    def _similarity(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        both = self.rows.keywords[rows].multiply(self.columns.keywords[columns])
        shared = np.asarray(both.sum(axis=1), dtype=np.float64)
        union = self.rows.sizes[rows] + self.columns.sizes[columns] - shared
        jaccards = np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)
        return mean_of(
            jaccards, row_cosines(self.rows.vectors[rows], self.columns.vectors[columns])
        )

    def _keep(
        self,
        rows: NDArray[np.int64],
        columns: NDArray[np.int64],
        scores: NDArray[np.float64],
    ) -> None:
        order = np.lexsort((columns, -scores, rows))
        order = order[np.diff(rows[order], prepend=-1) != 0]
        rows, columns, scores = rows[order], columns[order], scores[order]
        tied = (scores == self.score[rows]) & (columns < self.column[rows])
        better = (scores > self.score[rows]) | tied
        self.score[rows[better]] = scores[better]
        self.column[rows[better]] = columns[better]


def spans(
    starts: NDArray[np.int64], stops: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every position of many ranges [start, stop), and which range each belongs to."""
    lengths = stops - starts
    which = np.repeat(np.arange(len(starts)), lengths)
    offsets = np.arange(len(which)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return which, starts[which] + offsets


def _representatives(incoming: Questions) -> NDArray[np.int64]:
    """Rows that can win, in ascending order of id.

    Of all in-coming questions with the same vector and the same keywords two can win: the question
    with the lowest id, and for its own passage the lowest id of any other passage. Models repeat
    themselves, and a hundred copies of "Who is the author?" would be a hundred ties.
    """
    kept: list[int] = []
    first_owner: dict[bytes, int] = {}
    complete: set[bytes] = set()
    for row in np.argsort(incoming.ids).tolist():
        words = "\0".join(sorted(incoming.keywords[row]))
        content = incoming.vectors[row].tobytes() + words.encode()
        key = hashlib.blake2b(content, digest_size=16).digest()
        owner = int(incoming.owners[row])
        if key not in first_owner:
            first_owner[key] = owner
        elif key not in complete and first_owner[key] != owner:
            complete.add(key)
        else:
            continue
        kept.append(row)
    return np.asarray(kept, dtype=np.int64)


def _encode(questions: Questions, vocabulary: dict[str, int]) -> Side:
    codes = [
        sorted(vocabulary[word] for word in words if word in vocabulary)
        for words in questions.keywords
    ]
    ends = np.cumsum([0, *map(len, codes)], dtype=np.int64)
    indices = np.fromiter((code for row in codes for code in row), np.int64, int(ends[-1]))
    keywords = sparse.csr_array(
        (np.ones(len(indices), dtype=np.float32), indices, ends),
        shape=(len(questions), len(vocabulary)),
    )
    return Side(
        ids=questions.ids,
        owners=questions.owners,
        vectors=np.ascontiguousarray(questions.vectors, dtype=np.float32),
        keywords=keywords,
        sizes=np.fromiter(map(len, questions.keywords), np.float32, len(questions)),
    )
