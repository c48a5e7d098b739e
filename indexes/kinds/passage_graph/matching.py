"""The best in-coming question of another passage for each out-coming question.

This is the first half of HopRAG's edge merging: for every out-coming question of a passage s, the
in-coming question of a passage t other than s with the largest SIM (Liu et al., section 3.2,
equation 1). The authors' program scores every pair; `best_matches` gives the same answer from the
pairs that can win (see `candidates`).

A match stays the best until its in-coming question goes or a better one comes. So a generation
(`match_generation`) matches again only the out-coming questions that are new or whose match is
gone, against all in-coming questions, and all others against the new in-coming questions alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import load_array
from hopyard.indexes.kinds.passage_graph.best_so_far import BestSoFar
from hopyard.indexes.kinds.passage_graph.candidates import (
    by_frequent_keyword,
    by_rare_keyword,
    by_vector,
    frequent_keywords,
)
from hopyard.indexes.kinds.passage_graph.questions import Questions

_MATCH: Final = np.dtype([("outcoming", "<i8"), ("incoming", "<i8"), ("similarity", "<f8")])


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


def best_matches(
    outcoming: Questions, incoming: Questions, *, exact_pairs: int = EXACT_PAIRS
) -> Matches:
    """For each out-coming question, the in-coming question of another passage with the largest SIM.

    Exact while the vector part stays within `exact_pairs`; beyond that the matches through
    keywords stay exact and the nearest vectors come from HNSW. Among
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


@dataclass(frozen=True, eq=False)
class Generation:
    """The matches of one generation of the graph."""

    outcoming: NDArray[np.int64]
    """[n] Ids of the out-coming questions, ascending."""
    incoming: NDArray[np.int64]
    """[m] Ids of the in-coming questions, ascending."""
    matches: Matches
    """One match for each of `outcoming`."""

    def save(self, directory: Path) -> None:
        """Write `matches.npy` and `incoming.npy` into a kind's folder."""
        rows: NDArray[Any] = np.empty(len(self.outcoming), dtype=_MATCH)
        rows["outcoming"] = self.outcoming
        rows["incoming"] = self.matches.incoming
        rows["similarity"] = self.matches.similarity
        np.save(directory / "matches.npy", rows, allow_pickle=False)
        np.save(directory / "incoming.npy", self.incoming, allow_pickle=False)

    @classmethod
    def load(cls, directory: Path, approximate: int) -> Generation:
        """Read what `save` wrote.

        Args:
            approximate: How many of the matches went through HNSW.
        """
        rows = load_array(directory / "matches.npy", _MATCH)
        return cls(
            outcoming=np.ascontiguousarray(rows["outcoming"]),
            incoming=np.array(load_array(directory / "incoming.npy", np.int64)),
            matches=Matches(
                incoming=np.ascontiguousarray(rows["incoming"]),
                similarity=np.ascontiguousarray(rows["similarity"]),
                approximate=approximate,
            ),
        )


def match_generation(
    outcoming: Questions, incoming: Questions, last: Generation | None
) -> Generation:
    """The matches of a generation, from those of the last if it has any.

    Equal to a fresh start as long as no vector goes through HNSW.

    Args:
        outcoming: All out-coming questions, in ascending order of id.
        incoming: All in-coming questions, in ascending order of id.
        last: The last generation, made with the same vectors and keywords; None for none.
    """
    if last is None:
        matches = best_matches(outcoming, incoming)
        return Generation(outcoming.ids, incoming.ids, matches)
    place = np.searchsorted(last.outcoming, outcoming.ids)
    place[place == len(last.outcoming)] = 0
    known = np.zeros(len(outcoming), dtype=np.bool_)
    if len(last.outcoming):
        known = last.outcoming[place] == outcoming.ids
    orphaned = known.copy()
    old = last.matches.incoming[place[known]]
    orphaned[known] = (old >= 0) & ~np.isin(old, incoming.ids)
    again = np.flatnonzero(~known | orphaned)
    kept = np.flatnonzero(known & ~orphaned)

    fresh = best_matches(outcoming.take(again), incoming)
    added = incoming.take(np.flatnonzero(~np.isin(incoming.ids, last.incoming)))
    challenge = best_matches(outcoming.take(kept), added)
    standing = Matches(
        last.matches.incoming[place[kept]], last.matches.similarity[place[kept]], approximate=0
    )
    winners = better_of(standing, challenge)
    found, score = np.empty(len(outcoming), np.int64), np.empty(len(outcoming), np.float64)
    found[again], found[kept] = fresh.incoming, winners.incoming
    score[again], score[kept] = fresh.similarity, winners.similarity
    approximate = last.matches.approximate + fresh.approximate + challenge.approximate
    matches = Matches(found, score, min(approximate, len(outcoming)))
    return Generation(outcoming.ids, incoming.ids, matches)
