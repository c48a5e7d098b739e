"""Threads over HTTP: asked, followed, stopped, continued, edited, named, saved, deleted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from dataclasses import asdict
from typing import Any, Final

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from hopyard.nodes.lifecycle import check_question
from hopyard.state.errors import ThreadMissingError, UsageError
from hopyard.tracing.plain import as_shown
from hopyard.tracing.read import read_trace
from hopyard.web.citations import citation_page
from hopyard.web.requests import current_index, json_body, person_of
from hopyard.web.runs import Run, Runs
from hopyard.web.saved import saved_trace
from hopyard.web.turns import Asked, as_markdown, citation_of, last_question, turn_of, turns_of
from hopyard.web.viewing import find_place

__all__ = ("ROUTES",)

_PING: Final = 15
"""Seconds after which an idle stream sends a comment, so that no proxy closes it."""


def _runs(request: Request) -> Runs:
    found: Runs = request.app.state.runs
    return found


async def _threads(request: Request) -> Response:
    every, person = await _runs(request).session.threads(), person_of(request)
    found = [each for each in every if person.owns(each.thread_id)]
    titles = await asyncio.to_thread(request.app.state.titles.read)
    listed = [{**asdict(each), "title": titles.get(each.thread_id, "")} for each in found]
    return JSONResponse({"threads": listed})


async def _ask(request: Request) -> Response:
    given = await json_body(request)
    question, thread = str(given.get("question", "")), str(given.get("thread") or "")
    person, changes = person_of(request), _changes(given)
    run = _runs(request).ask(question, thread, person=person, changes=changes)
    return JSONResponse({"thread": run.thread}, 202)


async def _edit(request: Request) -> Response:
    """Ask another question in place of one of a thread, in a copy that ends before it."""
    given, thread = await json_body(request), request.path_params["thread"]
    runs, turn, person = _runs(request), request.path_params["turn"], person_of(request)
    question = check_question(given.get("question"))  # before there is a copy
    copy = person.thread()
    if turn > 1:
        await runs.session.fork(thread, copy, before=turn)
    run = runs.ask(question, copy, person=person, changes=_changes(given), like=thread)
    return JSONResponse({"thread": run.thread}, 202)


def _changes(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a question comes with: its strategy and limits. No limit takes one away."""
    changes: dict[str, Any] = {"strategy": given["strategy"]} if given.get("strategy") else {}
    if isinstance(limits := given.get("limits"), dict):
        changes["budget"] = {name: limits.get(name) or None for name in ("calls", "tokens")}
    return changes


async def _thread(request: Request) -> Response:
    runs, thread = _runs(request), request.path_params["thread"]
    run = runs.of(thread)
    running = run is not None and not run.ended
    try:
        turns = await turns_of(runs.session, thread, person_of(request))
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
            "seconds": run.seconds if run else 0,
            "turns": [*map(turn_of, turns)],
        }
    )


async def _delete(request: Request) -> Response:
    runs, thread = _runs(request), request.path_params["thread"]
    await runs.stop(thread)
    await runs.session.delete(thread)
    runs.forget(thread)
    await _give_title(request, "")
    return Response(status_code=204)


async def _rename(request: Request) -> Response:
    await _runs(request).session.summary(request.path_params["thread"])
    await _give_title(request, str((await json_body(request)).get("title", "")))
    return Response(status_code=204)


async def _give_title(request: Request, title: str) -> None:
    known = {each.thread_id for each in await _runs(request).session.threads()}
    thread = request.path_params["thread"]
    await asyncio.to_thread(request.app.state.titles.give, thread, title, known)


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
    given, thread = await json_body(request), request.path_params["thread"]
    runs = _runs(request)
    question = last_question(await runs.session.result(thread))
    run = runs.resume(thread, question, given.get("answer"), person_of(request))
    return JSONResponse({"thread": run.thread}, 202)


async def _turns(request: Request) -> list[Asked]:
    thread = request.path_params["thread"]
    return await turns_of(_runs(request).session, thread, person_of(request))


async def _markdown(request: Request) -> Response:
    turns = await _turns(request)
    return PlainTextResponse(as_markdown(turns), headers=_saved("thread.md"))


async def _json(request: Request) -> Response:
    turns = await _turns(request)
    answers = [{"asked": each.question, **each.answer.model_dump(mode="json")} for each in turns]
    return JSONResponse({"turns": answers}, headers=_saved("thread.json"))


async def _trace(request: Request) -> Response:
    """The steps of a question with prompts, outputs, passages and cost: as JSON, or one file."""
    place = request.path_params
    question = request.query_params.get("question") or "0"
    if not question.isdecimal():
        raise UsageError("The question must be a number, from 1; 0 is the last.")
    session, groups = _runs(request).session, person_of(request).groups
    trace = await read_trace(session, place["thread"], int(question), groups)
    if place["form"] == "html":
        return HTMLResponse(
            await asyncio.to_thread(saved_trace, trace), headers=_saved("trace.html")
        )
    return JSONResponse(await asyncio.to_thread(as_shown, trace))


def _saved(name: str) -> dict[str, str]:
    return {"content-disposition": f"attachment; filename={name}"}


async def _citation(request: Request) -> Response:
    asked, state = request.path_params, request.app.state
    turns = await _turns(request)
    cited = citation_of(turns, asked["turn"], asked["number"])
    groups = person_of(request).groups
    index = await current_index(request)
    place = await asyncio.to_thread(
        find_place, index, state.originals, cited.passage_id, cited.quotes, groups
    )
    return HTMLResponse(citation_page(cited, place))


_THREAD: Final = "/api/threads/{thread:path}"
ROUTES: Final = (
    Route("/api/threads", _threads),
    Route("/api/threads", _ask, methods=["POST"]),
    Route(f"{_THREAD}/events", _events),
    Route(f"{_THREAD}/stop", _stop, methods=["POST"]),
    Route(f"{_THREAD}/resume", _resume, methods=["POST"]),
    Route(f"{_THREAD}/edit/{{turn:int}}", _edit, methods=["POST"]),
    Route(f"{_THREAD}/title", _rename, methods=["POST"]),
    Route(f"{_THREAD}/export.md", _markdown),
    Route(f"{_THREAD}/export.json", _json),
    Route(f"{_THREAD}/trace.{{form}}", _trace),
    Route(_THREAD, _thread),
    Route(_THREAD, _delete, methods=["DELETE"]),
    Route("/threads/{thread:path}/{turn:int}/citations/{number:int}", _citation),
)
