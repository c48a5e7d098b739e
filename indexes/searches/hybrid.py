"""Hybrid search: dense and sparse, merged by reciprocal rank fusion.

Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank
Learning Methods", SIGIR 2009.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence, passage_evidence

__all__ = ("SEARCH", "reciprocal_rank_fusion")

RRF_K: Final = 60
"""The paper's constant: it keeps one list's first places from outweighing agreement."""
_CANDIDATES: Final = 20
"""Passages of each search, at least: as many as MMR chooses from."""


async def _find(search: Search) -> list[Evidence]:
    """Merge the best of each search.

    The score is the fused one as a share of the highest possible: 1 is first in both.
    """
    fetch = max(search.k, _CANDIDATES)
    found = await asyncio.gather(search.by("dense", k=fetch), search.by("sparse", k=fetch))
    rankings = [[unit["id"] for unit in units] for units in found]
    highest = len(rankings) / (RRF_K + 1)
    return [
        passage_evidence(passage_id, score / highest)
        for passage_id, score in reciprocal_rank_fusion(rankings)[: search.k]
    ]


def reciprocal_rank_fusion(
    rankings: Iterable[Sequence[str]], k: int = RRF_K
) -> list[tuple[str, float]]:
    """Merge rankings by rank alone, so that scores of different scales need no calibration.

        RRFscore(d) = Σ over rankings r that hold d of 1 / (k + r(d)),   r(d) = 1, 2, …

    Args:
        rankings: Lists of ids, the best first, without repetition.
        k: The larger, the less the first places count.

    Returns:
        (id, score) pairs, the best first, equals by id; scores lie in (0, n / (k + 1)].
    """
    scores: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, name in enumerate(ranking, start=1):
            scores[name] += 1 / (k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


SEARCH: Final = SearchMethod(
    name="hybrid",
    about="Dense and sparse search, merged by reciprocal rank fusion.",
    find=_find,
    needs=("dense", "sparse"),
    without_vectors="sparse",
    filters=True,
)
