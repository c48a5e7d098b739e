"""A model of one's own for tests: a loopback server whose answers the test writes.

It speaks the chat protocols of OpenAI (`/v1/chat/completions`) and Ollama (`/api/chat`), and
Ollama's `/api/embed` and `/api/tags`. In this process a test registers it by name
(`scripted_provider`); a subprocess is given `server.environment()` and, for example,
`--model openai:scripted --embedding ollama:words`.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
from loopback import Loopback
from reply_bodies import ollama_chat, openai_chat, openai_chunks, text_of, title_of
from tokenizers import Tokenizer

from hopyard.models.chat import ChatProvider, Sampling

EMBEDDING_DIMENSION = 32
LONGEST_WAIT = 60.0


class Reply(Exception):  # noqa: N818  (not an error: what the server says instead of an answer)
    """An HTTP reply in place of an answer; an answer function may return or raise it."""

    def __init__(
        self, status: int, *, headers: dict[str, str] | None = None, body: Any = None
    ) -> None:
        super().__init__(status)
        self.status = status
        self.headers = headers or {}
        self.body = {"error": {"message": f"scripted {status}"}} if body is None else body


Answer = Callable[[str, list[dict[str, Any]]], dict[str, Any] | str | Reply]
"""From the schema's title and the messages to the output: an object, or the text as it is."""


@dataclass
class Call:
    """One chat request. `finished` is 0.0 while it runs; the times are `time.monotonic()`'s."""

    title: str
    messages: list[dict[str, Any]]
    payload: dict[str, Any]
    started: float
    finished: float = 0.0

    @property
    def turn(self) -> str:
        """The last message's text: what differs from call to call."""
        return str(self.messages[-1]["content"])


