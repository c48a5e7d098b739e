"""Questions with right answers and evaluations over HTTP."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.nodes.route import runnable
from hopyard.tracing.plain import as_shown
from hopyard.web.measuring import Measuring
from hopyard.web.requests import current_index, json_body
from hopyard.web.saved import saved_trace

__all__ = ("ROUTES",)


def _measuring(request: Request) -> Measuring:
    found: Measuring = request.app.state.measuring
    return found


async def _measure(request: Request) -> Response:
    measuring = _measuring(request)
    found = await asyncio.to_thread(measuring.sets)
    kinds = read_manifest(await current_index(request)).kinds
    offered = [each.name for each in runnable(kinds)]
    sets = {name: [_shown(each) for each in questions] for name, questions in found.items()}
    return JSONResponse({"sets": sets, "strategies": offered, "run": measuring.state})


def _shown(question: Any) -> dict[str, Any]:
    shown: dict[str, Any] = question.model_dump(include={"id", "question", "answers"})
    return shown


async def _state(request: Request) -> Response:
    return JSONResponse(_measuring(request).state)


async def _keep(request: Request) -> Response:
    given = await json_body(request)
    question, answer = str(given.get("question", "")), str(given.get("answer", ""))
    await asyncio.to_thread(_measuring(request).keep, question, answer)
    return Response(status_code=204)


async def _receive(request: Request) -> Response:
    await _measuring(request).receive(request.path_params["name"], request.stream())
    return Response(status_code=204)


async def _drop(request: Request) -> Response:
    name, question = request.path_params["name"], request.query_params.get("question", "")
    await asyncio.to_thread(_measuring(request).drop, name, question)
    return Response(status_code=204)


async def _begin(request: Request) -> Response:
    given = await json_body(request)
    strategies = given.get("strategies")
    names = [*map(str, strategies)] if isinstance(strategies, list) else []
    calls = given.get("calls")
    limit = calls if isinstance(calls, int) and calls > 0 else 0
    _measuring(request).begin(str(given.get("set", "")), names, limit)
    return await _state(request)


async def _stop(request: Request) -> Response:
    _measuring(request).close()
    return Response(status_code=204)


async def _trace(request: Request) -> Response:
    asked = request.query_params
    trace = await _measuring(request).trace(asked.get("strategy", ""), asked.get("id", ""))
    if request.path_params["form"] == "html":
        saved = {"content-disposition": "attachment; filename=trace.html"}
        return HTMLResponse(await asyncio.to_thread(saved_trace, trace), headers=saved)
    return JSONResponse(await asyncio.to_thread(as_shown, trace))


ROUTES: Final = (
    Route("/api/measure", _measure),
    Route("/api/measure", _begin, methods=["POST"]),
    Route("/api/measure/state", _state),
    Route("/api/measure/stop", _stop, methods=["POST"]),
    Route("/api/measure/trace.{form}", _trace),
    Route("/api/questions", _keep, methods=["POST"]),
    Route("/api/questions/{name}", _receive, methods=["PUT"]),
    Route("/api/questions/{name}", _drop, methods=["DELETE"]),
)
