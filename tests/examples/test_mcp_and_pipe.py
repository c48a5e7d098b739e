"""The examples of an MCP client and of the command line in a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from .conftest import EXAMPLES, MODEL, Run

QUESTION = "How many moons does Mars have?"
MARS = "Mars has two moons, Phobos and Deimos."


@pytest.fixture(autouse=True)
def script(model_server: ModelServer) -> None:
    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        asked = str(messages[-1]["content"]).rpartition("Question: ")[2]
        return {
            "Answer": {"answer": "none" if "Venus" in asked else "two moons"},
            "Route": {"strategy": "single"},
        }[title]

    model_server.answer = answer


def test_an_mcp_client_finds_reads_and_asks(run: Run, index: Path) -> None:
    pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'hopyard[mcp]'")
    done = run("mcp_client.py", index, QUESTION, MODEL)
    assert done.out == f"Mars: {MARS}\n\ntwo moons\n  “{MARS}” (Mars)\n"


def test_a_pipe_answers_a_question_a_line(
    environment: dict[str, str], index: Path, tmp_path: Path
) -> None:
    command = tmp_path / "hopyard"  # as the installed command is on a user's PATH
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m hopyard.cli.main "$@"\n')
    command.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{environment['PATH']}"
    questions = f"{QUESTION}\nHow many moons does Venus have?\n"
    done = subprocess.run(
        [EXAMPLES / "pipe.sh", index, MODEL],
        input=questions,
        env=environment | {"PATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    first, second = [line.split("\t") for line in done.stdout.splitlines()]
    assert first == [QUESTION, "two moons", "Mars"]
    assert second[:2] == ["How many moons does Venus have?", "none"]
