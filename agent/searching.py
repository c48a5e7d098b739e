"""Searching and reading an index without a model call: evidence with its passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.inside import look_for, look_inside
from hopyard.nodes.lifecycle import check_question
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.errors import UsageError
from hopyard.state.references import with_references
from hopyard.state.schemas import Evidence, Look, Source, passage_ids
from hopyard.state.settings.fields import Context


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
    """Search for a text with the settings' method, index and filter. No chat model is called."""
    run = Run("", context, resources)
    found = await run.try_find(check_question(text), models=False)
    return await _with_sources(run, found.evidence, found.reason)


async def find_in_document(
    document: str, words: str, context: Context, resources: Resources
) -> Found:
    """Find words inside one document.

    Args:
        document: Its title, file or id, or the id of one of its passages. A name that no document
            has leads to the nearest name or to a search, and `Found.problem` says so.

    Raises:
        UsageError: There are no words, or the settings name no index.
        IndexMissingError: The index is missing.
    """
    if not words.strip():
        raise UsageError("There are no words to find; give some, as in `clause 4.2.1`.")
    run, wanted = Run("", context, resources), check_question(words)
    if passage := (await run.existing([document])).get(document):
        document = passage.document_id
    return await _look(run, await look_for(run, wanted, document))


async def open_pages(passage_id: str, context: Context, resources: Resources) -> Found:
    """The pages around a passage.

    Raises:
        UsageError: The index has no such passage, or the settings name no index.
        IndexMissingError: The index is missing.
    """
    run = Run("", context, resources)
    await run.index()
    if not await run.existing([passage_id]):
        raise UsageError(f"The index has no passage with the id {passage_id!r}.")
    return await _look(run, Look(kind="open", text="", id=passage_id))


async def _look(run: Run, look: Look) -> Found:
    found = await look_inside(run, look, run.settings.retrieval.k)
    problem = " ".join(filter(None, (look.get("reason"), found.reason)))
    return await _with_sources(run, found.evidence, problem)


async def _with_sources(run: Run, units: Sequence[Evidence], problem: str) -> Found:
    passages = {passage.id: passage for passage in await run.passages(passage_ids(units))}
    sources = with_references(passage.as_source(text=True) for passage in passages.values())
    evidence = [
        Evidence(**{**unit, "sources": [sources[name] for name in unit["passages"]]})
        for unit in units
    ]
    problem = " ".join(filter(None, (problem, await run.filter_note())))
    return Found(evidence, passages, sources, problem)
