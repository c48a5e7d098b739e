"""Chat requests and replies in the forms of OpenAI and Ollama, for servers of tests."""

from __future__ import annotations

import json
from typing import Any


def title_of(payload: dict[str, Any]) -> str:
    """The title of the schema, or the name of the tool, that a request asks for."""
    wanted = (payload.get("response_format") or {}).get("json_schema") or {}
    if wanted:
        return str(wanted.get("schema", {}).get("title") or wanted.get("name", ""))
    if isinstance(payload.get("format"), dict):
        return str(payload["format"].get("title", ""))
    if payload["messages"][-1]["role"] == "tool":
        return ""  # a model that has just read a tool's result answers in words
    for tool in payload.get("tools") or []:
        return str(tool["function"]["name"])
    return ""


def text_of(reply: dict[str, Any] | str) -> str:
    """The text of a message."""
    return reply if isinstance(reply, str) else json.dumps(reply)


def _tokens(payload: dict[str, Any], text: str) -> tuple[int, int]:
    """Words stand in for tokens."""
    words = sum(len(str(message.get("content", "")).split()) for message in payload["messages"])
    return words, max(1, len(text.split()))


def _end(text: str) -> str:
    """Half an object is one that reached its limit of tokens."""
    return "length" if text.startswith("{") and not text.endswith("}") else "stop"


def _openai_usage(payload: dict[str, Any], text: str) -> dict[str, int]:
    read, written = _tokens(payload, text)
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


def openai_chat(payload: dict[str, Any], text: str, tool: str) -> dict[str, Any]:
    """A whole reply; a text that is the argument of a tool, if it is named."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if tool:
        function = {"name": tool, "arguments": text}
        message["content"] = None
        message["tool_calls"] = [{"id": "call-1", "type": "function", "function": function}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": _end(text)}],
        "usage": _openai_usage(payload, text),
    }


def openai_chunks(payload: dict[str, Any], text: str) -> list[str]:
    """A stream of pieces of three characters."""
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": "s"}
    pieces = [text[place : place + 3] for place in range(0, len(text), 3)]
    deltas = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    chunks: list[dict[str, Any]] = [
        *({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas),
        {"choices": [{"index": 0, "delta": {}, "finish_reason": _end(text)}]},
        {"choices": [], "usage": _openai_usage(payload, text)},
    ]
    return [*(f"data: {json.dumps(head | chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"]


def ollama_chat(payload: dict[str, Any], text: str) -> dict[str, Any]:
    """A whole reply."""
    read, written = _tokens(payload, text)
    return {
        "model": payload["model"],
        "created_at": "2025-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": _end(text),
        "prompt_eval_count": read,
        "eval_count": written,
    }
