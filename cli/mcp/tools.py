"""The tools of the MCP server: their arguments, and what they do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import wraps
from typing import Annotated, Any, Final, ParamSpec, TypeVar

from mcp.server.mcpserver import Context as Call
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from pydantic import BeforeValidator, Field

from hopyard.agent.advice import Advice, failure_text, with_advice, without_shell_advice
from hopyard.agent.people import CALLER
from hopyard.agent.session import Event, Session, open_session
from hopyard.agent.threads.threads import thread_missing
from hopyard.cli.mcp.results import (
    Fetched,
    FoundInside,
    SearchResults,
    Strategies,
    ToolAnswer,
    answer_of,
    fetch,
    find_inside,
    open_around,
    search,
    strategies,
)
from hopyard.state.errors import (
    HopyardError,
    ThreadBusyError,
    ThreadMissingError,
    ThreadUnfinishedError,
    UsageError,
)
from hopyard.state.settings.fields import AUTO, Context
from hopyard.state.settings.sources import change_context
from hopyard.state.where import condition_texts

ADVICE: Final[Advice] = (
    (ThreadMissingError, "give a thread_id that `ask` has returned"),
    (
        ThreadUnfinishedError,
        "call `continue_thread` without a question first, or ask on another thread",
    ),
    (ThreadBusyError, "wait for it to end, then call again"),
    (HopyardError, "whoever runs this server can change that"),
)
"""Advice that a client can follow."""

ParamT = ParamSpec("ParamT")
ResultT = TypeVar("ResultT")
EvidenceWanted = Annotated[
    bool,
    Field(description="Also give the passages that the answer was read from, with their texts."),
]
Question = Annotated[str, Field(description="What to find out, in one sentence.")]
Where = Annotated[
    tuple[str, ...],
    BeforeValidator(condition_texts),
    Field(
        description="Only documents whose metadata fits are searched, as in "
        '["source=Wired,BBC", "date>=2024-01"]; the operators are =, !=, <, <=, > and >=.',
    ),
]


def _telling_errors(
    tool: Callable[ParamT, Awaitable[ResultT]],
) -> Callable[ParamT, Awaitable[ResultT]]:
    """A tool whose errors an agent can read."""

    @wraps(tool)
    async def telling(*args: ParamT.args, **kwargs: ParamT.kwargs) -> ResultT:
        try:
            return await tool(*args, **kwargs)
        except HopyardError as error:
            raise ToolError(failure_text(error, ADVICE)) from error

    return telling


class Tools:
    """The tools; an error that Hopyard raises on purpose becomes a tool error of one sentence."""

    def __init__(self, settings: Callable[[], Context]) -> None:
        self._settings = lambda: CALLER.get().settings(settings())

    async def _context(self) -> Context:
        return await asyncio.to_thread(self._settings)

    @_telling_errors
    async def ask(
        self,
        question: Question,
        call: Call,
        strategy: Annotated[
            str,
            Field(
                description="How to answer: auto, which chooses by the question, or one of the "
                "strategies that list_strategies names.",
            ),
        ] = "auto",
        thread_id: Annotated[
            str,
            Field(
                description="A name for the new conversation that no other has; made up where it "
                "is empty."
            ),
        ] = "",
        where: Where = (),
        evidence: EvidenceWanted = False,
        explain: Annotated[
            bool,
            Field(
                description="Also say how much of the answer rests on each passage; up to 33 more "
                "model calls."
            ),
        ] = False,
    ) -> ToolAnswer:
        """Answer a question from the indexed documents, with the sentences that support it."""
        asked = {
            **({"strategy": strategy} if strategy != AUTO else {}),
            **({"where": where} if where else {}),
            **({"answer": {"explain": True}} if explain else {}),
        }
        async with open_session() as session:
            context = _changed(await self._context(), asked)
            # Two clients that choose one name must not share a conversation.
            thread = CALLER.get().thread(thread_id)
            steps = session.ask(question, context, thread, new=True)
            return await _follow(session, thread, steps, call, evidence=evidence)

    @_telling_errors
    async def continue_thread(
        self,
        thread_id: Annotated[str, Field(description="As `ask` gave it.")],
        call: Call,
        question: Annotated[
            str, Field(description="A follow-up, which may refer to what was said before.")
        ] = "",
        answer: Annotated[
            Any,
            Field(
                description='To what the run waits for: "approve", "reject", an object with the '
                "arguments to change, or an object with one of these for each id."
            ),
        ] = None,
        evidence: EvidenceWanted = False,
    ) -> ToolAnswer:
        """Ask a follow-up on a thread, resume one that stopped, or answer what it waits for."""
        if question and answer is not None:
            raise UsageError("Give a question or an answer, not both.")
        async with open_session() as session:
            person, own = CALLER.get(), await self._context()
            person.thread(thread_id)
            context = await session.context(thread_id)
            if not person.name and own.groups not in {None, context.groups}:
                raise thread_missing(thread_id)  # it tells what others may read
            changes = {} if own.groups is None else {"groups": own.groups}
            if question:
                steps = session.ask(question, change_context(context, changes), thread_id)
            else:
                steps = session.resume(thread_id, answer, changes=changes)
            return await _follow(session, thread_id, steps, call, evidence=evidence)

    async def list_strategies(self) -> Strategies:
        """List the ways to answer a question, and what each of them is for."""
        return strategies()

    @_telling_errors
    async def search(
        self,
        query: Annotated[str, Field(description="What to look for: a question, or words.")],
        where: Where = (),
        k: Annotated[
            int, Field(description="How many passages; 0 for the usual number.", ge=0, le=100)
        ] = 0,
    ) -> SearchResults:
        """Find the passages of the indexed documents that fit a query. No model is called."""
        asked: dict[str, Any] = {"where": where} if where else {}
        asked |= {"retrieval": {"k": k}} if k else {}
        return await search(query, _changed(await self._context(), asked))

    @_telling_errors
    async def fetch(
        self,
        id: Annotated[  # noqa: A002  (ChatGPT gives it by this name)
            str,
            Field(description="The id of a passage that was found or cited, or of a document."),
        ],
    ) -> Fetched:
        """Read the whole text of a passage or a document."""
        return await fetch(id, await self._context())

    @_telling_errors
    async def find_in_document(
        self,
        document: Annotated[
            str, Field(description="Its title, file or id, or the id of a passage from it.")
        ],
        words: Annotated[
            str, Field(description="Words, or an identifier such as a clause or a part number.")
        ],
    ) -> FoundInside:
        """Find words inside one document, with the passages' texts. No model is called."""
        return await find_inside(document, words, await self._context())

    @_telling_errors
    async def open_pages(
        self,
        id: Annotated[  # noqa: A002  (as `fetch`)
            str, Field(description="The id of a passage that was found or cited.")
        ],
    ) -> Fetched:
        """Read the pages around a passage, such as the rest of a table or a section."""
        return await open_around(id, await self._context())

    async def read_passage(self, id: str) -> str:  # noqa: A002  (the name in the address)
        """The text of a passage or a document."""
        try:
            return (await fetch(id, await self._context())).text
        except HopyardError as error:
            raise ResourceError(with_advice(error, ADVICE)) from error


async def _follow(
    session: Session,
    thread_id: str,
    steps: AsyncGenerator[Event, None],
    call: Call,
    *,
    evidence: bool,
) -> ToolAnswer:
    """The run to its end or to its next question, each step reported as progress."""
    done = 0
    async with aclosing(steps):
        async for event in steps:
            done += 1
            await call.report_progress(done, message=f"{event.graph} {event.node}".strip())
    result = await session.result(thread_id)
    return await asyncio.to_thread(answer_of, result, evidence=evidence)


def _changed(context: Context, asked: dict[str, Any]) -> Context:
    """The server's settings, changed by a client's arguments.

    Raises:
        ToolError: An argument cannot be used.
    """
    try:
        return change_context(context, asked) if asked else context
    except UsageError as error:
        raise ToolError(without_shell_advice(str(error))) from error
