"""`hopyard serve`."""

from __future__ import annotations

import secrets
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final
from urllib.parse import quote

import typer

from hopyard.cli.console import err
from hopyard.cli.options import (
    EmbeddingOption,
    IndexOption,
    ModelOption,
    SetOption,
    StrategyOption,
    given_settings,
)
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.state.errors import UsageError
from hopyard.state.extras import require

_ANY: Final = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104
"""Addresses that stand for all of this machine's, and the address that a browser here opens."""


def serve_command(
    index: IndexOption = None,
    strategy: StrategyOption = None,
    model: ModelOption = None,
    embedding: EmbeddingOption = None,
    set_: SetOption = None,
    documents: Annotated[
        list[Path] | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="A folder with the files of the documents, for pictures of their pages; several "
            "times. Without it, the folders that the index was built from on this machine.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen at. One that others reach needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port.")] = 8420,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(help="A name that requests may come under, such as a proxy's; several times."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="HOPYARD_TOKEN", help="The token that requests must bring; `new` makes a token."
        ),
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option(
            envvar="HOPYARD_PEOPLE",
            exists=True,
            dir_okay=False,
            help="A TOML file with a table for each person who may ask: a token, and the groups "
            "whose documents the person may read.",
        ),
    ] = None,
) -> None:
    """Serve a page in the browser, and an endpoint for OpenAI clients."""
    given = given_settings(
        {"index": index, "strategy": strategy, "model": model, "embedding": embedding}, set_
    )
    require("`hopyard serve`", "serve")
    from hopyard.agent.people import read_people
    from hopyard.indexes.corpus.shared import folder_of
    from hopyard.web.guard import LOOPBACK

    read_manifest(folder_of(given.context.index))
    known = read_people(people) if people else ()
    if token and known:
        raise UsageError("Give --token or --people: with people, each has a token of their own.")
    if (host not in LOOPBACK or allow_host) and not (token or known):
        raise UsageError(
            f"Others can reach {(allow_host or [host])[0]!r}: give --token new, and put TLS before "
            "the server."
        )
    secret = secrets.token_urlsafe(24) if token == "new" else token or ""  # noqa: S105
    import uvicorn

    from hopyard.nodes.resources import Resources
    from hopyard.web.app import Server, application

    hosts = [*(allow_host or ()), *([] if host in _ANY else [host])]
    address = _address(host, port, secret)
    err.print(f"{address}  (Ctrl-C stops the server; what runs then continues at its next start.)")
    if known:
        err.print(
            f"A person opens {address}?token=… once, with the own token in place of the dots."
        )
    with Resources() as resources:
        app = application(
            given, resources, folders=documents or (), hosts=hosts, token=secret, people=known
        )
        config = uvicorn.Config(
            app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=3
        )
        server = Server(config, app)
        with suppress(KeyboardInterrupt):
            server.run()
    if not server.started:
        raise typer.Exit(3)


def _address(host: str, port: int, token: str) -> str:
    """The address that a browser on this machine opens."""
    name = _ANY.get(host) or (f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}/" + (f"?token={quote(token, safe='')}" if token else "")