@dataclass
class ModelServer:
    """The server. Use it under `with`.

    Attributes:
        answer: Gives the output of a call; may be replaced while the server runs.
        delay: Seconds that every chat request takes, each in a thread of its own.
        models: The names that `/api/tags` lists.
        keep_alive: Whether connections stay open, as real servers keep them; by default each is
            closed at once, because an open one would outlive its test's event loop.
        calls: Every chat request so far, refused ones included.
        embedded: Every text embedded so far.
    """

    answer: Answer
    delay: float = 0.0
    models: tuple[str, ...] = ("scripted:latest",)
    keep_alive: bool = False
    calls: list[Call] = field(default_factory=list)
    embedded: list[str] = field(default_factory=list)

    def __enter__(self) -> ModelServer:
        self._lock = threading.Lock()
        self._called = threading.Event()
        self._until, self._free = 0, threading.Event()
        self._free.set()
        self._http = Loopback(_Handler, self)
        self._http.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()
        self._http.stop()

    @property
    def address(self) -> str:
        """Where it listens; what OLLAMA_HOST takes."""
        return self._http.address

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes."""
        return f"{self.address}/v1"

    def environment(self) -> dict[str, str]:
        """The variables by which another process finds this server."""
        return {
            "OPENAI_BASE_URL": self.base_url,
            "OPENAI_API_KEY": "none",
            "OLLAMA_HOST": self.address,
            "NO_PROXY": "127.0.0.1",
            "HOPYARD_GATE": "off",
            "HOPYARD_PROFILE": "builtin",  # whose prompts the scripts of the tests know
        }

    def titles(self) -> list[str]:
        """The schema titles of all calls, in the order in which they came."""
        return [call.title for call in self.calls]

    def wait_for_call(self) -> None:
        """Block until the first chat request is in."""
        self._called.wait(LONGEST_WAIT)

    def hold(self, until: int = sys.maxsize) -> None:
        """Keep the answers back until so many calls wait at once, or until `let_go`."""
        self._until = until
        self._free.clear()

    def let_go(self) -> None:
        """Give the answers that `hold` keeps back, and those to come."""
        self._free.set()

    def most_at_once(self) -> int:
        """The largest number of chat requests that ran at the same time."""
        with self._lock:
            events = [(call.started, 1) for call in self.calls]
            events += [(call.finished, -1) for call in self.calls if call.finished]
        running = most = 0
        for _, change in sorted(events):
            running += change
            most = max(most, running)
        return most

    def _reply(self, payload: dict[str, Any]) -> tuple[str, dict[str, Any] | str | Reply]:
        title, messages = title_of(payload), payload["messages"]
        call = Call(title, messages, payload, time.monotonic())
        with self._lock:
            self.calls.append(call)
            if sum(not each.finished for each in self.calls) >= self._until:
                self._free.set()
        self._called.set()
        self._free.wait(LONGEST_WAIT)
        try:
            reply = self.answer(title, messages)
        except Reply as scripted:
            reply = scripted
        except Exception as error:  # a fault of the test's: 400 is not tried again
            reply = Reply(400, body={"error": {"message": f"answer raised {error!r}"}})
        time.sleep(self.delay)
        call.finished = time.monotonic()
        return title, reply


def scripted_provider(
    server: ModelServer,
    *,
    identity: str = "scripted",
    concurrency: int = 16,
) -> ChatProvider:
    """The server as a chat provider, to be given to `register_chat_provider`."""
    from langchain_openai import ChatOpenAI

    def connect(sampling: Sampling) -> ChatOpenAI:
        return ChatOpenAI(
            base_url=server.base_url,
            api_key="none",
            model="scripted",
            max_tokens=sampling.max_tokens,
            temperature=sampling.temperature,
            seed=sampling.seed,
            max_retries=0,
            **_clients(),
        )

    return ChatProvider(identity, connect, concurrency, "fix the test")


@lru_cache(maxsize=1)
def _clients() -> dict[str, Any]:
    """HTTP clients for all tests: to load the certificates for each takes longer than the test."""
    from openai import DefaultAsyncHttpxClient, DefaultHttpxClient

    options: dict[str, Any] = {"trust_env": False, "verify": False}
    return {
        "http_client": DefaultHttpxClient(**options),
        "http_async_client": DefaultAsyncHttpxClient(**options),
        "http_socket_options": (),
    }


def word_vector(text: str, dimension: int = EMBEDDING_DIMENSION) -> np.ndarray:
    """One random direction a word, added up: texts that share words lie close together."""
    words = "".join(each if each.isalnum() else " " for each in text.lower()).split() or [""]
    total = np.zeros(dimension)
    for word in words:
        total += _direction(word, dimension)
    return (total / np.linalg.norm(total)).astype(np.float32)


@lru_cache(maxsize=4096)
def _direction(word: str, dimension: int) -> np.ndarray:
    seed = int.from_bytes(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8])
    return np.random.default_rng(seed).normal(size=dimension)


class WordEmbedder:
    """A deterministic embedding model: texts that share words lie close together."""

    name = "words"
    dimension = EMBEDDING_DIMENSION
    window = 2048
    tokenizer: Tokenizer | None = None

    def embed_documents(self, texts: list[str]) -> np.ndarray:
        vectors = [word_vector(text) for text in texts]
        return np.stack(vectors) if vectors else np.empty((0, self.dimension), np.float32)

    def embed_query(self, text: str) -> np.ndarray:
        return word_vector(text)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Loopback

    def do_GET(self) -> None:
        names = self.server.owner.models
        self._send(200, [{"models": [{"name": name, "model": name} for name in names]}])

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server = self.server.owner
        if self.path == "/api/show":
            self._send(200, [{"model_info": {"scripted.context_length": 131072}}])
            return
        if self.path == "/api/embed":
            texts = payload["input"] if isinstance(payload["input"], list) else [payload["input"]]
            server.embedded.extend(texts)
            self._send(200, [{"embeddings": [word_vector(text).tolist() for text in texts]}])
            return
        ollama = self.path == "/api/chat"
        title, reply = server._reply(payload)
        if isinstance(reply, Reply):
            self._send(reply.status, [reply.body], reply.headers)
        elif ollama:
            self._send(200, [ollama_chat(payload, text_of(reply))])
        elif payload.get("stream"):
            self._send(200, openai_chunks(payload, text_of(reply)), {}, "text/event-stream")
        else:
            tool = title if payload.get("tools") else ""
            self._send(200, [openai_chat(payload, text_of(reply), tool)])

    def _send(
        self,
        status: int,
        parts: Iterable[Any],
        headers: dict[str, str] | None = None,
        kind: str = "application/json",
    ) -> None:
        body = b"".join(
            part.encode() if isinstance(part, str) else json.dumps(part).encode() for part in parts
        )
        self.send_response(status)
        connection = "keep-alive" if self.server.owner.keep_alive else "close"
        sent = {"content-type": kind, "content-length": str(len(body)), "connection": connection}
        for name, value in (sent | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Print nothing."""
