"""Runs an example as a user runs it: in a process of its own, with a scripted model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from building import build
from model_server import ModelServer, WordEmbedder

from hopyard.indexes.corpus.records import Document

EXAMPLES = Path(__file__).parents[2] / "examples"
MODEL = "openai:scripted"

Run = Callable[..., subprocess.CompletedProcess[str]]


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
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    def run_example(
        name: str, *arguments: str | Path, lines: tuple[str, ...] = ()
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, str(EXAMPLES / name), *map(str, arguments)],
            input="".join(f"{line}\n" for line in lines),
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done

    return run_example
