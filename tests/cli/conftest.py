"""The command line, run in this process with a scripted model and fast embeddings."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from building import build
from model_server import ModelServer, WordEmbedder

from hopyard.cli.app import run as main
from hopyard.indexes.corpus.records import Document

CORPUS = {
    "mars": "Mars has two moons, Phobos and Deimos.",
    "venus": "Venus is the second planet from the Sun and has no moon.",
    "earth": "Earth is the third planet from the Sun. Its moon is the Moon.",
}

QUESTION = "How many moons does Mars have?"


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one object on standard output."""
        (line,) = self.out.splitlines()
        return json.loads(line)

    @property
    def error(self) -> str:
        """The one sentence on standard error that says what went wrong."""
        lines = [line for line in self.err.splitlines() if line.startswith("Error: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.err
        return lines[0].removeprefix("Error: ")


Run = Callable[..., Ended]


def runner(
    program: Callable[[], None], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run a program in this process with arguments."""

    def run(*arguments: str | Path) -> Ended:
        monkeypatch.setattr(sys, "argv", ["hopyard", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            program()
        out, err = capsys.readouterr()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else 0, out, err)

    return run


@pytest.fixture
def hopyard(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `hopyard ARGUMENTS…`."""
    return runner(main, monkeypatch, capsys)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory without a `hopyard.toml`."""
    working = tmp_path / "work"
    working.mkdir()
    monkeypatch.chdir(working)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("HOPYARD_GATE", "off")
    monkeypatch.setenv("HOPYARD_PROFILE", "builtin")  # the scripts know its prompts
    return working


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index; tests read it and do not change it."""
    directory = tmp_path_factory.mktemp("cli") / "index"
    documents = [Document(name, name.title(), text) for name, text in CORPUS.items()]
    build(documents, directory=directory, embedder=WordEmbedder())
    return directory


@pytest.fixture
def model(
    model_server: ModelServer, words: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> ModelServer:
    """The scripted model and the fast embeddings, as the environment's choice."""
    monkeypatch.setenv("HOPYARD_MODEL", "scripted")
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    return model_server


@pytest.fixture
def two_moons(model: ModelServer) -> ModelServer:
    """The model answers every question with "two moons"."""
    usual = model.answer
    model.answer = lambda title, messages: (
        {"answer": "two moons"} if title == "Answer" else usual(title, messages)
    )
    return model


def write_corpus(path: Path, *lines: dict[str, Any] | str | bytes) -> Path:
    """Write a corpus file; a line that is no object is written as it is."""
    written = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    path.write_bytes(
        b"".join((each if isinstance(each, bytes) else each.encode()) + b"\n" for each in written)
    )
    return path
