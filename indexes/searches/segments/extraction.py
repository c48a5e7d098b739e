"""The best runs of adjacent passages, by their values (relevant segment extraction, RSE).

McCormick, dsRAG (formerly spRAG), 2024. A passage's value is its relevance less a penalty, so a run
gains by what is relevant in it and loses by the rest. The best run of all comes first.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

__all__ = ("Place", "Segment", "best_segments", "passage_value", "valued")

PENALTY: Final = 0.4
"""Subtracted from each passage's relevance; the larger, the shorter are the runs (dsRAG: 0.18)."""
DECAY: Final = 1.5
"""Ranks, as a multiple of the passages wanted, after which the relevance has fallen to 1/e.

dsRAG gives about 30 passages and has a decay of 30 ranks.
"""

Place = tuple[str, int]
"""A passage: its document's id, and its position there."""


class Segment(NamedTuple):
    """Adjacent passages of one document.

    Attributes:
        first: The place of the first passage.
        length: How many passages it has.
        value: The sum of their values.
    """

    first: Place
    length: int
    value: float


def passage_value(rank: int, k: int) -> float:
    """The value of a passage that a search ranks.

        v = exp(-rank / (DECAY · k)) - PENALTY

    Args:
        rank: Its rank, from 0.
        k: The number of passages wanted.
    """
    return math.exp(-rank / (DECAY * k)) - PENALTY


def valued(k: int) -> int:
    """The number of ranks with a value of at least 0."""
    return math.floor(DECAY * k * math.log(1 / PENALTY)) + 1


def best_segments(
    queries: Sequence[Mapping[Place, float]],
    *,
    longest: int,
    total: int,
    least: float,
    absent: float = -PENALTY,
) -> list[Segment]:
    """The best runs that do not overlap. The queries take turns; each takes its best run left.

    Args:
        queries: For each query, the values of the passages that its search ranks.
        longest: The most passages of a run.
        total: The most passages of all runs together.
        least: The least value of a run.
        absent: The value of any other passage, below 0.

    Returns:
        The runs in the order of choice. Each begins and ends with a value of at least 0.
    """
    turns = deque(queries)
    taken: set[Place] = set()
    chosen: list[Segment] = []
    while turns and len(taken) < total:
        values = turns.popleft()
        runs = _runs(values, taken, min(longest, total - len(taken)), absent)
        best = max(runs, key=lambda run: run.value, default=None)
        if best is None or best.value < least:
            continue  # nor will it have one later
        chosen.append(best)
        document, start = best.first
        taken.update((document, start + place) for place in range(best.length))
        turns.append(values)
    return chosen


def _runs(
    values: Mapping[Place, float], taken: set[Place], longest: int, absent: float
) -> Iterator[Segment]:
    """Every run that may be chosen, in order of its place."""
    ends = {place for place, value in values.items() if value >= 0} - taken
    for document, start in sorted(ends):
        value = 0.0
        for length in range(1, longest + 1):
            place = (document, start + length - 1)
            if place in taken:
                break
            value += values.get(place, absent)
            if place in ends:
                yield Segment((document, start), length, value)
