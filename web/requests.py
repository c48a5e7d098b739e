"""The JSON object that a request brings, of a size that the server can hold, and refusals."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse

from hopyard.agent.people import Person
from hopyard.indexes.corpus.shared import folder_of
from hopyard.state.errors import UsageError

__all__ = ("current_index", "error_of", "json_body", "person_of", "refused")

_MOST: Final = 32_000_000
"""Bytes of a request. Chat clients send all pictures of a conversation again with each question."""
_SERVER_ERROR: Final = 500


def person_of(request: Request) -> Person:
    """Who sent a request."""
    person: Person = request.state.person
    return person


async def current_index(request: Request) -> Path:
    """The directory of the index that is served; of a shared index, the newest copy."""
    return await asyncio.to_thread(folder_of, request.app.state.index)


async def json_body(request: Request) -> dict[str, Any]:
    """The JSON object of a request; {} for none.

    Raises:
        UsageError: The body is too large, or no JSON object in UTF-8.
    """
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > _MOST:
            raise UsageError(f"The request has more than {_MOST:,} bytes; send less at once.")
    try:
        given = json.loads(body or b"{}")
    except (ValueError, RecursionError) as error:
        raise UsageError("The request is not valid JSON.") from error
    if not isinstance(given, dict):
        raise UsageError("The request is not a JSON object.")
    return given


def error_of(status: int, why: str, code: str | None = None) -> dict[str, Any]:
    """An error as OpenAI's API words it."""
    kind = "server_error" if status >= _SERVER_ERROR else "invalid_request_error"
    return {"error": {"message": why, "type": kind, "param": None, "code": code}}


def refused(status: int, why: str, code: str | None = None) -> JSONResponse:
    """An error as an answer. OpenAI's client would run a question again after it: it may not."""
    return JSONResponse(error_of(status, why, code), status, {"x-should-retry": "false"})
