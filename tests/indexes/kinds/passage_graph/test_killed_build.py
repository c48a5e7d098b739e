"""A build that is killed while questions are written continues without asking twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import WordEmbedder
from model_server import ModelServer

from hopyard.indexes.kinds.passage_graph.writing import QUESTIONS_FILE

from .conftest import Library
from .script import PEOPLE, Writer, people

WRITTEN = 4
"""Passages whose questions are there when the build is killed."""

EMBEDDING = "ollama:words"


@pytest.fixture
def library(
    make_library: Callable[[str], Library],
    writer: Writer,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Library:
    """The index that the subprocess builds too: the same names of the models, in both."""
    for name, value in model_server.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOPYARD_PROFILE", "auto")
    library = make_library("index")
    library.embedder = WordEmbedder()
    library.embedder.name = EMBEDDING
    return library


def rows(directory: Path) -> int:
    file = directory / QUESTIONS_FILE
    if not file.exists():
        return 0
    with closing(sqlite3.connect(file)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM written").fetchone()[0])
        except sqlite3.OperationalError:  # not made yet
            return 0


def kill_while_writing(library: Library, writer: Writer, tmp_path: Path) -> None:
    """Build in a process of its own, and kill it while a fifth passage is asked about."""
    corpus = tmp_path / "corpus.jsonl"
    lines = [{"id": one.id, "title": one.title, "text": one.text} for one in people(10)]
    corpus.write_text("\n".join(map(json.dumps, lines)))
    goes_on = threading.Event()
    writer.before = lambda title: (
        goes_on.wait(30) and None if len(writer.titles) > WRITTEN else None
    )
    command = [sys.executable, "-m", "hopyard.cli.main", "index", "build", corpus]
    command += ["--out", library.directory, "--with", "dense,passage-graph", "--chunk-tokens", "0"]
    command += ["--model", "openai:scripted", "--embedding", EMBEDDING, "--set", "concurrency=1"]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        deadline = time.monotonic() + 60
        while rows(library.directory) < WRITTEN or len(writer.titles) == WRITTEN:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    goes_on.set()
    assert not (library.directory / "manifest.json").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_no_finished_call_is_repeated(
    library: Library,
    writer: Writer,
    make_library: Callable[[str], Library],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    kill_while_writing(library, writer, tmp_path)
    finished, asked = writer.titles[:WRITTEN], len(writer.titles)
    assert asked == WRITTEN + 1
    copy = make_library("copy")
    copy.embedder = library.embedder
    shutil.copytree(library.directory, copy.directory)
    (copy.directory / QUESTIONS_FILE).unlink()
    for leftover in copy.directory.glob(f"{QUESTIONS_FILE}-*"):
        leftover.unlink()

    # The index has what was written, whatever became of the ledger …
    ledger = os.environ["HOPYARD_HOME"]
    monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / "no ledger"))
    library.build(people(10), model="openai:scripted")
    assert {name: writer.counts[name] for name in finished} == dict.fromkeys(finished, 1)
    assert len(writer.titles) == asked + 10 - WRITTEN
    assert set(writer.titles) == set(PEOPLE)

    # … and so has the ledger, whatever became of the index.
    monkeypatch.setenv("HOPYARD_HOME", ledger)
    asked = len(writer.titles)
    copy.build(people(10), model="openai:scripted")
    again = writer.titles[asked:]
    assert not set(again) & set(finished)
    assert copy.files == library.files
    (calls,) = copy.stats.written.calls
    assert calls.calls == len(again)
