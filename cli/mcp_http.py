"""The MCP server over HTTP, inside of LangGraph's server (`langgraph.json` names `app`)."""

from __future__ import annotations

from hopyard.cli.mcp_server import mcp_server
from hopyard.cli.options import context_from

app = mcp_server(lambda: context_from({})).streamable_http_app(stateless_http=True)
"""`/mcp`, for clients on this machine; settings come from the environment and `hopyard.toml`."""
