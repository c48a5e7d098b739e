"""Searching an index without a model call: the evidence for a text, with its passages."""

from __future__ import annotations

from dataclasses import dataclass

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.lifecycle import check_question
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.references import with_references
from hopyard.state.schemas import Evidence, Source, passage_ids
from hopyard.state.settings.fields import Context

__all__ = ("Found", "find_evidence")


@dataclass(frozen=True)
class Found:
    """The result of a search.

    Attributes:
        evidence: The units, the best first, each with the sources of its passages.
        passages: The passages behind them, by id.
        sources: Where each passage is from, with its text, by id.
        problem: Why the search gave less than was asked for, and how many documents the filter
            left out because they have no date; "" if neither.
    """

    evidence: list[Evidence]
    passages: dict[str, Passage]
    sources: dict[str, Source]
    problem: str


async def find_evidence(text: str, context: Context, resources: Resources) -> Found:
    """Search for a text with the settings' method, index and filter. No chat model is called.

    Raises:
        UsageError: The text is empty, or the settings name no index.
        IndexMissingError: The index is missing, or lacks a kind that the method needs.
    """
    run = Run("", context, resources)
    found = await run.try_find(check_question(text), models=False)
    units = found.evidence
    passages = {passage.id: passage for passage in await run.passages(passage_ids(units))}
    sources = with_references(passage.as_source(text=True) for passage in passages.values())
    evidence = [
        Evidence(**{**unit, "sources": [sources[name] for name in unit["passages"]]})
        for unit in units
    ]
    problem = " ".join(filter(None, (found.reason, await run.filter_note())))
    return Found(evidence, passages, sources, problem)
