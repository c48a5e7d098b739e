"""A full disk: the last good state stays, and there is a way on when there is room again.

Two kinds of full: files may not grow beyond a limit (RLIMIT_FSIZE, everywhere on Linux), and a
small file system of its own with no room left (ENOSPC, where the tests may mount one).
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path

import pytest
from commands import Ended, Zygote
from model_server import ModelServer

from hopyard.indexes.index import Index

from ..indexes.kinds.passage_graph.script import people
from .conftest import EMBEDDING, Everything
from .extent import LONG

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_FSIZE and tmpfs"),
    pytest.mark.timeout(0 if LONG else 180),
]

MODELS = ("--model", "openai:scripted", "--embedding", EMBEDDING)
DISK = 4_000_000
"""Bytes of the small disk."""


class Disk:
    """A small file system.

    Args:
        folder: Where it is mounted.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def full_but_for(self, room: int) -> Iterator[None]:
        """Until the end of the block, so many bytes are left (in whole blocks of 4,096)."""
        filler = self.folder / "filler"
        try:
            with filler.open("wb") as file:
                left = shutil.disk_usage(self.folder).free - room
                file.write(bytes(max(left, 0)))
            yield
        finally:
            filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    options = f"size={DISK},mode=700"
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(autouse=True)
def everything(model_server: ModelServer) -> Everything:
    model_server.answer = everything = Everything()
    return everything


Build = Callable[..., Ended]


@pytest.fixture
def build(zygote: Zygote, model_server: ModelServer, tmp_path: Path, home: Path) -> Build:
    def built(directory: Path, count: int, file_limit: int = 0) -> Ended:
        corpus = tmp_path / f"{count}.jsonl"
        lines = [
            {"id": each.id, "title": each.title, "text": each.text * 40} for each in people(count)
        ]
        corpus.write_text("\n".join(map(json.dumps, lines)))
        return zygote.run(
            "index", "build", corpus, "--out", directory, "--chunk-tokens", "0", *MODELS,
            "--json", environment=model_server.environment(), file_limit=file_limit,
        )  # fmt: skip

    return built


def _left_as_it_was(ended: Ended, directory: Path, before: Index) -> None:
    assert ended.code == 0 or "Error: " in ended.err, ended
    assert "fault of Hopyard" not in ended.err
    if ended.code:
        with Index.open(directory) as after:
            assert list(after.corpus.passages()) == list(before.corpus.passages())


def _ten_documents(ended: Ended, directory: Path) -> None:
    assert ended.code == 0, ended
    with Index.open(directory) as after:
        assert after.manifest.counts["documents"] == 10


def test_a_file_limit_during_a_build_leaves_the_last_index(build: Build, tmp_path: Path) -> None:
    directory = tmp_path / "index"
    assert build(directory, 5).code == 0
    codes = []
    with Index.open(directory) as before:
        for limit in (4_000, 60_000):
            ended = build(directory, 10, limit)
            codes.append(ended.code)
            _left_as_it_was(ended, directory, before)
    assert any(codes)
    _ten_documents(build(directory, 10), directory)


def test_a_full_disk_during_a_build_leaves_the_last_index(build: Build, disk: Disk) -> None:
    directory = disk.folder / "index"
    assert build(directory, 5).code == 0
    codes = []
    with Index.open(directory) as before:
        for room in (0, 80_000, 240_000):
            with disk.full_but_for(room):
                ended = build(directory, 10)
                codes.append(ended.code)
                _left_as_it_was(ended, directory, before)
    assert any(codes)
    _ten_documents(build(directory, 10), directory)


def _was_hit(
    zygote: Zygote,
    server: ModelServer,
    index: Path,
    home: Path,
    full: AbstractContextManager[None],
    file_limit: int = 0,
) -> bool:
    """Ask where there may be no room, go on where there is; whether the first was hit."""
    environment = server.environment() | {"HOPYARD_HOME": str(home)}
    command = ("ask", "Where?", "-i", index, "-s", "tree", "-t", "t", *MODELS, "--json")
    with full:
        ended = zygote.run(*command, environment=environment, file_limit=file_limit)
    if ended.code:
        assert ended.code != 70 and "fault of Hopyard" not in ended.err, ended
        assert "Error: " in ended.err, ended
    for file in home.glob("*.sqlite"):
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("PRAGMA quick_check").fetchone() == ("ok",)
    resumed = zygote.run("resume", "t", "--json", environment=environment)
    if resumed.code == 2 and "There is no thread" in resumed.err:  # full before its first step
        resumed = zygote.run(*command, environment=environment)
    assert resumed.code == 0, resumed
    assert resumed.json["answer"] == "read: Where?"
    return ended.code != 0


def test_a_file_limit_during_a_question_leaves_a_thread_that_goes_on(
    zygote: Zygote, model_server: ModelServer, index: Path, tmp_path: Path
) -> None:
    """First the ledger or the thread store may not grow, then it may again."""
    hit = [
        _was_hit(zygote, model_server, index, tmp_path / f"home{limit}", nullcontext(), limit)
        for limit in (20_000, 80_000)
    ]
    assert any(hit)


def test_a_full_disk_during_a_question_leaves_a_thread_that_goes_on(
    zygote: Zygote, model_server: ModelServer, index: Path, disk: Disk
) -> None:
    hit = []
    for room in (0, 60_000, 200_000):
        home = disk.folder / f"home{room}"
        hit.append(_was_hit(zygote, model_server, index, home, disk.full_but_for(room)))
        shutil.rmtree(home)
    assert any(hit)
