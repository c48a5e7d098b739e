"""The documents of the index over HTTP: listed, shown, added, removed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hopyard.indexes.kind import KINDS
from hopyard.indexes.listing import list_documents, open_corpus, read_document
from hopyard.indexes.status import status
from hopyard.state.references import name_sources
from hopyard.web.building import Builder
from hopyard.web.citations import marked
from hopyard.web.requests import current_index, json_body, person_of

__all__ = ("ROUTES",)

_SHOWN: Final = 500
"""Documents that one answer lists."""


def _listed(index: Path, words: str, groups: Sequence[str] | None) -> dict[str, Any]:
    """The documents whose names or titles have some words, and what readers did not read."""
    wanted = words.casefold().split()
    every = list_documents(index, groups=groups)
    fitting = [
        entry
        for entry in every
        if all(word in f"{entry.name} {entry.title}".casefold() for word in wanted)
    ]
    shown = fitting[:_SHOWN]
    with open_corpus(index, groups) as corpus:
        readings = {each.id: json.loads(corpus.reading(each.id) or "{}") for each in shown}
        counts = corpus.counts()
    documents = [
        {
            **{name: value for name, value in asdict(entry).items() if name != "metadata"},
            "name": entry.name,
            "incomplete": readings[entry.id].get("said", ""),
            "left_out": readings[entry.id].get("left_out", {}),
        }
        for entry in shown
    ]
    return {"documents": documents, "found": len(fitting), "all": len(every), "counts": counts}


def _about(index: Path) -> dict[str, Any]:
    found = status(index)
    manifest = found.manifest
    return {
        "counts": manifest.counts,
        "kinds": list(manifest.kinds),
        "asks_model": [name for name in manifest.kinds if name in KINDS and KINDS[name].asks_model],
        "embedding": manifest.embedding,
        "updated": manifest.updated.isoformat(),
        "bytes": found.bytes,
        "unfinished": list(found.unfinished),
        "interrupted": found.interrupted,
    }


async def _documents(request: Request) -> Response:
    index, words = await current_index(request), request.query_params.get("words", "")
    groups = person_of(request).groups
    listed, about = await asyncio.gather(
        asyncio.to_thread(_listed, index, words, groups), asyncio.to_thread(_about, index)
    )
    if groups is not None:  # what the whole index holds is not the person's
        about |= {"counts": listed["counts"], "bytes": 0, "unfinished": [], "interrupted": ""}
        return JSONResponse({**listed, "index": about, "change": {"waiting": [], "folder": ""}})
    builder: Builder = request.app.state.builder
    return JSONResponse({**listed, "index": about, "change": _change_of(builder)})


async def _document(request: Request) -> Response:
    index, name = await current_index(request), request.query_params.get("id", "")
    found = await asyncio.to_thread(read_document, index, name, person_of(request).groups)
    sources = [passage.as_source(text=True) for passage in found.passages]
    names = name_sources(sources)
    passages = [
        {
            **source,
            "name": names[source["passage_id"]],
            "marked": marked(source["text"], ()),
        }
        for source in sources
    ]
    reading = {name: value for name, value in found.reading.items() if name != "examples"}
    return JSONResponse({"passages": passages, "reading": reading})


async def _change(request: Request) -> Response:
    return JSONResponse(_change_of(request.app.state.builder))


def _change_of(builder: Builder) -> dict[str, Any]:
    return {**builder.state, "waiting": builder.waiting, "folder": str(builder.folder)}


async def _receive(request: Request) -> Response:
    await request.app.state.builder.receive(request.path_params["name"], request.stream())
    return Response(status_code=204)


async def _discard(request: Request) -> Response:
    await asyncio.to_thread(request.app.state.builder.discard)
    return Response(status_code=204)


async def _add(request: Request) -> Response:
    estimate = bool((await json_body(request)).get("estimate"))
    request.app.state.builder.add(estimate=estimate)
    return await _change(request)


async def _remove(request: Request) -> Response:
    document = str((await json_body(request)).get("id", ""))
    found = await asyncio.to_thread(read_document, await current_index(request), document)
    request.app.state.builder.remove(found.entry.id, found.entry.source)
    return await _change(request)


ROUTES: Final = (
    Route("/api/documents", _documents),
    Route("/api/document", _document),
    Route("/api/change", _change),
    Route("/api/change/add", _add, methods=["POST"]),
    Route("/api/change/remove", _remove, methods=["POST"]),
    Route("/api/uploads", _discard, methods=["DELETE"]),
    Route("/api/uploads/{name:path}", _receive, methods=["PUT"]),
)
