"""The JSON that a request carries."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request

from hopyard.state.errors import UsageError

__all__ = ("json_body",)


async def json_body(request: Request) -> dict[str, Any]:
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
