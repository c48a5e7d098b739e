"""Damaged files, two builds at once, and a crowd of questions at once."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from commands import Zygote
from model_server import ModelServer, WordEmbedder

from hopyard.agent.session import open_session
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.passage_graph.graph import GraphIndex
from hopyard.indexes.kinds.passage_graph.writing import QuestionStore
from hopyard.indexes.status import check_index
from hopyard.state.errors import IndexMissingError
from hopyard.state.settings.fields import Context

from ..graphs.conftest import changed
from ..indexes.kinds.passage_graph.conftest import Library
from ..indexes.kinds.passage_graph.script import people
from .conftest import EMBEDDING, Everything
from .extent import LONG, report, seeds

pytestmark = pytest.mark.timeout(0 if LONG else 180)
linux = pytest.mark.skipif(sys.platform != "linux", reason="fork")

QUESTION = "Which plant does Alba grow?"
MODELS = ("--model", "openai:scripted", "--embedding", EMBEDDING)
REMAINS = {"build.lock", "build.pid"}


@pytest.fixture
def everything(model_server: ModelServer) -> Everything:
    model_server.answer = everything = Everything()
    return everything


@pytest.fixture
def library(tmp_path: Path, everything: Everything, words: WordEmbedder) -> Library:
    """An index of dense vectors and a passage graph, in its second generation."""
    library = Library(tmp_path / "index", words)
    library.build(people(5))
    library.build(people(6))
    return library


def _found(library: Library) -> Any:
    """What is found in an index, all of whose files are read for it."""
    with Index.open(library.directory, library.embedder) as index:
        graph = GraphIndex.load(index.kind_directory("passage-graph"))
        with QuestionStore(library.directory):
            pass
        found = index.reader("dense").search(library.embedder.embed_query(QUESTION), 3)
        return list(index.corpus.passages()), found, sorted(map(str, graph))


def _flip(file: Path, chance: random.Random) -> None:
    data = bytearray(file.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    file.write_bytes(data)


def _truncate(file: Path, chance: random.Random) -> None:
    file.write_bytes(file.read_bytes()[: chance.randrange(file.stat().st_size)])


def _delete(file: Path, chance: random.Random) -> None:
    file.unlink()


@pytest.fixture
def files(library: Library) -> list[Path]:
    """The files of the last generation, relative to the index directory."""
    found = (
        file.relative_to(library.directory)
        for file in library.directory.rglob("*")
        if file.is_file()
    )
    return sorted(
        file for file in found if file.name not in REMAINS and "gen-0000001" not in str(file)
    )


def _damaged(
    damage: Callable[[Path, random.Random], None],
    library: Library,
    files: Sequence[Path],
    look: Callable[[Library], Any],
) -> set[str]:
    """Damage one file at a time. The names of those for which `look` fails.

    Each error must name the file and its cure. If there is none, what is found is unchanged.
    """
    sound, intact = library.directory.with_name("sound"), _found(library)
    library.directory.rename(sound)
    named = set()
    for seed in seeds(1, 200, share=0.03):
        for number, file in enumerate(files):
            shutil.rmtree(library.directory, ignore_errors=True)
            shutil.copytree(sound, library.directory)
            damage(library.directory / file, random.Random(1000 * seed + number))
            try:
                look(library)
                assert _found(library) == intact, file
            except IndexMissingError as error:
                told = str(error)
                assert "run `hopyard index build" in told or "run the same" in told, told
                no_index = file.name == "manifest.json" and "is not built yet" in told
                assert str(library.directory / file) in told or no_index, told
                named.add(file.name)
    return named


@pytest.mark.parametrize("damage", [_truncate, _delete])
def test_a_missing_or_cut_file_is_named_at_opening(
    damage: Callable[[Path, random.Random], None], library: Library, files: list[Path]
) -> None:
    named = _damaged(damage, library, files, _found)
    assert named >= {"manifest.json", "corpus.sqlite", "vectors.npy", "edges.npy", "ids.npy"}


def test_a_flipped_byte_is_named_by_the_full_check(library: Library, files: list[Path]) -> None:
    """It is what `hopyard doctor` runs."""
    named = _damaged(_flip, library, files, lambda library: check_index(library.directory))
    assert named >= {"manifest.json", "vectors.npy", "edges.npy", "ids.npy"}


@pytest.mark.parametrize("cell", ["passages.text", "documents.metadata"])
def test_a_changed_row_of_the_corpus_is_found_by_the_full_check(
    cell: str, library: Library
) -> None:
    table, column = cell.split(".")
    with closing(sqlite3.connect(library.directory / "corpus.sqlite")) as corpus:
        corpus.execute(f"UPDATE {table} SET {column} = {column} || ' ' WHERE rowid = 1")
        corpus.commit()
    with pytest.raises(IndexMissingError, match=r"corpus\.sqlite.*checksum is wrong.*delete"):
        check_index(library.directory)
    with pytest.raises(IndexMissingError, match="checksum is wrong"):
        library.build(people(7))


@pytest.mark.parametrize("file", ["corpus.sqlite", "manifest.json", "edges.npy"])
def test_what_the_error_says_repairs_the_index(file: str, library: Library) -> None:
    intact = _found(library)
    damaged = next(library.directory.rglob(file)) if file != "edges.npy" else library.folder / file
    _truncate(damaged, random.Random(1))
    with pytest.raises(IndexMissingError) as raised:
        _found(library)
    if "delete" in str(raised.value):
        damaged.unlink()
    library.build(people(6))
    assert _found(library) == intact


def test_the_next_build_repairs_a_flipped_byte(library: Library) -> None:
    intact = _found(library)
    _flip(library.folder / "edges.npy", random.Random(1))
    library.build(people(6))
    assert _found(library) == intact


_TRY_ALL_READERS = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)  # SQLite's readers' bytes
"""


