"""Evidence found for several questions, put together for one answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from hopyard.indexes.corpus.records import Passage
from hopyard.state.schemas import Evidence


def as_read(passages: Sequence[Passage], evidence: Iterable[Evidence]) -> list[Passage]:
    """The passages of some evidence as the model reads them.

    A passage is read whole, unless it is only in units that have texts of their own, such as
    summaries: then these texts take the place of its text.

    Args:
        passages: The passages of the evidence, in the order of their numbers.
    """
    numbers = {passage.id: number for number, passage in enumerate(passages, start=1)}
    texts: dict[str, dict[str, None]] = {}
    whole = set[str]()
    for unit in evidence:
        if "texts" not in unit:
            whole.update(unit["passages"])
        last = 1
        for name, text in zip(unit["passages"], unit.get("texts", ()), strict=False):
            last = numbers[name] if text else last
            texts.setdefault(name, {})[text or f"See [{last}]."] = None
    return [
        passage if passage.id in whole else replace(passage, text=" ".join(texts[passage.id]))
        for passage in passages
    ]


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
