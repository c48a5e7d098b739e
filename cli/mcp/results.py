"""The results of the MCP tools; `search` and `fetch` as ChatGPT's connectors want them.

Each result is one JSON object, as text and as structured content. A passage of the web is cited by
its address, every other by an address of this server that its client can read as a resource.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Final

from mcp.shared.uri_template import UriTemplate
from pydantic import BaseModel, Field

from hopyard.agent.answer import is_supported
from hopyard.agent.searching import find_evidence, find_in_document, open_pages
from hopyard.agent.texts import with_texts
from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.resources import shared_resources
from hopyard.nodes.run import Run
from hopyard.state import strategy as registry
from hopyard.state.answer import Result
from hopyard.state.errors import UsageError
from hopyard.state.references import reference
from hopyard.state.schemas import Source, notes_of
from hopyard.state.settings.fields import Context


class ToolAnswer(Result):
    """An answer, or the approvals that the run waits for."""

    answer: str
    """The answer, [1] the first citation; empty while it waits."""
    strategy: str
    """How it was answered; empty while that is being asked about."""
    supported: bool
    """Whether there is an answer, and the documents support all of it that was checked."""
    thread_id: str
    """For continue_thread."""
    waiting: list[dict[str, Any]]
    """The approvals that the run waits for, each with its id, the action, and the decisions that
    continue_thread takes; empty if the run is finished."""


class StrategyInfo(BaseModel):
    """One way to answer."""

    name: str
    description: str


class Strategies(BaseModel):
    """All ways to answer."""

    strategies: list[StrategyInfo]


def answer_of(result: Mapping[str, Any], *, evidence: bool = False) -> ToolAnswer:
    """A thread's state as a tool gives it.

    Args:
        evidence: Whether to give the passages that the answer was read from, and all texts. It
            blocks then.
    """
    result = with_texts(result) if evidence else {**result, "evidence": []}
    undecided = any(asked["action_requests"][0]["name"] == "route" for asked in result["waiting"])
    strategy = "" if undecided else result["strategy"]
    told = {"notes": notes_of(result), "supported": is_supported(result)}
    given = {**result, **told, "strategy": strategy}
    return ToolAnswer.model_validate(given)


def strategies() -> Strategies:
    """Every strategy but baselines, with its purpose."""
    return Strategies(
        strategies=[
            StrategyInfo(name=known.name, description=known.about)
            for known in registry.strategies()
            if not known.baseline
        ]
    )


logger = logging.getLogger(__name__)

PASSAGE_ADDRESS: Final = "hopyard://passages/{id}"


class SearchResult(BaseModel):
    """One passage that was found."""

    id: str = Field(description="For `fetch`.")
    title: str = Field(description="Its document, section and page, as in handbook.docx › Travel.")
    url: str


class SearchResults(BaseModel):
    """The passages that were found, the best first."""

    results: list[SearchResult]


class FoundPassage(SearchResult):
    """One passage with its text."""

    text: str


class FoundInside(BaseModel):
    """The passages that were found in a document, the best first."""

    results: list[FoundPassage]
    note: str = Field(description="What took the place of a wrong name; mostly empty.")


class Fetched(BaseModel):
    """The text of one passage, or of a whole document."""

    id: str
    title: str
    text: str
    url: str
    metadata: dict[str, str | int | float | bool] = Field(
        description="Its document_id, source, section and pages, and the document's metadata."
    )


async def search(query: str, context: Context) -> SearchResults:
    """Search with the settings' method. No chat model is called."""
    resources = await asyncio.to_thread(shared_resources)
    found = await find_evidence(query, context, resources)
    if found.problem:
        logger.warning("%s", found.problem)
    return SearchResults(
        results=[
            SearchResult(id=name, title=source.get("reference", ""), url=_address(source))
            for name, source in found.sources.items()
        ]
    )


async def find_inside(document: str, words: str, context: Context) -> FoundInside:
    """Find words in one document; see `agent.searching.find_in_document`."""
    resources = await asyncio.to_thread(shared_resources)
    found = await find_in_document(document, words, context, resources)
    results = [
        FoundPassage(
            id=name, title=source.get("reference", ""), url=_address(source), text=source["text"]
        )
        for name, source in found.sources.items()
    ]
    return FoundInside(results=results, note=found.problem)


async def open_around(passage_id: str, context: Context) -> Fetched:
    """Read the pages around a passage; see `agent.searching.open_pages`."""
    resources = await asyncio.to_thread(shared_resources)
    found = await open_pages(passage_id, context, resources)
    passages = list(found.passages.values())
    ends = [passages[0].pages.partition("-")[0], passages[-1].pages.rpartition("-")[2]]
    return _fetched(passage_id, passages, "-".join(dict.fromkeys(filter(None, ends))))


async def fetch(name: str, context: Context) -> Fetched:
    """Read a passage, or a document with all its passages.

    Args:
        name: The id of a passage or of a document.

    Raises:
        UsageError: The index has neither a passage nor a document of that id.
        IndexMissingError: The index is missing, damaged, or of another embedding model.
    """
    run = Run("", context, await asyncio.to_thread(shared_resources))
    corpus = (await run.index()).corpus
    passages = list((await asyncio.to_thread(corpus.existing, [name])).values())
    if not passages:
        passages = await asyncio.to_thread(corpus.passages_of, name)
    if not passages:
        raise UsageError(f"The index has no passage and no document with the id {name!r}.")
    return _fetched(name, passages)


def _fetched(name: str, passages: list[Passage], pages: str = "") -> Fetched:
    first = passages[0].as_source()
    if len(passages) > 1:  # a whole document, or pages of it
        first = Source(**{**first, "passage_id": name, "section": "", "pages": pages})
    place = {key: first.get(key, "") for key in ("document_id", "source", "section", "pages")}
    known = {**passages[0].metadata, **place}
    return Fetched(
        id=name,
        title=reference(first),
        text="\n\n".join(passage.text for passage in passages),
        url=_address(first),
        metadata={key: value for key, value in known.items() if value != ""},
    )


def _address(source: Source) -> str:
    given = source.get("source", "")
    if given.startswith(("http://", "https://")):
        return given
    return UriTemplate.parse(PASSAGE_ADDRESS).expand({"id": source["passage_id"]})
