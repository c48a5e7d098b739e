"""`hopyard mcp`."""

from __future__ import annotations

import asyncio

from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    ModelOption,
    SetOption,
    StrategyOption,
    context_from,
)
from hopyard.state.extras import require

__all__ = ("mcp_command",)


def mcp_command(
    index: IndexOption = None,
    strategy: StrategyOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
) -> None:
    """Serve MCP clients over standard input and output."""
    context = context_from(
        {"index": index, "strategy": strategy, "model": model, "embedding": embedding}, set_
    )
    require("`hopyard mcp`", "mcp")
    from hopyard.cli.mcp_server import mcp_server

    asyncio.run(mcp_server(lambda: context).run_stdio_async())
