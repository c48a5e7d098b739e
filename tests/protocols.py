"""Servers that speak the protocols of OpenAI, Ollama and Anthropic, with every way to end a reply.

A `Script` says what a reply is like; each protocol writes it in its own words. The clients under
test are the providers' own packages.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from typing import Any

from loopback import Loopback

_PIECE = 7
_END = {
    "openai": {
        "stop": "stop",
        "cut": "length",
        "filtered": "content_filter",
        "refused": "stop",
        "failed": "error",
    },
    "ollama": {"stop": "stop", "cut": "length"},
    "anthropic": {"stop": "end_turn", "cut": "max_tokens", "refused": "refusal"},
}
"""What each protocol calls the ends that it knows."""


@dataclass(frozen=True)
class Script:
    """One reply.

    Attributes:
        text: The text; thoughts in `thought`, where the protocol keeps them apart.
        end: stop, cut, filtered or refused; "" if the stream ends without a mark.
        status: HTTP status; with `error` its message, also within HTTP 200.
        error: An error object in place of the reply or, in a stream, after half of it.
        code: The error object's code.
        raw: The whole body as it is; with `kind` its content type.
        counted: Whether the server counts tokens.
        wait: Seconds between the headers of the HTTP reply and its body.
    """

    text: str = ""
    end: str = "stop"
    status: int = 200
    error: str = ""
    code: str | int | None = None
    thought: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes | None = None
    kind: str = "application/json"
    counted: bool = True
    wait: float = 0.0


@dataclass
class ProtocolServer:
    """Gives the scripted replies in turn, and the last one for ever. Use it under `with`.

    Attributes:
        scripts: The replies.
        requests: The payloads of all requests for a reply.
    """

    scripts: list[Script]
    requests: list[dict[str, Any]] = field(default_factory=list)

    def __enter__(self) -> ProtocolServer:
        self._http = Loopback(_Handler, self)
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.stop()

    @property
    def address(self) -> str:
        """Where it listens."""
        return self._http.address

    def environment(self) -> dict[str, str]:
        """The variables by which each provider's client finds this server."""
        return {
            "OPENAI_BASE_URL": f"{self.address}/v1",
            "OPENAI_API_KEY": "none",
            "OLLAMA_HOST": self.address,
            "ANTHROPIC_API_URL": self.address,
            "ANTHROPIC_API_KEY": "none",
            "GROQ_API_BASE": self.address,
            "GROQ_API_KEY": "none",
            "DEEPSEEK_API_BASE": f"{self.address}/v1",
            "DEEPSEEK_API_KEY": "none",
            "NO_PROXY": "127.0.0.1",
        }

    def next_script(self) -> Script:
        return self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def do_GET(self) -> None:
        self._send(200, b'{"models": [], "data": []}', "application/json")

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/api/show":
            self._send(200, b'{"model_info": {"m.context_length": 131072}}', "application/json")
            return
        owner = self.server.owner
        owner.requests.append(payload)
        script = owner.next_script()
        protocol = {"/api/chat": "ollama", "/v1/messages": "anthropic"}.get(self.path, "openai")
        if script.raw is not None:
            self._send(script.status, script.raw, script.kind, script.headers)
        elif script.status >= 400:
            self._send(
                script.status, _json(_error(protocol, script)), "application/json", script.headers
            )
        elif payload.get("stream"):
            kind = "application/x-ndjson" if protocol == "ollama" else "text/event-stream"
            self._send(200, b"".join(_STREAMS[protocol](script, payload)), kind, wait=script.wait)
        else:
            self._send(200, _json(_WHOLE[protocol](script, payload)), "application/json")

    def _send(
        self,
        status: int,
        body: bytes,
        kind: str,
        headers: tuple[tuple[str, str], ...] = (),
        wait: float = 0.0,
    ) -> None:
        self.send_response(status)
        own = (("content-type", kind), ("content-length", str(len(body))), ("connection", "close"))
        for name, value in (*own, *headers):
            self.send_header(name, value)
        self.end_headers()
        time.sleep(wait)
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _error(protocol: str, script: Script) -> dict[str, Any]:
    if protocol == "ollama":
        return {"error": script.error}
    error = {"message": script.error, "type": "server_error", "code": script.code}
    return {"type": "error", "error": error} if protocol == "anthropic" else {"error": error}


def _pieces(text: str) -> list[str]:
    return [text[place : place + _PIECE] for place in range(0, len(text), _PIECE)]


def _shown(script: Script) -> Script:
    """What comes before an error in a stream: half of the text, without an end."""
    half = script.text[: len(script.text) // 2]
    return replace(script, text=half, end="") if script.error else script


def _event(value: Any, name: str = "") -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return head + b"data: " + _json(value) + b"\n\n"


def _tool(payload: dict[str, Any]) -> str:
    tools = payload.get("tools") or []
    return str(tools[0].get("name") or tools[0]["function"]["name"]) if tools else ""


_OPENAI_USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}


def _openai_whole(script: Script, payload: dict[str, Any]) -> dict[str, Any]:
    if script.error:
        return _error("openai", script)
    message: dict[str, Any] = {"role": "assistant", "content": script.text}
    if script.thought:
        message["reasoning_content"] = script.thought
    if script.end == "refused":
        message |= {"content": None, "refusal": script.text}
    elif tool := _tool(payload):
        function = {"name": tool, "arguments": script.text}
        message |= {
            "content": None,
            "tool_calls": [{"id": "1", "type": "function", "function": function}],
        }
    choice = {"index": 0, "message": message, "finish_reason": _END["openai"].get(script.end)}
    head = {"id": "c", "object": "chat.completion", "created": 0, "model": "m"}
    return {**head, "choices": [choice], "usage": _OPENAI_USAGE if script.counted else None}


