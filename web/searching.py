"""The search box: what several search methods find for one text, without a chat model."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from hopyard.agent.searching import Found, find_evidence
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.passages.excerpt import best_sentence
from hopyard.indexes.search import SEARCHES
from hopyard.indexes.text.sentences import readable
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.settings.sources import change_context
from hopyard.web.citations import marked
from hopyard.web.requests import person_of

__all__ = ("methods_of", "search")

_MOST: Final = 4
"""Methods that are shown beside each other."""
_RESULTS: Final = 8


def methods_of(index: Path) -> list[dict[str, str]]:
    """The search methods that an index has everything for, with what each does.

    Raises:
        IndexMissingError: The index cannot be read.
    """
    kinds = set(read_manifest(index).kinds)
    return [
        {"name": method.name, "about": method.about}
        for method in SEARCHES.parts()
        if kinds.issuperset(method.needs) and not method.asks_model
    ]


async def search(request: Request) -> Response:
    """The evidence of each method for a text: scores, and passages with a sentence marked."""
    asked = request.query_params
    text, names = asked.get("text", ""), list(dict.fromkeys(asked.getlist("method")))
    if not names or len(names) > _MOST:
        raise UsageError(f"Choose one to {_MOST} search methods.")
    state = request.app.state

    async def one(name: str) -> dict[str, Any]:
        context = person_of(request).settings(state.runs.given.context)
        context = change_context(context, {"retrieval": {"method": name, "k": _RESULTS}})
        try:
            found = await find_evidence(text, context, state.runs.session.resources)
        except HopyardError as error:
            return {"method": name, "problem": str(error), "results": []}
        results = await asyncio.to_thread(_results, found, text)
        return {"method": name, "problem": found.problem, "results": results}

    return JSONResponse({"found": await asyncio.gather(*map(one, names))})


def _results(found: Found, asked: str) -> list[dict[str, Any]]:
    """Each unit with its first passage as a citation, whose quote is the best sentence."""
    results = []
    for unit in found.evidence:
        source = found.sources[unit["passages"][0]]
        text = source["text"]
        best = best_sentence(text, asked)
        quotes = [readable(text, best)] if any(best) else []
        cited = {**source, "name": source["reference"], "quotes": quotes, "supported": True}
        results.append(
            {
                "score": round(unit["score"], 4),
                "unit": "" if unit["kind"] == "passage" else f"{unit['kind']} {unit['id']}",
                "why": unit.get("why", ""),
                "cited": {**cited, "marked": marked(text, quotes)},
            }
        )
    return results
