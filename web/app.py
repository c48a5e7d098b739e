"""The application: the page and its files, threads, events, citations, and the OpenAI endpoint."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from hopyard.agent.session import open_session
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError, ThreadBusyError, ThreadMissingError, UsageError
from hopyard.state.settings.given import Given
from hopyard.state.settings.sources import home
from hopyard.web.citations import citation_page
from hopyard.web.guard import LOOPBACK, Guard
from hopyard.web.openai import chat_completions, models
from hopyard.web.runs import Run, Runs
from hopyard.web.turns import Asked, as_markdown, citation_of, turn_of, turns_of

__all__ = ("application",)

_KINDS: Final = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_STATUS: Final[dict[type[HopyardError], int]] = {
    ThreadMissingError: 404,
    ThreadBusyError: 409,
    UsageError: 400,
}
_PING: Final = 15
"""Seconds after which an idle stream sends a comment, so that no proxy closes it."""


def application(
    given: Given,
    resources: Resources,
    *,
    hosts: Collection[str] = (),
    token: str = "",
) -> Starlette:
    """The application of one index.

    Args:
        given: The settings of its questions.
        resources: Indexes, models and the ledger.
        hosts: Host names that requests may name beside those of this machine.
        token: The token that requests must bring (`Guard`); "" for none.
    """

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        folder = home() / "serving"
        folder.mkdir(mode=0o700, exist_ok=True)
        async with open_session(resources) as session:
            app.state.runs = Runs(session, given, folder)
            await app.state.runs.recover()
            yield
            await app.state.runs.close()

    return Starlette(
        routes=[
            Route("/", _asset),
            Route("/assets/{name}", _asset),
            Route("/api/status", _status),
            Route("/api/threads", _threads),
            Route("/api/threads", _ask, methods=["POST"]),
            Route("/api/threads/{thread:path}/events", _events),
            Route("/api/threads/{thread:path}/stop", _stop, methods=["POST"]),
            Route("/api/threads/{thread:path}/resume", _resume, methods=["POST"]),
            Route("/api/threads/{thread:path}/export.md", _export),
            Route("/api/threads/{thread:path}", _thread),
            Route("/api/threads/{thread:path}", _delete, methods=["DELETE"]),
            Route("/threads/{thread:path}/{turn:int}/citations/{number:int}", _citation),
            Route("/v1/models", models),
            Route("/v1/chat/completions", chat_completions, methods=["POST"]),
        ],
        middleware=[Middleware(Guard, hosts=LOOPBACK | frozenset(hosts), token=token)],
        exception_handlers={HopyardError: _explain},
        lifespan=lifespan,
    )


def _runs(request: Request) -> Runs:
    found: Runs = request.app.state.runs
    return found


async def _explain(request: Request, error: Exception) -> Response:
    del request
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 500)
    return JSONResponse({"error": {"message": str(error)}}, status)


async def _asset(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    found = files("hopyard.web") / "assets" / Path(name).name
    kind = _KINDS.get(Path(name).suffix)
    if kind is None or not found.is_file():
        return PlainTextResponse("There is no such page.", 404)
    return Response(found.read_bytes(), media_type=kind)


async def _status(request: Request) -> Response:
    context = _runs(request).given.context
    return JSONResponse(
        {
            "index": Path(context.index).name,
            "model": context.model,
            "strategy": context.strategy,
            "budget": context.budget.model_dump(),
        }
    )


async def _threads(request: Request) -> Response:
    found = await _runs(request).session.threads()
    return JSONResponse({"threads": [asdict(thread) for thread in found]})


async def _ask(request: Request) -> Response:
    given = await _body(request)
    run = _runs(request).ask(str(given.get("question", "")), str(given.get("thread") or ""))
    return JSONResponse({"thread": run.thread}, 202)


async def _thread(request: Request) -> Response:
    runs, thread = _runs(request), request.path_params["thread"]
    run = runs.of(thread)
    running = run is not None and not run.ended
    try:
        turns = await turns_of(runs.session, thread)
    except ThreadMissingError:
        if run is None:
            raise
        turns = []
    if turns and not turns[-1].answer.finished and running:
        del turns[-1]  # its events tell it
    question = run.question if run and running else ""
    return JSONResponse(
        {
            "thread": thread,
            "running": running,
            "question": question,
            "turns": [*map(turn_of, turns)],
        }
    )


async def _delete(request: Request) -> Response:
    runs, thread = _runs(request), request.path_params["thread"]
    await runs.stop(thread)
    await runs.session.delete(thread)
    return Response(status_code=204)


async def _events(request: Request) -> Response:
    run = _runs(request).of(request.path_params["thread"])
    if run is None:
        return Response(status_code=204)  # a browser does not ask again after it
    return EventSourceResponse(_sent(run, request.headers.get("last-event-id", "")), ping=_PING)


async def _sent(run: Run, after: str) -> AsyncGenerator[ServerSentEvent, None]:
    async for happening in run.follow(after):
        data = happening.data
        if happening.kind == "answer":
            data = turn_of(Asked(run.question, data["answer"]))
        yield ServerSentEvent(
            json.dumps(data, ensure_ascii=False), event=happening.kind, id=happening.id
        )


async def _stop(request: Request) -> Response:
    return JSONResponse({"stopped": await _runs(request).stop(request.path_params["thread"])})


async def _resume(request: Request) -> Response:
    given, thread = await _body(request), request.path_params["thread"]
    runs = _runs(request)
    question = (await runs.session.summary(thread)).question
    return JSONResponse({"thread": runs.resume(thread, question, given.get("answer")).thread}, 202)


async def _export(request: Request) -> Response:
    thread = request.path_params["thread"]
    turns = await turns_of(_runs(request).session, thread)
    named = {"content-disposition": "attachment; filename=thread.md"}
    return PlainTextResponse(as_markdown(turns), headers=named, media_type="text/markdown")


async def _citation(request: Request) -> Response:
    place = request.path_params
    turns = await turns_of(_runs(request).session, place["thread"])
    citation = citation_of(turns, place["turn"], place["number"])
    return Response(citation_page(citation), media_type="text/html")


async def _body(request: Request) -> dict[str, Any]:
    """The JSON object of a request.

    Raises:
        UsageError: The body is no JSON object.
    """
    try:
        given = json.loads(await request.body() or b"{}")
    except ValueError as error:
        raise UsageError("The request is not valid JSON.") from error
    if not isinstance(given, dict):
        raise UsageError("The request is not a JSON object.")
    return given
