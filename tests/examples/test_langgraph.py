"""The examples of LangGraph's ecosystem, each run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from ..graphs.conftest import EMBEDDING, index
from ..graphs.script import said
from ..server.conftest import Server, server

__all__ = ("index", "server")

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "When was the Iron Bridge opened?"
QUOTE = "“The Iron Bridge was opened in 1781.” (Iron Bridge)"
MOST_LINES = 40


def run(name: str, *arguments: str, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        env=os.environ | (environment or {}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def asked(server: Server) -> Server:
    server.script.lines = {("read", QUESTION): said("In 1781")}
    return server


@pytest.mark.server
def test_langgraph_stream(asked: Server) -> None:
    printed = run("langgraph_stream.py", QUESTION, asked.address)
    assert printed == f"In 1781\n[1] {QUOTE}\n"


@pytest.mark.server
def test_a2a_client(asked: Server) -> None:
    pytest.importorskip("a2a")
    assert run("a2a_client.py", QUESTION, asked.address) == "In 1781\n"


def test_deepagents_subagent(index: Path, model_server: ModelServer) -> None:
    pytest.importorskip("deepagents")

    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        return said("In 1781") if title == "Answer" else "Done."

    model_server.answer = answer
    settings = {
        "HOPYARD_EMBEDDING": EMBEDDING,
        "HOPYARD_STRATEGY": "single",
        "HOPYARD_PROFILE": "builtin",
    }
    printed = run(
        "deepagents_subagent.py",
        *(str(index), "Write two lines.", "openai:scripted"),
        environment=model_server.environment() | settings,
    )
    assert "Done." in printed


@pytest.mark.parametrize("name", ["langgraph_stream.py", "a2a_client.py", "deepagents_subagent.py"])
def test_it_is_short(name: str) -> None:
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    assert len(lines) < MOST_LINES
