"""A server that speaks the protocols of OpenAI and Ollama, and misbehaves on a seed."""

from __future__ import annotations

import json
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from typing import Any

from loopback import Loopback
from model_server import word_vector

Say = Callable[[str, list[dict[str, Any]]], Any]

HANG = 1.5
"""Seconds: longer than any limit that the tests set."""
FAULTS = (
    "truncated", "prose", "fence", "enumeration", "empty", "null", "megabyte", "nul", "surrogate",
    "other keys", "list", "429", "429 later", "429 nonsense", "500", "503", "503 later", "400",
    "context", "hang", "drip", "reset", "half a body", "no json", "no choices",
)  # fmt: skip


class BadServer:
    """The server. Use it under `with`.

    Args:
        say: What a good answer is, by the schema's title and the messages.
        seed: Of the faults.
        rate: Share of the requests that are answered badly.
        faults: Those that occur.
        only: Which requests may be answered badly, by their last message.
    """

    def __init__(
        self,
        say: Say,
        seed: int,
        *,
        rate: float = 0.5,
        faults: tuple[str, ...] = FAULTS,
        only: Callable[[str], bool] = lambda turn: True,
    ) -> None:
        self.say = say
        self.seen: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._rate = rate
        self._faults = faults
        self._only = only
        self._lock = threading.Lock()

    def __enter__(self) -> BadServer:
        self._http = Loopback(_Handler, self)
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.stop()

    def environment(self) -> dict[str, str]:
        """The variables by which the clients find this server."""
        address = self._http.address
        return {
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": "none",
            "OLLAMA_HOST": address,
            "NO_PROXY": "127.0.0.1",
        }

    def fault(self, turn: str) -> str:
        """What happens to the next request; "" is nothing."""
        if not self._only(turn):
            return ""
        with self._lock:
            bad = self._chance.random() < self._rate
            fault = self._chance.choice(self._faults) if bad else ""
            self.seen[fault] += 1
        return fault


def _spoilt(fault: str, text: str) -> str:
    """The text of an answer that fits, spoilt."""
    return {
        "truncated": text[: max(1, len(text) // 2)],
        "prose": f"Sure, here you are:\n{text}\nDo you need {{anything}} else?",
        "fence": f"```json\n{text}\n```",
        "enumeration": '{"strategy": "guess", "kind": "odd", "judgements": ["maybe"]}',
        "empty": "",
        "null": "null",
        "megabyte": '{"answer": "' + "x" * 1_000_000 + '"}',
        "nul": text.replace('": "', '": "\\u0000\x00'),
        "surrogate": text.replace('": "', '": "\\ud83d'),
        "other keys": '{"thought": "hm", "answer": "no"}',
        "list": f"[{text}]",
    }.get(fault, text)


_STATUS: dict[str, tuple[int, dict[str, str], str]] = {
    "429": (429, {}, "slow down"),
    "429 later": (429, {"retry-after": "0.05"}, "slow down"),
    "429 nonsense": (429, {"retry-after": "next Tuesday"}, "slow down"),
    "500": (500, {}, "oops"),
    "503": (503, {}, "busy"),
    "503 later": (503, {"retry-after": "3600"}, "busy"),
    "400": (400, {}, "the content was refused"),
    "context": (400, {}, "the request exceeds the available context size (8192 tokens)"),
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if self.path == "/api/embed":
            texts = payload["input"] if isinstance(payload["input"], list) else [payload["input"]]
            self._send({"embeddings": [word_vector(text).tolist() for text in texts]})
            return
        if self.path == "/api/show":
            self._send({"model_info": {"bad.context_length": 8192}, "capabilities": []})
            return
        fault = self.server.owner.fault(
            "\n".join(str(each["content"]) for each in payload["messages"][-3:])
        )
        if fault == "hang":
            time.sleep(HANG)
        if fault == "reset":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
            return
        if fault in _STATUS:
            status, headers, message = _STATUS[fault]
            self._send({"error": {"message": message}}, status, headers)
            return
        said = self.server.owner.say(_title(payload), payload["messages"])
        text = _spoilt(fault, said if isinstance(said, str) else json.dumps(said))
        body = _ollama(text) if self.path == "/api/chat" else _openai(payload, text)
        if fault == "no choices":
            body = {"id": "x", "object": "chat.completion", "choices": []}
        self._send("<html>Bad gateway</html>" if fault == "no json" else body, fault=fault)

    def _send(
        self,
        body: Any,
        status: int = 200,
        headers: dict[str, str] | None = None,
        fault: str = "",
    ) -> None:
        data = (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        sent = {"content-type": "application/json", "content-length": str(len(data))}
        for name, value in (sent | {"connection": "close"} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        if fault == "half a body":
            data = data[: len(data) // 2]
        if fault == "drip":
            end = time.monotonic() + HANG
            for place in range(len(data)):
                self.wfile.write(data[place : place + 1])
                time.sleep(0.02)
                if time.monotonic() > end:
                    break
            return
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""


def _title(payload: dict[str, Any]) -> str:
    wanted = (payload.get("response_format") or {}).get("json_schema") or {}
    schema = wanted.get("schema") or payload.get("format") or {}
    return str(schema.get("title") or wanted.get("name", ""))


def _openai(payload: dict[str, Any], text: str) -> Any:
    head = {"id": "bad", "created": 0, "model": "bad"}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    if payload.get("stream"):
        kind = {"object": "chat.completion.chunk"}
        delta = {"role": "assistant", "content": text}
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
            {"choices": [], "usage": usage},
        ]
        lines = [f"data: {json.dumps(head | kind | chunk)}\n\n" for chunk in chunks]
        return "".join([*lines, "data: [DONE]\n\n"])
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return head | {"object": "chat.completion", "choices": [choice], "usage": usage}


def _ollama(text: str) -> dict[str, Any]:
    return {
        "model": "bad",
        "created_at": "2025-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": "stop",
        "prompt_eval_count": 10,
        "eval_count": 5,
    }
