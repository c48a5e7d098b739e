"""Hopyard for larger agents: an MCP server with seven tools.

The same server speaks over standard input and output (`hopyard mcp`) and over HTTP (`/mcp` of
LangGraph's server). Its threads are those of the command line.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from functools import wraps
from typing import Annotated, Any, Final, ParamSpec, TypeVar

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context as Call
from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.mcpserver.resources.templates import ResourceSecurity
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import BeforeValidator, Field, ValidationError

from hopyard.agent.advice import Advice, failure_text, with_advice, without_shell_advice
from hopyard.agent.people import CALLER, PeopleOnly, people_of_server
from hopyard.agent.session import Event, Session, open_session
from hopyard.agent.threads.threads import thread_missing
from hopyard.cli.mcp.results import (
    PASSAGE_ADDRESS,
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

INSTRUCTIONS: Final = (
    "Answers questions from an index of documents, with citations. Use `ask` for a new question, "
    "`continue_thread` for a follow-up, for a run that stopped, or to answer what it waits for. "
    "`search` only finds passages, without a model, and `fetch` reads a passage that was found or "
    "cited, or a whole document. In a long document, `find_in_document` finds words, and "
    "`open_pages` reads the pages around a passage."
)

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

_THIS_MACHINE: Final = ("127.0.0.1", "localhost", "[::1]")

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


def mcp_server(settings: Callable[[], Context]) -> MCPServer[Any]:
    """The server.

    Args:
        settings: Gives the settings of every question; called in a thread, as it may read files.
    """
    version = importlib.metadata.version("hopyard")
    server = _Server("hopyard", version=version, instructions=INSTRUCTIONS, log_level="WARNING")
    tools = _Tools(settings)
    for reading in (
        *(tools.search, tools.fetch, tools.find_in_document, tools.open_pages),
        tools.list_strategies,
    ):
        server.add_tool(reading, annotations=ToolAnnotations(read_only_hint=True))
    # Ids may have any form, and they open no file.
    free = ResourceSecurity(exempt_params={"id"})
    server.resource(PASSAGE_ADDRESS, name="passage", security=free)(tools.read_passage)
    for answering in (tools.ask, tools.continue_thread):
        server.add_tool(answering, annotations=ToolAnnotations(destructive_hint=False))
    return server


async def serve_over_http(server: MCPServer[Any], port: int, hosts: Sequence[str]) -> None:
    """Serve `/mcp` to programs of this machine, until the process is interrupted.

    Args:
        hosts: Other names under which requests may come, as through a tunnel. A page of the web
            cannot reach the server under its own name.
    """
    security = TransportSecuritySettings(
        allowed_hosts=[*(f"{name}:*" for name in _THIS_MACHINE), *hosts],
        allowed_origins=[
            *(f"http://{name}:*" for name in _THIS_MACHINE),
            *(f"https://{host}" for host in hosts),
        ],
    )
    app = server.streamable_http_app(stateless_http=True, transport_security=security)
    app.add_middleware(PeopleOnly, people=people_of_server())
    await uvicorn.Server(uvicorn.Config(app, port=port, log_level="warning")).serve()


class _Server(MCPServer[Any]):
    """The server; arguments that do not fit are one sentence instead of pydantic's four lines."""

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Call | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        Raises:
            ToolError: The tool says what is wrong.
        """
        given = {key: value for key, value in arguments.items() if value is not None}
        takes = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        if unknown := given.keys() - takes.get(name, given):  # a filter must not be lost in silence
            known = ", ".join(takes[name]) or "none"
            raise ToolError(f"{name} has no argument {min(unknown)!r}; its arguments: {known}.")
        try:  # Clients send null for what they leave out.
            return await super().call_tool(name, given, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            first = error.__cause__.errors()[0]
            place = ".".join(map(str, first["loc"]))
            known = f" (one of {', '.join(_strategy_names())})" if place == "strategy" else ""
            raise ToolError(
                f"The argument {place!r} of {name} is not usable: {first['msg']}{known}."
            ) from error


def _strategy_names() -> list[str]:
    return [AUTO, *(strategy.name for strategy in strategies().strategies)]


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


class _Tools:
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
