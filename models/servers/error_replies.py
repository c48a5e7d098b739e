"""Errors that servers send as a reply with HTTP 200: clients see a reply without choices."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from hopyard.models.servers.failures import WORDS

_CONTENT: Final = ("choices", "data", "output")
"""Fields with the content of OpenAI's replies: of a chat, of embeddings, of the newer API."""


class ErrorReplyError(Exception):
    """A server sent an error with HTTP 200."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__("the reply is an error")
        self.body = body


async def refuse_errors(response: Any) -> None:
    """Raise for an error with HTTP 200; a hook of `httpx` clients.

    A body that is a list of one error counts as the error.

    Raises:
        ErrorReplyError: The body is a JSON object without content, and says why.
    """
    if response.status_code != 200 or "json" not in response.headers.get("content-type", ""):
        return
    with suppress(ValueError, RecursionError):
        body = json.loads(await response.aread())
        if isinstance(body, list) and len(body) == 1:
            body = body[0]
        empty = isinstance(body, Mapping) and not any(map(body.get, _CONTENT))
        if empty and any(map(body.get, WORDS)):
            raise ErrorReplyError(body)
