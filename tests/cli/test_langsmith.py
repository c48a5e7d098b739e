"""LangSmith is told of a run where its environment variables say so, and nobody is otherwise."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from model_server import ModelServer

GUARD = """
import socket
connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo
def check(address):
    host = address[0] if isinstance(address, tuple) else address
    if host not in ("127.0.0.1", "::1", "localhost"):
        print("CONNECTED TO", host, flush=True)
        raise SystemExit(97)
socket.socket.connect = lambda self, address: (check(address), connect(self, address))[1]
socket.socket.connect_ex = lambda self, address: (check(address), connect_ex(self, address))[1]
socket.getaddrinfo = lambda host, *more, **named: (check((host,)), look_up(host, *more, **named))[1]
"""
SPANS = """
import atexit
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
kept, provider = InMemorySpanExporter(), TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
def tell():
    from langchain_core.tracers.langchain import wait_for_all_tracers
    wait_for_all_tracers()
    for span in kept.get_finished_spans():
        print("SPAN", span.to_json(indent=None))
atexit.register(tell)
"""
RUN = """
from hopyard.cli.main import main
main()
"""


class _LangSmith(BaseHTTPRequestHandler):
    """Takes whatever is sent, as LangSmith's server does."""

    paths: list[str]
    bodies: list[bytes]

    def do_GET(self) -> None:
        self._reply()

    def do_POST(self) -> None:
        length = self.headers.get("content-length")
        body = self.rfile.read(int(length)) if length else self._chunks()
        self.paths.append(self.path)
        self.bodies.append(body)
        self._reply()

    do_PATCH = do_POST  # noqa: N815

    def _chunks(self) -> bytes:
        body = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        return body

    def _reply(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Print nothing."""


@pytest.fixture
def langsmith() -> Iterator[tuple[str, type[_LangSmith]]]:
    handler = type("Handler", (_LangSmith,), {"paths": [], "bodies": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", handler
        server.shutdown()


def ask(server: ModelServer, code: str, **more: str) -> subprocess.CompletedProcess[str]:
    """`hopyard ask` in a process of its own, without any variable of the developer's."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LANGSMITH", "LANGCHAIN"))
    }
    arguments = ["ask", "Hello?", "-s", "direct", "--model", "openai:scripted", "--json"]
    return subprocess.run(
        [sys.executable, "-c", code + RUN, *arguments],
        env=environment | server.environment() | more,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_nothing_is_sent_to_anybody_but_the_model(model_server: ModelServer, home: Path) -> None:
    model_server.answer = lambda title, messages: {"answer": "Hello!"}
    ended = ask(model_server, GUARD)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '"answer": "Hello!"' in ended.stdout


def test_the_guard_itself_stops_a_connection(home: Path) -> None:
    code = f"{GUARD}\nimport httpx; httpx.get('http://192.0.2.1/')"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (97, "CONNECTED TO 192.0.2.1\n")


def test_langsmith_is_sent_the_run_when_it_is_asked_for(
    model_server: ModelServer, langsmith: tuple[str, type[_LangSmith]], home: Path
) -> None:
    address, received = langsmith
    model_server.answer = lambda title, messages: {"answer": "Hello!"}
    ended = ask(
        model_server,
        GUARD,
        LANGSMITH_TRACING="true",
        LANGSMITH_ENDPOINT=address,
        LANGSMITH_API_KEY="lsv2_test",
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert any(path.startswith("/runs") for path in received.paths)
    sent = b"".join(received.bodies)
    if sent[:4] == b"\x28\xb5\x2f\xfd" or b"\x28\xb5\x2f\xfd" in sent:
        import zstandard

        sent = b"".join(
            zstandard.ZstdDecompressor().stream_reader(body).read() for body in received.bodies
        )
    assert b"hopyard" in sent
    assert b"receive" in sent


def test_spans_go_to_opentelemetry_alone_and_hide_what_was_said(
    model_server: ModelServer, home: Path
) -> None:
    model_server.answer = lambda title, messages: {"answer": "Hello!"}
    ended = ask(
        model_server,
        GUARD + SPANS,
        LANGSMITH_TRACING="true",
        LANGSMITH_OTEL_ENABLED="true",
        LANGSMITH_OTEL_ONLY="true",
        LANGSMITH_HIDE_INPUTS="true",
        LANGSMITH_HIDE_OUTPUTS="true",
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    spans = [line for line in ended.stdout.splitlines() if line.startswith("SPAN")]
    named = {json.loads(line.removeprefix("SPAN"))["name"] for line in spans}
    assert {"hopyard", "receive", "direct", "ChatOpenAI"} <= named
    assert not [line for line in spans if "Hello" in line]
