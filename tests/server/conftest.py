"""LangGraph's development server on a free loopback port, with a scripted model."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from model_server import ModelServer

from ..graphs.conftest import EMBEDDING, index
from ..graphs.script import IRON, QUESTION, STONE, Script, said, split

__all__ = ("index",)

CONFIG = Path(__file__).parents[2] / "langgraph.json"
LONGEST_START = 60.0


@dataclass
class Server:
    """The server, which can be killed and started again.

    Attributes:
        script: What its model says.
        settings: The context of a run over the small index.
        environment: What the process is started with.
        folder: Where it keeps its list of threads and runs.
    """

    script: Script
    settings: dict[str, Any]
    environment: dict[str, str]
    folder: Path
    address: str = ""
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "langgraph_cli", "dev", "--config", str(CONFIG)]
        command += ["--host", "127.0.0.1", "--port", str(port), "--no-browser", "--no-reload"]
        command += ["--n-jobs-per-worker", "4"]
        with (self.folder / "log.txt").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self.folder, env=self.environment, stdout=log, stderr=log
            )
        until = time.monotonic() + LONGEST_START
        while not self._answers():
            assert self._process.poll() is None, self.log()
            assert time.monotonic() < until, self.log()
            time.sleep(0.1)

    def kill(self) -> None:
        """Let it end without a word."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def log(self) -> str:
        """The end of what it printed."""
        return (self.folder / "log.txt").read_text(errors="replace")[-4000:]

    def context(self, **settings: Any) -> dict[str, Any]:
        """The context of a run."""
        return {**self.settings, **settings}

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.address}/ok", trust_env=False).is_success
        except httpx.TransportError:
            return False


@pytest.fixture(scope="session")
def server(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all tests: it takes seconds to start."""
    if find_spec("langgraph_cli") is None or find_spec("langgraph_api") is None:
        pytest.skip("LangGraph's server is not installed: pip install 'hopyard[studio]'")
    folder = tmp_path_factory.mktemp("server")
    script = Script()
    with ModelServer(script) as model:
        settings = {
            "index": str(index),
            "model": "openai:scripted",
            "embedding": EMBEDDING,
            "retrieval": {"k": 2},
        }
        clean = {name: value for name, value in os.environ.items() if _is_neutral(name)}
        environment = clean | model.environment()
        environment |= {
            "HOPYARD_HOME": str(folder / "home"),
            "HOPYARD_INDEX": str(index),
            "HOPYARD_MODEL": "openai:scripted",
            "HOPYARD_EMBEDDING": EMBEDDING,
            "LANGSMITH_TRACING": "false",
            "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        }
        running = Server(script, settings, environment, folder)
        running.start()
        try:
            yield running
        finally:
            running.kill()


def _is_neutral(name: str) -> bool:
    return not name.startswith(("HOPYARD_", "LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_"))


@pytest.fixture
def comparison(server: Server) -> Server:
    """The model splits the question about two bridges, and has answered nothing yet."""
    server.script.lines = {
        ("route", QUESTION): {"strategy": "tree"},
        ("split", QUESTION): split(IRON, STONE),
        ("aggregate", QUESTION): said("Stone Bridge"),
    }
    server.script.asked.clear()
    server.script.before = lambda kind, question: None
    return server


@pytest.fixture
async def client(comparison: Server) -> AsyncIterator[LangGraphClient]:
    async with get_client(url=comparison.address) as client:
        yield client
