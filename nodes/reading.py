"""What the model reads of the documents for one search: the passages found and their pages."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from hopyard.indexes.inside import rest_of_pages
from hopyard.nodes.run import Found, Run
from hopyard.prompts.traits import traits_of
from hopyard.state.schemas import Evidence, passage_evidence, passage_ids
from hopyard.state.text.tokens import tokens_of

__all__ = ("find_to_read", "rest_to_read")

_WHY: Final = "on the page of a passage that was found"


async def find_to_read(
    run: Run, text: str, *, step: str = "", models: bool = True, without: Collection[str] = ()
) -> Found:
    """Search as `run.try_find` does; the rest of the pages follows what was found.

    Raises:
        UsageError: The run names no index, or the filter names a field that no passage has.
        IndexMissingError: The index is missing, or lacks a kind that the search needs.
    """
    found = await run.try_find(text, step=step, models=models, without=without)
    rest = await rest_to_read(run, found.evidence)
    return replace(found, evidence=[*found.evidence, *rest])


async def rest_to_read(
    run: Run, evidence: Sequence[Evidence], *, parts: int = 1, seen: Collection[str] = ()
) -> list[Evidence]:
    """The rest of the pages of some evidence, as far as `retrieval.tokens` allows.

    Args:
        run: The run.
        evidence: The evidence, the best first.
        parts: The number of searches that share the tokens.
        seen: Ids of passages that need not be read again.
    """
    tokens = run.settings.retrieval.tokens
    most = (traits_of(run.settings).read_tokens if tokens is None else tokens) // parts
    names = passage_ids(evidence)
    if not most or not names:
        return []
    left = most - sum(tokens_of(passage.text) for passage in await run.passages(names))
    index, allowed = await run.index(), await run.allowed()
    rest = await asyncio.to_thread(rest_of_pages, index, names, left, allowed)
    return [
        Evidence(**passage_evidence(passage.id, 0.0), why=_WHY)
        for passage in rest
        if passage.id not in seen
    ]
