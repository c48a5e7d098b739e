"""What drives the graphs for a caller: sessions, streaming, approvals, deletion, the tool."""

from hopyard.agent.tool import as_tool

__all__ = ("as_tool",)
