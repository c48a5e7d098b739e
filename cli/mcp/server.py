"""Hopyard for larger agents: an MCP server with seven tools.

The same server speaks over standard input and output (`hopyard mcp`) and over HTTP (`/mcp` of
LangGraph's server). Its threads are those of the command line.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from typing import Any, Final

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context as Call
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resources.templates import ResourceSecurity
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import ValidationError

from hopyard.agent.people import PeopleOnly, people_of_server
from hopyard.cli.mcp.results import PASSAGE_ADDRESS, strategies
from hopyard.cli.mcp.tools import Tools
from hopyard.state.settings.fields import AUTO, Context

INSTRUCTIONS: Final = (
    "Answers questions from an index of documents, with citations. Use `ask` for a new question, "
    "`continue_thread` for a follow-up, for a run that stopped, or to answer what it waits for. "
    "`search` only finds passages, without a model, and `fetch` reads a passage that was found or "
    "cited, or a whole document. In a long document, `find_in_document` finds words, and "
    "`open_pages` reads the pages around a passage."
)

_THIS_MACHINE: Final = ("127.0.0.1", "localhost", "[::1]")


def mcp_server(settings: Callable[[], Context]) -> MCPServer[Any]:
    """The server.

    Args:
        settings: Gives the settings of every question; called in a thread, as it may read files.
    """
    version = importlib.metadata.version("hopyard")
    server = _Server("hopyard", version=version, instructions=INSTRUCTIONS, log_level="WARNING")
    tools = Tools(settings)
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
