"""The MCP server over HTTP, inside of LangGraph's server (`langgraph.json` names `app`)."""

from __future__ import annotations

from hopyard.agent.people import PeopleOnly, people_of_server
from hopyard.cli.mcp.server import mcp_server
from hopyard.cli.options import context_from
from hopyard.state.settings.fields import Context
from hopyard.state.settings.index_address import lasting_index


def _settings() -> Context:
    """From the environment and `hopyard.toml`, read again for each question."""
    context = context_from({})
    return context.model_copy(update={"index": lasting_index(context.index)})


app = mcp_server(_settings).streamable_http_app(stateless_http=True)
"""`/mcp`, for clients on this machine; only for people with a token if `HOPYARD_PEOPLE` names
some."""
app.add_middleware(PeopleOnly, people=people_of_server())
