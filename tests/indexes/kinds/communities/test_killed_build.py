"""A build that is killed while it writes reports continues, and asks for none of them again."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

from hopyard.indexes.kinds.communities.records import ReportStore
from hopyard.prompts.indexes.communities import REPORT

from .families import Families, answer, families

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")

SETTINGS = {"reports": "all", "max_size": 3}
LEAVES = 12
"""Communities of the last level, which are written first; there are 30 in all."""


class Writer:
    """An answer function for `ModelServer`. It holds back all answers but the first few."""

    def __init__(self, answers: int) -> None:
        self.turns: list[str] = []
        self.answers = answers
        self.goes_on = threading.Event()

    def __call__(self, schema: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        self.turns.append(str(messages[-1]["content"]))
        if len(self.turns) > self.answers:
            self.goes_on.wait(30)
        return answer(schema, messages)


def start(directory: Path, corpus: Path) -> subprocess.Popen[bytes]:
    """The command that builds an index of families."""
    lines = [{"id": one.id, "title": one.title, "text": one.text} for one in families()]
    corpus.write_text("\n".join(map(json.dumps, lines)))
    command = [sys.executable, "-m", "hopyard.cli.main", "index", "build", corpus]
    command += ["--out", directory, "--with", "dense,sparse,entity-graph,communities"]
    command += ["--model", "openai:scripted", "--embedding", "ollama:words"]
    command += ["--chunk-tokens", "0", "--set", "concurrency=1"]
    for name, value in SETTINGS.items():
        command += ["--set", f"communities.{name}={value}"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(command, cwd=corpus.parent, env=environment)


def stored(directory: Path) -> dict[str, tuple[str, str]]:
    """Outcome and content of the reports in the store, by the hash of what their prompts showed."""
    file = directory / ReportStore.file_name
    if not file.exists():
        return {}
    with closing(sqlite3.connect(file)) as connection:
        try:
            rows = connection.execute("SELECT content_hash, outcome, content FROM written")
            return {name: tuple(others) for name, *others in rows}
        except sqlite3.OperationalError:  # not made yet
            return {}


def kill_while_writing(directory: Path, writer: Writer, corpus: Path) -> None:
    """Build, and kill the process while it waits for the first report that is held back."""
    with start(directory, corpus) as process:
        deadline = time.monotonic() + 60
        while len(stored(directory)) < writer.answers or len(writer.turns) == writer.answers:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    writer.goes_on.set()
    assert not (directory / "manifest.json").exists()


def files_of(library: Families) -> dict[str, bytes]:
    """Every file of the graph and the communities but their stats, which name the runs."""
    with library.open() as index:
        folders = [index.kind_directory(kind) for kind in ("entity-graph", "communities")]
        return {
            f"{folder.name}/{file.name}": file.read_bytes()
            for folder in folders
            for file in folder.iterdir()
            if file.name != "stats.json"
        }


@pytest.mark.parametrize(
    ("kept", "answers"), [("index", 4), ("index", LEAVES + 8), ("ledger", LEAVES + 8)]
)
def test_no_finished_report_is_asked_for_again(
    tmp_path: Path,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    kept: str,
    answers: int,
) -> None:
    """Either of the two is enough: the index with its store, or the ledger."""
    for name, value in model_server.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOPYARD_PROFILE", "auto")
    model_server.answer = writer = Writer(answers)
    killed = Families(tmp_path / "index", **SETTINGS)
    undisturbed = Families(tmp_path / "undisturbed", **SETTINGS)
    corpus = tmp_path / "corpus.jsonl"

    kill_while_writing(killed.directory, writer, corpus)
    assert len(writer.turns) == answers + 1
    if kept == "index":
        monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / "no ledger"))
    else:
        for file in killed.directory.glob(f"{ReportStore.file_name}*"):
            file.unlink()
    assert start(killed.directory, corpus).wait(120) == 0
    finished, again = writer.turns[:answers], Counter(writer.turns[answers + 1 :])
    writer.turns.clear()
    monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / "another ledger"))
    assert start(undisturbed.directory, corpus).wait(120) == 0

    wanted = Counter(writer.turns)
    assert len(wanted) == len(writer.turns) == 30
    assert again == wanted - Counter(finished), "also the call that the kill cut off"
    assert files_of(killed) == files_of(undisturbed)
    assert stored(killed.directory) == stored(undisturbed.directory)
    assert killed.counts.written == undisturbed.counts.written == 30
    assert (killed.counts.missing, killed.counts.failed) == (0, 0)
    [calls] = killed.counts.calls
    assert (calls.prompt, calls.calls) == (REPORT.name, 30 - answers)
