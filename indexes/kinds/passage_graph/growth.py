"""The matches of one generation, and how they become those of the next.

A match stays the best until its in-coming question goes or a better one comes. So a generation
matches again only the out-coming questions that are new or whose match is gone, against all
in-coming questions, and all others against the new in-coming questions alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import load_array
from hopyard.indexes.kinds.passage_graph.matching import Matches, best_matches, better_of
from hopyard.indexes.kinds.passage_graph.questions import Questions

__all__ = ("Generation", "match_generation")

_MATCH: Final = np.dtype([("outcoming", "<i8"), ("incoming", "<i8"), ("similarity", "<f8")])


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
            directory: The kind's folder.
            approximate: How many of the matches went through HNSW.

        Raises:
            IndexMissingError: A file is missing or damaged.
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
    outcoming: Questions, incoming: Questions, last: Generation | None, *, exact_pairs: int
) -> Generation:
    """The matches of a generation, from those of the last one where there is one.

    Equal to a fresh start as long as no vector goes through HNSW.

    Args:
        outcoming: All out-coming questions, in ascending order of id.
        incoming: All in-coming questions, in ascending order of id.
        last: The last generation, made with the same vectors and keywords; None for none.
        exact_pairs: See `best_matches`.
    """
    if last is None:
        matches = best_matches(outcoming, incoming, exact_pairs=exact_pairs)
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

    fresh = best_matches(outcoming.take(again), incoming, exact_pairs=exact_pairs)
    added = incoming.take(np.flatnonzero(~np.isin(incoming.ids, last.incoming)))
    challenge = best_matches(outcoming.take(kept), added, exact_pairs=exact_pairs)
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
