"""Ollama's HTTP API on a loopback port: what its client, and so Hopyard, can be tried against.

Ollama itself comes from no package registry. This server speaks the part of its protocol that
Hopyard uses, as its API documentation and its client have it: `/api/chat` (streamed or not, with
`format`, `think`, `options`, `keep_alive`), `/api/embed`, `/api/tags`, `/api/show`,
`/api/version`, `/api/pull` with progress. Models answer from a script, or are the embedded ones.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from loopback import Loopback

VERSION = "0.12.6"
CREATED = "2026-01-01T00:00:00.000000Z"

Tokens = Iterator[str | tuple[int, int]]
"""An answer's tokens, and at last how many tokens were read and written."""
ChatModel = Callable[[dict[str, Any]], Tokens]
"""From a request's payload to the answer."""
EmbeddingModel = Callable[[list[str]], list[list[float]]]


class Refusal(Exception):  # noqa: N818  (not an error: what the server says instead of an answer)
    """An HTTP status and Ollama's error text."""

    def __init__(self, status: int, error: str) -> None:
        super().__init__(error)
        self.status = status


@dataclass(frozen=True)
class Model:
    """One model of the server."""

    chat: ChatModel | None = None
    embed: EmbeddingModel | None = None
    context_length: int = 8192
    parameter_size: str = "135M"
    tokens: Callable[[str], int] | None = None
    """Counts the tokens of a prompt; with it the server keeps to the window of a request."""

    @property
    def capabilities(self) -> list[str]:
        """As `/api/show` lists them."""
        return ["completion"] if self.chat else ["embedding"]


@dataclass
class OllamaServer:
    """The server. Use it under `with`.

    Attributes:
        models: What is installed, by name with tag.
        requests: Path and payload of every request so far.
        version: Before 0.12.6 the server does not know `truncate` and cuts off the beginning of
            a prompt that does not fit, without a word; later it refuses. It says the prompt's
            length since 0.34.
        cut: Requests whose prompt and answer did not fit into their `num_ctx`.
    """

    models: dict[str, Model]
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    cut: list[dict[str, Any]] = field(default_factory=list)
    version: str = VERSION

    def __enter__(self) -> OllamaServer:
        self._http = Loopback(_Handler, self)
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.stop()

    @property
    def address(self) -> str:
        """What OLLAMA_HOST takes."""
        return self._http.address

    def payloads(self, path: str) -> list[dict[str, Any]]:
        """What was sent to a path, in the order in which it came."""
        return [payload for asked, payload in self.requests if asked == path]

    def reply(self, path: str, payload: dict[str, Any]) -> Iterable[dict[str, Any]]:
        """The objects of a reply; more than one are streamed, a line each."""
        self.requests.append((path, payload))
        if path == "/api/version":
            return [{"version": self.version}]
        if path == "/api/tags":
            return [{"models": [_listed(name, model) for name, model in self.models.items()]}]
        model = self._model(payload)
        if path == "/api/show":
            return [_shown(model)]
        if path == "/api/embed":
            return [_embedded(payload, model)]
        if path == "/api/chat":
            return self._chat(payload, model)
        raise Refusal(404, "404 page not found")

    def _model(self, payload: dict[str, Any]) -> Model:
        name = payload["model"]
        found = self.models.get(name if ":" in name else f"{name}:latest")
        if found is None:
            raise Refusal(404, f"model '{name}' not found")
        return found

    def _chat(self, payload: dict[str, Any], model: Model) -> Iterable[dict[str, Any]]:
        if model.chat is None:
            raise Refusal(400, f'"{payload["model"]}" does not support chat')
        if payload.get("think"):
            raise Refusal(400, f'"{payload["model"]}" does not support thinking')
        read = None if model.tokens is None else self._read(payload, model)
        lines = self._lines(payload, model.chat(payload), read)
        if payload.get("stream", True):
            return lines
        *said, last = lines
        text = "".join(line["message"]["content"] for line in said)
        return [{**last, "message": {"role": "assistant", "content": text}}]

    def _read(self, payload: dict[str, Any], model: Model) -> int:
        """How many tokens of the prompt the model reads."""
        text = "\n".join(message["content"] for message in payload["messages"])
        wanted = payload.get("options", {}).get("num_ctx", 4096)
        count, window = (model.tokens or len)(text), min(wanted, model.context_length)
        version = tuple(map(int, self.version.split(".")))
        if count <= window:
            return count
        if payload.get("truncate", True) or version < (0, 12, 6):
            return window if version < (0, 12, 6) else window // 2 + 4
        if version < (0, 34):
            raise Refusal(400, "the input length exceeds the context length")
        error = {
            "code": 400,
            "message": f"request ({count} tokens) exceeds the available context size ({window} "
            "tokens), try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": count,
            "n_ctx": window,
        }
        raise Refusal(400, json.dumps({"error": error}, separators=(",", ":")))

    def _lines(
        self, payload: dict[str, Any], tokens: Tokens, counted: int | None = None
    ) -> Iterator[dict[str, Any]]:
        head = {"model": payload["model"], "created_at": CREATED}
        read = written = 0
        for token in tokens:
            if isinstance(token, str):
                yield {
                    **head,
                    "message": {"role": "assistant", "content": token},
                    "done": False,
                }
            else:
                read, written = token
        read = read if counted is None else counted
        options = payload.get("options", {})
        if read + options.get("num_predict", 0) > options.get("num_ctx", 4096):
            self.cut.append(payload)
        yield {
            **head,
            "message": {"role": "assistant", "content": ""},
            "done": True,
            "done_reason": "length" if written >= options.get("num_predict", 1 << 30) else "stop",
            "total_duration": 2_000_000,
            "load_duration": 1_000_000,
            "prompt_eval_count": read,
            "prompt_eval_duration": 500_000,
            "eval_count": written,
            "eval_duration": 500_000,
        }


