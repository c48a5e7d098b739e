"""`hopyard mcp`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from hopyard.cli.console import err
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    ModelOption,
    SetOption,
    StrategyOption,
    context_from,
)
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.state.errors import UsageError
from hopyard.state.extras import require


def mcp_command(
    index: IndexOption = None,
    strategy: StrategyOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Serve over HTTP at http://127.0.0.1:PORT/mcp."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            help="Over HTTP, also serve requests to this host name, such as a tunnel's; several "
            "times. There is no password."
        ),
    ] = None,
) -> None:
    """Serve MCP clients over standard input and output, or over HTTP."""
    context = context_from(
        {"index": index, "strategy": strategy, "model": model, "embedding": embedding}, set_
    )
    require("`hopyard mcp`", "mcp")
    if allow_host and port is None:
        raise UsageError("--allow-host is for HTTP: give --port too.")
    if context.index:  # a client would show an error of the first call only
        from hopyard.indexes.corpus.shared import folder_of

        read_manifest(folder_of(context.index))
    from hopyard.cli.mcp.server import mcp_server, serve_over_http

    server = mcp_server(lambda: context)
    if port is None:
        asyncio.run(server.run_stdio_async())
    else:
        err.print(f"http://127.0.0.1:{port}/mcp; Ctrl-C stops the server.", markup=False)
        asyncio.run(serve_over_http(server, port, allow_host or ()))
