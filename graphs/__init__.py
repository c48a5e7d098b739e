"""What runs: the agent and its strategies, one module a compiled graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopyard.graphs.tool import as_tool

__all__ = ("as_tool",)


def __getattr__(name: str) -> Any:
    """Load what is exported when it is first asked for: one strategy does not need all."""
    if name == "as_tool":
        from hopyard.graphs.tool import as_tool  # noqa: PLC0415

        return as_tool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