def _digest(name: str) -> str:
    return f"sha256:{hashlib.sha256(name.encode()).hexdigest()}"


def _details(model: Model) -> dict[str, Any]:
    return {
        "parent_model": "",
        "format": "gguf",
        "family": "llama",
        "families": ["llama"],
        "parameter_size": model.parameter_size,
        "quantization_level": "Q4_K_M",
    }


def _listed(name: str, model: Model) -> dict[str, Any]:
    return {
        "name": name,
        "model": name,
        "modified_at": CREATED,
        "size": 1000,
        "digest": _digest(name),
        "details": _details(model),
    }


def _shown(model: Model) -> dict[str, Any]:
    return {
        "modelfile": "FROM scratch",
        "template": "{{ .Prompt }}",
        "details": _details(model),
        "model_info": {
            "general.architecture": "llama",
            "llama.context_length": model.context_length,
        },
        "capabilities": model.capabilities,
        "modified_at": CREATED,
    }


def _embedded(payload: dict[str, Any], model: Model) -> dict[str, Any]:
    if model.embed is None:
        raise Refusal(400, f'"{payload["model"]}" does not support embeddings')
    texts = payload["input"] if isinstance(payload["input"], list) else [payload["input"]]
    return {
        "model": payload["model"],
        "embeddings": model.embed(texts),
        "total_duration": 2_000_000,
        "load_duration": 1_000_000,
        "prompt_eval_count": sum(len(text.split()) for text in texts),
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def do_GET(self) -> None:
        if self.path == "/":
            self._whole(200, b"Ollama is running", "text/plain")
        else:
            self._answer({})

    def do_POST(self) -> None:
        self._answer(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _answer(self, payload: dict[str, Any]) -> None:
        try:
            reply = self.server.owner.reply(self.path, payload)
        except Refusal as refusal:
            self._whole(refusal.status, json.dumps({"error": str(refusal)}).encode())
            return
        if isinstance(reply, list):
            self._whole(200, json.dumps(reply[0]).encode())
        elif payload.get("stream", True):
            self._stream(reply)
        else:
            self._whole(200, json.dumps(list(reply)[-1]).encode())

    def _whole(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        for name, value in (
            ("content-type", kind),
            ("content-length", str(len(body))),
            ("connection", "close"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, lines: Iterable[dict[str, Any]]) -> None:
        self.send_response(200)
        for name, value in (
            ("content-type", "application/x-ndjson"),
            ("transfer-encoding", "chunked"),
            ("connection", "close"),
        ):
            self.send_header(name, value)
        self.end_headers()
        for line in lines:
            data = json.dumps(line).encode() + b"\n"
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_: Any) -> None:
        """Print nothing."""