def _openai_stream(script: Script, payload: dict[str, Any]) -> Iterator[bytes]:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}

    def chunk(delta: dict[str, Any], end: str | None = None) -> bytes:
        return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]})

    shown = _shown(script)
    yield chunk({"role": "assistant", "content": ""})
    for piece in _pieces(shown.thought):
        yield chunk({"reasoning_content": piece})
    tool, name = _tool(payload), "refusal" if shown.end == "refused" else "content"
    for place, piece in enumerate(_pieces(shown.text)):
        function = {"name": tool if place == 0 else None, "arguments": piece}
        call = {"index": 0, "id": "1" if place == 0 else None, "type": "function"}
        yield chunk({"tool_calls": [{**call, "function": function}]} if tool else {name: piece})
    if script.error:
        yield _event(_error("openai", script))
    if shown.end:
        yield chunk({}, _END["openai"][shown.end])
        if shown.counted:
            yield _event({**head, "choices": [], "usage": _OPENAI_USAGE})
        yield b"data: [DONE]\n\n"


def _ollama_whole(script: Script, payload: dict[str, Any]) -> dict[str, Any]:
    head = {"model": payload["model"], "created_at": "2026-01-01T00:00:00Z"}
    message = {"role": "assistant", "content": script.text, "thinking": script.thought}
    end = {"done": True, "done_reason": _END["ollama"].get(script.end, script.end)}
    counts = {"prompt_eval_count": 9, "eval_count": 4} if script.counted else {}
    return {**head, "message": message, **end, **counts}


def _ollama_stream(script: Script, payload: dict[str, Any]) -> Iterator[bytes]:
    shown = _shown(script)
    head = {"model": payload["model"], "created_at": "2026-01-01T00:00:00Z", "done": False}
    for piece in _pieces(shown.thought):
        yield (
            _json({**head, "message": {"role": "assistant", "content": "", "thinking": piece}})
            + b"\n"
        )
    for piece in _pieces(shown.text):
        yield _json({**head, "message": {"role": "assistant", "content": piece}}) + b"\n"
    if script.error:
        yield _json({"error": script.error}) + b"\n"
    if shown.end:
        yield _json(_ollama_whole(replace(shown, text="", thought=""), payload)) + b"\n"


def _anthropic_block(script: Script, payload: dict[str, Any]) -> dict[str, Any]:
    if script.thought and not script.text:
        return {"type": "thinking", "thinking": "", "signature": ""}
    if tool := _tool(payload):
        return {"type": "tool_use", "id": "1", "name": tool, "input": {}}
    return {"type": "text", "text": ""}


def _anthropic_whole(script: Script, payload: dict[str, Any]) -> dict[str, Any]:
    if script.error:
        return _error("anthropic", script)
    block = _anthropic_block(script, payload)
    if block["type"] == "tool_use":
        block["input"] = json.loads(script.text) if script.end == "stop" else {}
    else:
        block["text"] = script.text
    end = {"stop_reason": _END["anthropic"].get(script.end), "stop_sequence": None}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m"}
    usage = {"input_tokens": 9, "output_tokens": 4} if script.counted else _NO_USAGE
    return {**head, "content": [block], **end, "usage": usage}


_NO_USAGE = {"input_tokens": 0, "output_tokens": 0}
"""Anthropic's client insists on a count; gateways without one send zeros."""


def _anthropic_stream(script: Script, payload: dict[str, Any]) -> Iterator[bytes]:
    shown = _shown(script)
    start = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = {"input_tokens": 9, "output_tokens": 1} if script.counted else _NO_USAGE
    start |= {"stop_reason": None, "usage": usage}
    yield _event({"type": "message_start", "message": start}, "message_start")
    block = _anthropic_block(shown, payload)
    begin = {"type": "content_block_start", "index": 0, "content_block": block}
    yield _event(begin, "content_block_start")
    for piece in _pieces(shown.text or shown.thought):
        delta = {"type": "text_delta", "text": piece}
        if block["type"] == "tool_use":
            delta = {"type": "input_json_delta", "partial_json": piece}
        elif block["type"] == "thinking":
            delta = {"type": "thinking_delta", "thinking": piece}
        yield _event(
            {"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta"
        )
    if script.error:
        yield _event(_error("anthropic", script), "error")
    if shown.end:
        yield _event({"type": "content_block_stop", "index": 0}, "content_block_stop")
        delta = {"stop_reason": _END["anthropic"][shown.end], "stop_sequence": None}
        written = {"input_tokens": 9, "output_tokens": 4} if shown.counted else _NO_USAGE
        ended = {"type": "message_delta", "delta": delta, "usage": written}
        yield _event(ended, "message_delta")
        yield _event({"type": "message_stop"}, "message_stop")


_STREAMS = {"openai": _openai_stream, "ollama": _ollama_stream, "anthropic": _anthropic_stream}
_WHOLE = {"openai": _openai_whole, "ollama": _ollama_whole, "anthropic": _anthropic_whole}
