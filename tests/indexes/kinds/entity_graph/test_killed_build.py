"""A build that is killed while it extracts or embeds continues without doing it twice."""

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
from building import build
from model_server import ModelServer, WordEmbedder

from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.kinds.entity_graph.find import extractions
from hopyard.indexes.kinds.entity_graph.find.extraction import ExtractionStore
from hopyard.nodes.resources import Resources
from hopyard.state.settings.fields import Context

from .find.library import PEOPLE, Library, answer, people, title_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")

STORED = 4
"""Passages, or names, that are stored when the build is killed."""

BUILD = """
import asyncio, json, sys, time
from pathlib import Path
from model_server import WordEmbedder
from hopyard.indexes.building import build
from hopyard.indexes.corpus import vectors
from hopyard.indexes.kinds.entity_graph.find import extractions
from hopyard.indexes.corpus.records import Document

directory, stage, stored, texts = sys.argv[1:]
vectors.BATCH = extractions._AT_ONCE = int(stored)

def tell(name, done, total):
    if (name, done) == (stage, int(stored)) and done < total:
        print("stored", flush=True)
        time.sleep(60)

asyncio.run(
    build.build(
        [Document(*each) for each in json.loads(texts)],
        directory=Path(directory),
        embedder=WordEmbedder(),
        chunk_tokens=0,
        kinds=["dense", "sparse", "entity-graph"],
        progress=tell,
    )
)
"""


def kill_build(directory: Path, stage: str, documents: list[Document]) -> None:
    """Build by rules in a process of its own, and kill it once something of a stage is stored."""
    texts = [(each.id, each.title, each.text) for each in documents]
    command = [sys.executable, "-c", BUILD, str(directory), stage, str(STORED), json.dumps(texts)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"stored\n"
        os.kill(process.pid, signal.SIGKILL)
    assert not (directory / "manifest.json").exists()


@pytest.mark.parametrize(
    ("stage", "left", "left_names"),
    [("names", 10 - STORED, 10), ("embed entity-graph/names", 0, 10 - STORED)],
)
def test_rules_read_and_embed_nothing_twice(
    tmp_path: Path, stage: str, left: int, left_names: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed, undisturbed = (Library(tmp_path / name, "rules") for name in ("killed", "undisturbed"))
    kill_build(killed.directory, stage, people(10))
    read: list[str] = []
    extract = extractions.extract

    def counted(passage: Passage, *given: Any) -> Any:
        read.append(passage.id)
        return extract(passage, *given)

    monkeypatch.setattr(extractions, "extract", counted)
    report = killed.build(people(10))
    assert len(read) == len(set(read)) == left
    assert report.embedded == 0, "the passages have their vectors"
    assert len(killed.embedder.embedded) == left_names
    undisturbed.build(people(10))
    assert killed.files == undisturbed.files


# The model


def stored(directory: Path) -> int:
    """Passages whose extraction is stored while a build runs."""

    file = directory / ExtractionStore.file_name
    if not file.exists():
        return 0
    with closing(sqlite3.connect(file)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM written").fetchone()[0])
        except sqlite3.OperationalError:  # not made yet
            return 0


class Writer:
    """An answer function for `ModelServer`, which may hold back all answers but the first few."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self.goes_on = threading.Event()

    def __call__(self, schema: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        self.titles.append(title_of(str(messages[-1]["content"])))
        if len(self.titles) > STORED:
            self.goes_on.wait(30)
        return answer(schema, messages)


def kill_while_writing(directory: Path, writer: Writer, tmp_path: Path) -> None:
    """Build in a process of its own, and kill it while a fifth passage is asked about."""
    corpus = tmp_path / "corpus.jsonl"
    lines = [{"id": each.id, "title": each.title, "text": each.text} for each in people(10)]
    corpus.write_text("\n".join(map(json.dumps, lines)))
    command = [sys.executable, "-m", "hopyard.cli.main", "index", "build", corpus]
    command += ["--out", directory, "--with", "dense,entity-graph", "--chunk-tokens", "0"]
    command += ["--model", "openai:scripted", "--embedding", "ollama:words"]
    command += ["--set", "concurrency=1", "--set", "entity_graph.builder=model"]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        deadline = time.monotonic() + 60
        while stored(directory) < STORED or len(writer.titles) == STORED:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    writer.goes_on.set()
    assert not (directory / "manifest.json").exists()


@pytest.mark.parametrize("kept", ["index", "ledger"])
def test_no_finished_call_is_repeated(
    tmp_path: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    """Either of the two is enough: the index with its store, or the ledger."""
    for name, value in model_server.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOPYARD_PROFILE", "auto")
    model_server.answer = writer = Writer()
    directory = tmp_path / "index"
    kill_while_writing(directory, writer, tmp_path)
    finished, asked = writer.titles[:STORED], len(writer.titles)
    assert asked == STORED + 1
    if kept == "index":
        monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / "no ledger"))
    else:
        for file in directory.glob(f"{ExtractionStore.file_name}*"):
            file.unlink()

    report = finish_build(directory)
    again = Counter(writer.titles[asked:])
    assert again == dict.fromkeys(set(PEOPLE) - set(finished), 1)
    assert report.usage["model_calls"] == len(again)
    assert report.usage["cached_calls"] == (STORED if kept == "ledger" else 0)
    undisturbed = Library(tmp_path / "undisturbed", "model")
    undisturbed.build(people(10))
    killed = Library(directory, "model")
    assert killed.files == undisturbed.files
    assert killed.stats.unread == 0


def finish_build(directory: Path) -> Any:
    """Build as the killed process did."""
    embedder = WordEmbedder()
    embedder.name = "ollama:words"
    settings = {"model": "openai:scripted", "entity_graph": {"builder": "model"}}
    with Resources() as resources:
        return build(
            people(10),
            directory=directory,
            embedder=embedder,
            chunk_tokens=0,
            kinds=["dense", "entity-graph"],
            settings=Context.model_validate(settings),
            caller=lambda: resources.caller("openai:scripted"),
        )
