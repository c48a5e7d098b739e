"""The questions that edge building works on, as arrays beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

__all__ = ("NORM_TOLERANCE", "Questions")

# How far from 1 a vector's length may lie: half-precision storage stays well inside.
NORM_TOLERANCE: Final = 1e-3


@dataclass(frozen=True, eq=False)
class Questions:
    """Out-coming or in-coming questions of many passages; row i of each field is question i.

    Raises:
        ValueError: The fields differ in length, an id is negative or given twice, or a vector is
            not L2-normalised.
    """

    ids: NDArray[np.int64]
    """[n] Question ids, non-negative and unique, in any order. Among equals the lowest id wins, so
    ids that come from the content give the same graph whatever the order of insertion."""
    owners: NDArray[np.int64]
    """[n] The passage of each question."""
    keywords: Sequence[AbstractSet[str]]
    """n sets of normalised keywords; a set may be empty."""
    vectors: NDArray[np.float32]
    """[n, d] L2-normalised embeddings."""

    def __post_init__(self) -> None:
        """Check what every later step relies on."""
        counts = {len(self.ids), len(self.owners), len(self.keywords), len(self.vectors)}
        if len(counts) != 1 or self.vectors.ndim != 2:
            message = (
                f"{len(self.ids)} ids, {len(self.owners)} owners, {len(self.keywords)} keyword "
                f"sets and vectors of shape {self.vectors.shape} do not describe the same questions"
            )
            raise ValueError(message)
        if len(self.ids) and (self.ids.min() < 0 or len(np.unique(self.ids)) != len(self.ids)):
            raise ValueError("Question ids must be unique and not negative.")
        lengths = np.sqrt(np.einsum("ij,ij->i", self.vectors, self.vectors))
        # `not all within` rather than `any outside`, so that NaN is refused too.
        if not bool(np.all(np.abs(lengths - 1.0) <= NORM_TOLERANCE)):
            worst = int(self.ids[int(np.argmax(~(np.abs(lengths - 1.0) <= NORM_TOLERANCE)))])
            message = f"The vector of question {worst} is not of length 1; normalise embeddings."
            raise ValueError(message)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[np.int64]) -> Questions:
        """The questions of some rows, in the order given."""
        return Questions(
            ids=self.ids[rows],
            owners=self.owners[rows],
            keywords=[self.keywords[row] for row in rows],
            vectors=self.vectors[rows],
        )
