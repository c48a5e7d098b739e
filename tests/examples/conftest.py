"""Runs an example as a user runs it, with a scripted model, and in the process of the test."""

from __future__ import annotations

import io
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from building import build
from model_server import ModelServer, WordEmbedder

from hopyard.indexes.corpus.records import Document
from hopyard.nodes.resources import close_shared_resources

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = "openai:scripted"

Run = Callable[..., Any]
"""Runs a program with its arguments, and gives the texts `out` and `err` that it printed."""


class Words(WordEmbedder):
    name = "ollama:words"


DOCUMENTS = [
    Document("mars", "Mars", "Mars has two moons, Phobos and Deimos."),
    Document("venus", "Venus", "Venus has no moon."),
]


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("examples") / "index"
    build(DOCUMENTS, directory=directory, embedder=Words())
    return directory


@pytest.fixture
def environment(model_server: ModelServer) -> dict[str, str]:
    """What a user has set: where the models are, and which ones."""
    models = {"HOPYARD_MODEL": MODEL, "HOPYARD_EMBEDDING": Words.name}
    return os.environ | model_server.environment() | models


@pytest.fixture
def program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Run:
    def run_example(name: str, *arguments: str | Path, lines: tuple[str, ...] = ()) -> Any:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        try:
            runpy.run_path(str(EXAMPLES / name), run_name="__main__")
        except SystemExit as end:
            if end.code:
                raise
        close_shared_resources()  # as the end of a process does
        return capfd.readouterr()

    return run_example


@pytest.fixture
def run(program: Run, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Run:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return program
