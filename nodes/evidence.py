"""Passages found for several questions, put together for one answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopyard.state.schemas import Evidence

__all__ = ("in_shares", "pooled", "shares")


def pooled(rankings: Iterable[Sequence[Evidence]], k: int) -> list[Evidence]:
    """The k passages with the best scores over all rankings, each once.

    Args:
        rankings: The passages of each question, scored by the same search.
        k: Passages at most.
    """
    best: dict[str, float] = {}
    for ranking in rankings:
        for passage in ranking:
            passage_id = passage["passage_id"]
            best[passage_id] = max(passage["score"], best.get(passage_id, passage["score"]))
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))
    return [Evidence(passage_id=passage_id, score=score) for passage_id, score in ranked[:k]]


def shares(k: int, m: int) -> list[int]:
    """Places of m questions that share k: k/m each, the first ones one more if k/m is not whole.

    Args:
        k: Places, at least 1.
        m: Questions, at least 1.

    Returns:
        m numbers that add up to k, in falling order.
    """
    each, more = divmod(k, m)
    return [each + (place < more) for place in range(m)]


def in_shares(rankings: Sequence[Sequence[Evidence]], k: int) -> list[Evidence]:
    """Fill k places with each ranking's share; what an earlier ranking gave is not given twice.

    Args:
        rankings: The passages of each question, the best first, k of each where there are so many.
        k: Places.
    """
    taken: dict[str, Evidence] = {}
    for ranking, share in zip(rankings, shares(k, len(rankings)), strict=True):
        new = [one for one in ranking if one["passage_id"] not in taken]
        taken |= {one["passage_id"]: one for one in new[:share]}
    return list(taken.values())
