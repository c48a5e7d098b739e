"""The best in-coming question of another passage for each out-coming question.

This is the first half of HopRAG's edge merging: for every out-coming question of a passage s, the
in-coming question of a passage t other than s with the largest SIM (Liu et al., section 3.2,
equation 1). The authors' program scores every pair; `best_matches` gives the same answer from the
pairs that can win (see `candidates`).

A graph that grows or shrinks needs no fresh start:

* passages added: `best_matches` of their out-coming questions against all in-coming ones, and
  `better_of` the old matches and those of all other out-coming questions against the new
  in-coming ones;
* passages removed: `best_matches` of the out-coming questions whose match is gone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.passage_graph.best_so_far import BestSoFar
from hopyard.indexes.kinds.passage_graph.candidates import (
    by_frequent_keyword,
    by_rare_keyword,
    by_vector,
    frequent_keywords,
)
from hopyard.indexes.kinds.passage_graph.questions import Questions

__all__ = ("EXACT_PAIRS", "Agreement", "Matches", "best_matches", "better_of", "measure_agreement")

# Pairs of vectors up to which the nearest is found exactly: some seconds on two cores.
EXACT_PAIRS: Final = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Matches:
    """The best match of each out-coming question; row i belongs to out-coming question i."""

    incoming: NDArray[np.int64]
    """[n] Id of the in-coming question, or -1 where no other passage has one."""
    similarity: NDArray[np.float64]
    """[n] SIM in [-0.5, 1], or -inf where `incoming` is -1."""
    approximate: int
    """How many rows went through HNSW; 0 when every match is exact."""

    def __len__(self) -> int:
        return len(self.incoming)


@dataclass(frozen=True)
class Agreement:
    """How far approximate matches agree with the exact answer, on a sample."""

    sampled: int
    """Out-coming questions compared."""
    same: int
    """Those whose match is the exact one, or of the same SIM."""
    mean_loss: float
    """Mean of (exact SIM - approximate SIM) over the sample."""
    worst_loss: float
    """The largest of these differences."""

    @property
    def share(self) -> float:
        """Share of the sample that agrees, in [0, 1]; 1 for an empty sample."""
        return self.same / self.sampled if self.sampled else 1.0


def best_matches(
    outcoming: Questions, incoming: Questions, *, exact_pairs: int = EXACT_PAIRS
) -> Matches:
    """For each out-coming question, the in-coming question of another passage with the largest SIM.

    Exact while the vector part stays within `exact_pairs`; beyond that the matches through
    keywords stay exact and the nearest vectors come from HNSW: see `measure_agreement`. Among
    equal SIM the lowest id wins. Memory is the encoded questions plus blocks of fixed size.

    Args:
        outcoming: The questions to match: all of them, or those that need a match.
        incoming: The questions to choose from: all of them, or those that are new.
        exact_pairs: Out-coming questions (those that keywords have not settled) times in-coming
            questions, up to which the nearest vectors are found by a blocked matrix product.

    Returns:
        One match for each out-coming question, in the order of `outcoming`.

    Raises:
        ValueError: The two sides have vectors of different length.
    """
    if not len(outcoming) or not len(incoming):
        nothing = np.full(len(outcoming), -1, dtype=np.int64)
        return Matches(nothing, np.full(len(outcoming), -np.inf), approximate=0)
    if outcoming.vectors.shape[1] != incoming.vectors.shape[1]:
        message = (
            f"Out-coming vectors have {outcoming.vectors.shape[1]} dimensions and in-coming ones "
            f"{incoming.vectors.shape[1]}; embed both with one model."
        )
        raise ValueError(message)
    best = BestSoFar(outcoming, incoming)
    frequent = frequent_keywords(best)
    # Keywords first: the rows that they settle need no nearest vector.
    by_rare_keyword(best, frequent)
    by_frequent_keyword(best, frequent)
    approximate = by_vector(best, exact_pairs=exact_pairs)
    found = best.column >= 0
    ids = np.where(found, best.columns.ids[best.column], -1)
    return Matches(ids, best.score, approximate)


def better_of(left: Matches, right: Matches) -> Matches:
    """Row by row the match with the larger SIM; among equal SIM the lower id.

    `better_of(best_matches(o, a), best_matches(o, b))` is `best_matches(o, a and b together)`.

    Raises:
        ValueError: The two do not have the same number of rows.
    """
    if len(left) != len(right):
        message = f"{len(left)} and {len(right)} matches are not of the same out-coming questions."
        raise ValueError(message)
    tied = (right.similarity == left.similarity) & (right.incoming < left.incoming)
    take_right = (right.similarity > left.similarity) | tied
    return Matches(
        incoming=np.where(take_right, right.incoming, left.incoming),
        similarity=np.where(take_right, right.similarity, left.similarity),
        approximate=max(left.approximate, right.approximate),
    )


def measure_agreement(
    outcoming: Questions,
    incoming: Questions,
    matches: Matches,
    *,
    sample: int = 1000,
    seed: int = 0,
) -> Agreement:
    """Compare matches with the exact answer on a random sample of the out-coming questions.

    Args:
        outcoming: What was matched.
        incoming: What it was matched with.
        matches: The result of `best_matches` for these.
        sample: Out-coming questions to draw, all of them where there are fewer.
        seed: Seed of the draw.

    Returns:
        Counts and losses; the share that agrees is 1 for an exact result.
    """
    drawn = np.random.default_rng(seed).permutation(len(outcoming))[:sample]
    exact = best_matches(outcoming.take(drawn), incoming, exact_pairs=len(drawn) * len(incoming))
    got = matches.similarity[drawn]
    # Rows without any match are -inf on both sides, and their difference is no number.
    differs = exact.similarity != got
    loss = np.subtract(exact.similarity, got, out=np.zeros(len(drawn)), where=differs)
    return Agreement(
        sampled=len(drawn),
        same=int(np.count_nonzero(loss == 0.0)),
        mean_loss=float(loss.mean()) if len(drawn) else 0.0,
        worst_loss=float(loss.max(initial=0.0)),
    )
