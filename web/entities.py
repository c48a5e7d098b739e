"""The entities of an index over HTTP, and what is joined to each."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS, IndexKind, kind_that
from hopyard.state.errors import UsageError
from hopyard.state.references import name_sources
from hopyard.web.citations import marked
from hopyard.web.requests import person_of

__all__ = ("entities", "kind_of")

_LISTED: Final = 100
"""Entities of one list."""
_SHOWN: Final = 20
"""Passages, neighbours, facts and synonyms of an entity; communities of the index."""


def kind_of(kinds: tuple[str, ...]) -> IndexKind | None:
    """The index kind that knows entities, if an index has one."""
    kind = kind_that("entities", [name for name in kinds if name in KINDS])
    return kind if kind.name in kinds else None


async def entities(request: Request) -> Response:
    """The entities with some words in their names, or all that is known of one."""
    asked, session = request.query_params, request.app.state.runs.session
    choice = asked.get("choice", "0")
    whole = await asyncio.to_thread(session.resources.index, request.app.state.index, "auto")
    index = await asyncio.to_thread(whole.readable_by, person_of(request).groups)
    if not (kind := kind_of(index.manifest.kinds)) or not choice.isdecimal():
        raise UsageError("The index has no entity graph: build it with `--with entity-graph`.")
    if name := asked.get("name"):
        found = await asyncio.to_thread(_neighbourhoods, index, kind, name, int(choice))
        return JSONResponse({"found": found})
    rows = await asyncio.to_thread(kind.entities, index, asked.get("words", ""))
    listed: dict[str, Any] = {"entities": list(rows[:_LISTED]), "all": len(rows)}
    if "communities" in index.manifest.kinds:
        listed["communities"] = await asyncio.to_thread(_communities, index, kind)
    return JSONResponse(listed)


def _communities(index: Index, kind: IndexKind) -> list[dict[str, Any]]:
    """The largest communities, with their reports as far as the index has them."""
    read, graph = index.reader("communities"), index.reader(kind.name)
    found = sorted(read.at(0), key=lambda each: -len(each.entities)) if read.levels else []
    return [read.plain(each, graph) for each in found[:_SHOWN]]


def _neighbourhoods(index: Index, kind: IndexKind, name: str, choice: int) -> list[dict[str, Any]]:
    """The neighbourhood of each entity that a name means, with its passages as citations."""
    reader = index.reader(kind.name, "The page")
    found = [hood.plain() for hood in kind.look_up(reader, name, index.passages, _SHOWN, choice)]
    for hood in found:
        named = [place["id"] for place in hood["passages"]]
        named += [fact["passages"][0] for fact in hood["facts"]]
        quotes = {place["id"]: place["sentences"] for place in hood["passages"]}
        passages = index.passages([*dict.fromkeys(named)])
        sources = [passage.as_source(text=True) for passage in passages]
        names = name_sources(sources)
        hood["cited"] = {
            source["passage_id"]: {
                **source,
                "name": names[source["passage_id"]],
                "quotes": quotes.get(source["passage_id"], []),
                "marked": marked(source["text"], quotes.get(source["passage_id"], [])),
                "supported": True,
            }
            for source in sources
        }
    return found
