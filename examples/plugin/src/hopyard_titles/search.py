"""The search method `titles`: passages whose title shares words with the text."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Final

from hopyard.indexes.search import Search, SearchMethod
from hopyard.state.schemas import Evidence, passage_evidence
from hopyard_titles.index import words_of


async def find(search: Search) -> list[Evidence]:
    """The score is the number of shared words, rare words counting more."""
    titles = await asyncio.to_thread(search.index.reader, "titles")
    scores: dict[str, float] = defaultdict(float)
    for word in words_of(search.text):
        passages = titles.get(word, [])
        for passage_id in passages:
            scores[passage_id] += 1 / len(passages)
    best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[: search.k]
    return [passage_evidence(passage_id, score) for passage_id, score in best]


SEARCH: Final = SearchMethod(
    name="titles",
    about="The passages whose title shares words with the question, rare words first.",
    find=find,
    needs=("titles",),
)
