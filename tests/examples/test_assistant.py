"""The example assistant, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from building import build
from model_server import ModelServer, WordEmbedder

from hopyard.indexes.records import Document

ASSISTANT = Path(__file__).parents[2] / "examples" / "assistant.py"


class Words(WordEmbedder):
    name = "ollama:words"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("assistant") / "index"
    documents = [
        Document("mars", "Mars", "Mars has two moons, Phobos and Deimos."),
        Document("venus", "Venus", "Venus has no moon."),
    ]
    build(documents, directory=directory, embedder=Words())
    return directory


def talk(server: ModelServer, index: Path, *lines: str) -> subprocess.CompletedProcess[str]:
    models = {
        "HOPYARD_MODEL": "openai:scripted",
        "HOPYARD_EMBEDDING": Words.name,
        "HOPYARD_PROFILE": "builtin",  # the script knows its prompts
    }
    return subprocess.run(
        [sys.executable, str(ASSISTANT), str(index)],
        input="".join(f"{line}\n" for line in lines),
        env=os.environ | server.environment() | models,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_it_answers_and_remembers(model_server: ModelServer, index: Path, home: Path) -> None:
    usual = model_server.answer

    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        if title == "StandAlone":
            return {"question": "How many moons does Venus have?"}
        if title != "Answer":
            return usual(title, messages)
        return {"answer": "none" if "does Venus" in str(messages[-1]) else "two moons"}

    model_server.answer = answer
    first = talk(model_server, index, "How many moons does Mars have?")
    assert first.returncode == 0, first.stderr
    assert first.stdout.startswith("two moons\n    “Mars has two moons")
    assert first.stderr == "[single]\n"

    second = talk(model_server, index, "And Venus?")
    assert second.stdout.startswith("human: How many moons does Mars have?\nai: two moons\nnone\n")


def test_it_is_short() -> None:
    lines = ASSISTANT.read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.strip()]) <= 60