@linux
def test_a_reader_keeps_its_lock_while_others_come_and_go(library: Library) -> None:
    """Else another process's writer deletes the log under it, and the file is lost."""

    def may_be_taken(file: Path) -> bool:
        command = [sys.executable, "-c", _TRY_ALL_READERS, str(file)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    corpus = library.directory / "corpus.sqlite"
    assert may_be_taken(corpus)
    with Index.open(library.directory, library.embedder):
        assert not may_be_taken(corpus)
        Index.open(library.directory, library.embedder).close()
        assert not may_be_taken(corpus)
        library.build(people(7))
        assert not may_be_taken(corpus)
    with QuestionStore(library.directory):
        pass
    assert may_be_taken(corpus)


@linux
def test_the_second_build_of_a_directory_is_refused_with_the_owners_id(
    zygote: Zygote, everything: Everything, model_server: ModelServer, tmp_path: Path
) -> None:
    goes_on = threading.Event()
    everything.writer.before = lambda title: goes_on.wait(60) and None
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps({"id": "alba", "title": "Alba", "text": "Alba knows Bert."}))
    command = ("index", "build", corpus, "--out", tmp_path / "index", *MODELS, "--json")
    command += ("--with", "dense,passage-graph")
    first = zygote.start(*command, environment=model_server.environment())
    model_server.wait_for_call()
    second = zygote.run(*command, environment=model_server.environment())
    goes_on.set()
    assert second.code == 1
    assert f"is being built by process {first.pid}" in second.err
    assert first.end().code == 0


async def test_a_crowd_of_questions_at_once(
    index: Path, everything: Everything, home: Path, context: Context
) -> None:
    """Twelve sessions begin on files not yet made."""
    settings = changed(context, strategy="single")

    async def ask(number: int) -> str:
        async with open_session() as session:
            async for _ in session.ask(f"{number}?", settings, f"t{number}"):
                pass
            return str((await session.result(f"t{number}"))["answer"])

    answers = await asyncio.gather(*(ask(number) for number in range(12)))
    assert answers == [f"read: {number}?" for number in range(12)]


@linux
def test_a_crowd_of_processes_at_once(
    zygote: Zygote, everything: Everything, model_server: ModelServer, index: Path, home: Path
) -> None:
    many = 32 if LONG else 3
    commands = [
        zygote.start(
            "ask", f"{number}?", "-i", index, "-s", "single", *MODELS, "--json",
            environment=model_server.environment(),
        )
        for number in range(many)
    ]  # fmt: skip
    for number, command in enumerate(commands):
        ended = command.end()
        assert ended.code == 0, ended
        assert "locked" not in ended.err
        assert ended.json["answer"] == f"read: {number}?"
        report(processes=number + 1)
    with closing(sqlite3.connect(home / "ledger.sqlite")) as ledger:
        assert ledger.execute("SELECT COUNT(*) FROM calls").fetchone() == (many,)
