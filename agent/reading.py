"""Hopyard's searches as LangChain tools, for an agent that reads long documents itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Annotated, Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import Field
from typing_extensions import Unpack

from hopyard.agent.advice import failure_text
from hopyard.agent.background import wait, wait_async
from hopyard.agent.hopyard import Hopyard
from hopyard.agent.keywords import Settings
from hopyard.agent.searching import Found, find_evidence, find_in_document, open_pages
from hopyard.prompts.passages import one_line
from hopyard.state.errors import HopyardError

_Query = Annotated[str, Field(description="What to look for: a question, or words.")]
_Document = Annotated[str, Field(description="Its title or file, or the id of a passage from it.")]
_Words = Annotated[
    str, Field(description="Words, or an identifier such as a clause or a part number.")
]
_Id = Annotated[str, Field(description="The id of a passage that was found.")]


def as_reading_tools(
    index: str | Path | Hopyard = "",
    **named: Unpack[Settings],
) -> list[BaseTool]:
    """Make three LangChain tools of an index, sync and async; none calls a chat model.

        agent = create_agent("openai:gpt-4.1-mini", hopyard.as_reading_tools("my-index"))

    `search_documents` finds passages, `find_in_document` finds words inside one document, and
    `open_pages` reads the pages around a passage. The agent reads one passage a line with its id,
    and it answers by itself. To have questions answered, use `as_tool`.

    Args:
        index: The index directory, read from `HOPYARD_INDEX` if it is empty; or a `Hopyard`.
        **named: Settings, as in `search="pagerank"`, `k=8`, `where="date>=2024"`.
    """
    hop = Hopyard.of(index, **named)

    async def search(query: _Query) -> str:
        """Find passages of the documents that fit a query."""
        return await _told(find_evidence(query, hop.context, hop.resources))

    async def find(document: _Document, words: _Words) -> str:
        """Find words inside one document."""
        return await _told(find_in_document(document, words, hop.context, hop.resources))

    async def around(id: _Id) -> str:  # noqa: A002  (as in the passages that it reads)
        """Read the pages around a passage, such as the rest of a table or a section."""
        return await _told(open_pages(id, hop.context, hop.resources))

    return [
        _tool("search_documents", search),
        _tool("find_in_document", find),
        _tool("open_pages", around),
    ]


def _tool(name: str, work: Callable[..., Coroutine[Any, Any, str]]) -> BaseTool:
    async def later(**given: Any) -> str:
        return await wait_async(work(**given))

    def now(**given: Any) -> str:
        return wait(work(**given))

    schema = StructuredTool.from_function(coroutine=work, name=name).args_schema
    return StructuredTool.from_function(
        func=now,
        coroutine=later,
        name=name,
        description=str(work.__doc__),
        args_schema=schema,
        handle_tool_error=True,
    )


async def _told(work: Awaitable[Found]) -> str:
    """The passages for a model to read, one a line, after what reduced them."""
    try:
        found = await work
    except HopyardError as error:  # the model may act on it
        raise ToolException(failure_text(error)) from error
    lines = [
        f"[{name}] {one_line(source.get('reference', ''))}: {one_line(source['text'])}"
        for name, source in found.sources.items()
    ]
    return "\n".join(filter(None, [found.problem, *lines])) or "No passage was found."
