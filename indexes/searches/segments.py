"""Search for segments: runs of adjacent passages, not single passages.

McCormick, dsRAG (formerly spRAG), 2024, "relevant segment extraction". A passage's value is its
relevance less a penalty, so a run gains by what is relevant in it and loses by the rest. The best
run of all comes first.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from hopyard.indexes.search import Search, SearchMethod
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.state.schemas import Evidence, passage_evidence

PENALTY: Final = 0.4
"""Subtracted from each passage's relevance; the larger, the shorter are the runs (dsRAG: 0.18)."""
DECAY: Final = 1.5
"""Ranks, as a multiple of the passages wanted, after which the relevance has fallen to 1/e.

dsRAG gives about 30 passages and has a decay of 30 ranks.
"""
LONGEST: Final = 15
"""Passages of a segment at most, as in dsRAG."""
LEAST: Final = 0.1
"""Value of a segment at least; a passage that ranks first is worth 0.6."""

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


async def _find(search: Search) -> list[Evidence]:
    """Rank passages by hybrid search, and choose the best runs: k passages in all.

    If the text asks several questions, these take turns with the whole text.
    """
    rankings = await asyncio.gather(
        *(
            replace(search, text=text).by("hybrid", k=valued(search.k))
            for text in _queries(search.text)
        )
    )
    ranked = dict.fromkeys(unit["id"] for ranking in rankings for unit in ranking)
    passages = await asyncio.to_thread(search.index.passages, list(ranked))
    places = {passage.id: (passage.document_id, passage.position) for passage in passages}
    queries = [
        {places[unit["id"]]: passage_value(rank, search.k) for rank, unit in enumerate(ranking)}
        for ranking in rankings
    ]
    segments = best_segments(queries, longest=LONGEST, total=search.k, least=LEAST)
    names = {place: name for name, place in places.items()}
    return [await asyncio.to_thread(_unit, search, names[each.first], each) for each in segments]


def _queries(text: str) -> list[str]:
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    questions = [sentence for sentence in sentences if sentence.endswith("?")]
    return [text, *questions] if len(questions) > 1 else [text]


def _unit(search: Search, first: str, segment: Segment) -> Evidence:
    run = search.index.neighbours(first, 0, segment.length - 1)
    names = [each.id for each in run if search.allowed is None or each.id in search.allowed]
    if len(names) == 1:
        return passage_evidence(first, segment.value)
    name = f"{first}…{names[-1]}"
    return Evidence(kind="segment", id=name, score=segment.value, passages=names)


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


SEARCH: Final = SearchMethod(
    name="segments",
    about="Runs of adjacent passages that hybrid search ranks high (dsRAG).",
    find=_find,
    needs=("sparse",),
    filters=True,
)
