"""Replies with HTTP 200 that clients cannot read: errors, and tool calls in another form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from langchain_core.language_models import BaseChatModel

from hopyard.models.servers.failures import WORDS

_CONTENT: Final = ("choices", "content", "data", "output")
"""Fields with the content of a reply: of OpenAI's chat, Anthropic's, OpenAI's embeddings and newer
API. Ollama's `message` is an object; that of an error is a text."""


class ErrorReplyError(Exception):
    """A server sent an error with HTTP 200."""

    def __init__(self, body: Mapping[str, Any]) -> None:
        super().__init__("the reply is an error")
        self.body = body


def check_replies(model: BaseChatModel) -> None:
    """Give the HTTP client of a LangChain model the hook `check_reply`, if it has one."""
    client = getattr(model, "_async_client", None) or getattr(model, "async_client", None)
    while client is not None and not hasattr(client, "event_hooks"):
        client = getattr(client, "_client", None)
    if client is not None and check_reply not in (hooks := client.event_hooks)["response"]:
        client.event_hooks = {**hooks, "response": [*hooks["response"], check_reply]}


async def check_reply(response: Any) -> None:
    """Raise for an error with HTTP 200; a hook of `httpx` clients.

    A body that is a list of one error counts as the error. The arguments of a tool call become the
    text that OpenAI's protocol has there: clients refuse an object, or a text within a text.

    Raises:
        ErrorReplyError: The body is a JSON object without content, and says why.
    """
    kind = response.headers.get("content-type", "")
    if response.status_code != 200 or "json" not in kind or "ndjson" in kind:
        return
    with suppress(ValueError, RecursionError):
        body = json.loads(await response.aread())
        if isinstance(body, list) and len(body) == 1:
            body = body[0]
        if not isinstance(body, Mapping):
            return
        empty = not any(map(body.get, _CONTENT)) and not isinstance(body.get("message"), Mapping)
        if empty and any(map(body.get, WORDS)):
            raise ErrorReplyError(body)
        if _write_arguments(body):
            response._content = json.dumps(body).encode()


def _write_arguments(body: Mapping[str, Any]) -> bool:
    """Write all arguments as the JSON text of an object. Returns whether one was something else."""
    written = False
    with suppress(AttributeError, KeyError, TypeError):
        for choice in body["choices"]:
            for call in choice["message"].get("tool_calls") or ():
                function = call["function"]
                if text := _as_text(function["arguments"]):
                    function["arguments"], written = text, True
    return written


def _as_text(arguments: object) -> str:
    """The text of arguments that are an object or a text within a text; "" if they are neither."""
    if isinstance(arguments, Mapping):
        return json.dumps(arguments)
    with suppress(ValueError, RecursionError):
        inner = json.loads(arguments) if isinstance(arguments, str) else None
        return inner if isinstance(inner, str) else ""
    return ""
