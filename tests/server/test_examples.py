"""The examples of LangGraph's ecosystem, each run as a user runs it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from ..examples.conftest import EXAMPLES, Run, program
from ..graphs.conftest import EMBEDDING
from ..graphs.script import said
from .conftest import Server

__all__ = ("program",)

QUESTION = "In which year was the Iron Bridge opened?"  # no other test asks it
QUOTE = "“The Iron Bridge was opened in 1781.” (Iron Bridge)"
MOST_LINES = 40


@pytest.fixture
def asked(server: Server) -> Server:
    server.script.lines = {("read", QUESTION): said("In 1781")}
    return server


@pytest.mark.server
def test_langgraph_stream(asked: Server, program: Run) -> None:
    shown = program("langgraph_stream.py", QUESTION, asked.address)
    assert shown.out == f"In 1781\n[1] {QUOTE}\n"


@pytest.mark.server
def test_a2a_client(asked: Server, program: Run) -> None:
    pytest.importorskip("a2a")
    assert program("a2a_client.py", QUESTION, asked.address).out == "In 1781\n"


def test_deepagents_subagent(
    index: Path, model_server: ModelServer, program: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("deepagents")

    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        return said("In 1781") if title == "Answer" else "Done."

    model_server.answer = answer
    settings = {
        "HOPYARD_EMBEDDING": EMBEDDING,
        "HOPYARD_STRATEGY": "single",
        "HOPYARD_PROFILE": "builtin",
    }
    for name, value in (model_server.environment() | settings).items():
        monkeypatch.setenv(name, value)
    shown = program("deepagents_subagent.py", index, "Write two lines.", "openai:scripted")
    assert "Done." in shown.out


@pytest.mark.parametrize("name", ["langgraph_stream.py", "a2a_client.py", "deepagents_subagent.py"])
def test_it_is_short(name: str) -> None:
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    assert len(lines) < MOST_LINES
