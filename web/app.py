"""The application: the page and its files, threads, documents, search, and the OpenAI endpoint."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from socket import socket
from typing import Final

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from hopyard.agent.people import Person
from hopyard.agent.session import open_session
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.shared import local_folder
from hopyard.nodes.resources import Resources
from hopyard.nodes.route import runnable
from hopyard.state.errors import HopyardError, ThreadBusyError, ThreadMissingError, UsageError
from hopyard.state.settings.given import Given
from hopyard.state.settings.sources import home
from hopyard.web import documents, measures, threads, viewing
from hopyard.web.building import Builder
from hopyard.web.chats import Conversations
from hopyard.web.entities import entities, kind_of
from hopyard.web.guard import LOOPBACK, Guard
from hopyard.web.measuring import Measuring
from hopyard.web.openai import chat_completions, model, models, unknown
from hopyard.web.originals import Originals
from hopyard.web.recovery import Recovery
from hopyard.web.requests import current_index, person_of, refused
from hopyard.web.runs import Runs
from hopyard.web.searching import methods_of, search
from hopyard.web.titles import Titles

__all__ = ("Server", "application")

_KINDS: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
}
_STATUS: Final[dict[type[HopyardError], int]] = {
    ThreadMissingError: 404,
    ThreadBusyError: 409,
    UsageError: 400,
}


def application(
    given: Given,
    resources: Resources,
    *,
    folders: Sequence[Path] = (),
    hosts: Collection[str] = (),
    token: str = "",
    people: Collection[Person] = (),
) -> Starlette:
    """The application of one index.

    Args:
        given: The settings of its questions.
        resources: Indexes, models and the ledger.
        folders: Folders with the files of the index's documents; added documents go to the first.
        hosts: Host names that requests may name beside those of this machine.
        token: The token that requests must bring (`Guard`); "" for none.
        people: People with tokens, groups and threads of their own.
    """
    index = given.context.index

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        folder = home() / "serving"
        folder.mkdir(mode=0o700, exist_ok=True)
        app.state.index = index
        app.state.originals = Originals(local_folder(index), folders)
        app.state.builder = Builder(index, app.state.originals)
        app.state.conversations = defaultdict[str, Conversations](Conversations)
        app.state.titles = Titles(home() / "titles.json")
        async with open_session(resources) as session:
            app.state.runs = Runs(session, given, folder)
            recovery = Recovery(app.state.runs, people)
            app.state.measuring = Measuring(given.context, resources)
            await recovery.begin()
            yield
            recovery.close()
            app.state.measuring.close()
            await app.state.runs.close()
            app.state.builder.close()

    return Starlette(
        routes=[
            Route("/", _asset),
            Route("/assets/{name}", _asset),
            Route("/api/status", _status),
            *threads.ROUTES,
            *viewing.ROUTES,
            *documents.ROUTES,
            *measures.ROUTES,
            Route("/api/search", search),
            Route("/api/entities", entities),
            Route("/v1/models", models),
            Route("/v1/models/{name}", model),
            Route("/v1/chat/completions", chat_completions, methods=["POST"]),
            Route("/v1/{rest:path}", unknown, methods=["GET", "POST"]),
        ],
        middleware=[
            Middleware(Guard, LOOPBACK | {*hosts}, token, people, given.context.groups),
        ],
        exception_handlers={HopyardError: _explain},
        lifespan=lifespan,
    )


class Server(uvicorn.Server):
    """Ends the runs before the connections: each client learns that no more will come.

    Args:
        config: Where it listens, and the application or one around it.
        app: The application.
    """

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._app = app

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """Stop the runs, then the server."""
        await self._app.state.runs.close()
        await super().shutdown(sockets)


async def _explain(request: Request, error: Exception) -> Response:
    del request
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)
    return refused(status, str(error))


async def _asset(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    found = files("hopyard.web") / "assets" / Path(name).name
    kind = _KINDS.get(Path(name).suffix)
    if kind is None or not found.is_file():
        return PlainTextResponse("There is no such page.", 404)
    return Response(found.read_bytes(), media_type=kind)


async def _status(request: Request) -> Response:
    context = request.app.state.runs.given.context
    index = await current_index(request)
    kinds = read_manifest(index).kinds
    return JSONResponse(
        {
            "index": Path(context.index).name.rpartition("index=")[2],
            "model": context.model,
            "strategy": context.strategy,
            "strategies": ["auto", *[each.name for each in runnable(kinds)]],
            "methods": methods_of(index),
            "entities": bool(kind_of(kinds)),
            "budget": context.budget.model_dump(),
            "owner": person_of(request).groups is None,
        }
    )
