"""The examples of an MCP client and of the command line in a pipe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from model_server import ModelServer

from .conftest import EXAMPLES, MODEL, Run

QUESTION = "How many moons does Mars have?"
MARS = "Mars has two moons, Phobos and Deimos."


@pytest.fixture(autouse=True)
def script(model_server: ModelServer) -> None:
    said = {"Answer": {"answer": "two moons"}, "Route": {"strategy": "single"}}
    model_server.answer = lambda title, _: said[title]


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
    done = subprocess.run(
        [EXAMPLES / "pipe.sh", index, MODEL],
        input=f"{QUESTION}\n",  # each line is a process of two seconds
        env=environment | {"PATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == f"{QUESTION}\ttwo moons\tMars\n"
