"""Search for segments: runs of adjacent passages, not single passages (dsRAG).

`extraction` chooses the runs.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.indexes.searches.segments.extraction import (
    Segment,
    best_segments,
    passage_value,
    valued,
)
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.state.schemas import Evidence, passage_evidence

__all__ = ("SEARCH",)

LONGEST: Final = 15
"""Passages of a segment at most, as in dsRAG."""
LEAST: Final = 0.1
"""Value of a segment at least; a passage that ranks first is worth 0.6."""


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


SEARCH: Final = SearchMethod(
    name="segments",
    about="Runs of adjacent passages that hybrid search ranks high (dsRAG).",
    find=_find,
    needs=("sparse",),
    filters=True,
)
