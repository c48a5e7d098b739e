"""Evidence found for several questions, put together for one answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from hopyard.indexes.corpus.records import Passage
from hopyard.state.schemas import Evidence

__all__ = ("join_adjacent", "merge_by_max_score", "merge_by_rounds", "merge_in_shares", "shares")


def join_adjacent(passages: Sequence[Passage]) -> list[list[int]]:
    """Passages that follow each other in a document, put together in its order.

    Args:
        passages: The evidence, best first, without duplicates.

    Returns:
        Blocks of rows of `passages`. A block has the rank of its best passage.
    """
    rows = {(passage.document_id, passage.position): row for row, passage in enumerate(passages)}
    blocks: list[list[int]] = []
    joined: set[int] = set()
    for row, passage in enumerate(passages):
        if row in joined:
            continue
        document, position = passage.document_id, passage.position
        while (document, position - 1) in rows:
            position -= 1
        block = []
        while (following := rows.get((document, position))) is not None:
            block.append(following)
            position += 1
        joined.update(block)
        blocks.append(block)
    return blocks


def merge_by_max_score(rankings: Iterable[Sequence[Evidence]], k: int) -> list[Evidence]:
    """The k units with the best scores over all rankings, each once."""
    best: dict[str, Evidence] = {}
    for ranking in rankings:
        for unit in ranking:
            known = best.get(unit["id"])
            if known is None or unit["score"] > known["score"]:
                best[unit["id"]] = unit
    return sorted(best.values(), key=lambda unit: (-unit["score"], unit["id"]))[:k]


def merge_by_rounds(rankings: Iterable[Sequence[Evidence]], k: int | None = None) -> list[Evidence]:
    """The first k units when the rankings take turns, each unit once.

    Every ranking's best unit comes before any ranking's second, whatever the scores. A unit that
    another ranking gave already counts as this ranking's turn.
    """
    merged: dict[str, Evidence] = {}
    for turn in zip_longest(*rankings):
        for unit in turn:
            if unit is not None:
                merged.setdefault(unit["id"], unit)
    return list(merged.values())[:k]


def shares(k: int, m: int) -> list[int]:
    """Shares of m questions in k places: k/m each, and the first questions get the remainder.

    Args:
        k: Places, at least 1.
        m: Questions, at least 1.

    Returns:
        m numbers that add up to k, in falling order.
    """
    each, more = divmod(k, m)
    return [each + (place < more) for place in range(m)]


def merge_in_shares(rankings: Sequence[Sequence[Evidence]], k: int) -> list[Evidence]:
    """Fill k places with each ranking's share; what an earlier ranking gave is not given twice."""
    taken: dict[str, Evidence] = {}
    for ranking, share in zip(rankings, shares(k, len(rankings)), strict=True):
        new = [unit for unit in ranking if unit["id"] not in taken]
        taken |= {unit["id"]: unit for unit in new[:share]}
    return list(taken.values())
