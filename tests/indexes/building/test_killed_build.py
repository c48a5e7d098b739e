"""A build that is killed goes on where it stopped and ends as if nothing had happened."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.manifest import find_manifest, read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.corpus.vectors import BATCH
from hopyard.indexes.index import Index
from hopyard.indexes.status import unfinished_build
from hopyard.state.errors import IndexBusyError, IndexMissingError

DOCUMENTS = 6 * BATCH

SLOW_BUILD = """
import asyncio, runpy, sys
from pathlib import Path
from hopyard.indexes.building.build import build

conftest, directory, log, count = sys.argv[1:]
fakes = runpy.run_path(conftest)
asyncio.run(
    build(
        fakes["numbered_documents"](int(count)),
        directory=Path(directory),
        embedder=fakes["FakeEmbedder"](log=Path(log), seconds=0.3),
    )
)
"""


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


def kill_during_third_batch(directory: Path, log: Path, meanwhile: Callable[[int], None]) -> None:
    """Start a slow build in a process of its own, and kill it."""
    conftest = str(Path(__file__).parents[1] / "conftest.py")
    command = [sys.executable, "-c", SLOW_BUILD, conftest, str(directory), str(log)]
    with subprocess.Popen([*command, str(DOCUMENTS)]) as process:
        deadline = time.monotonic() + 60
        while len(lines(log)) < 2 * BATCH:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.01)
        meanwhile(process.pid)
        os.kill(process.pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_killed_while_embedding(
    tmp_path: Path,
    make_embedder: Callable[..., Any],
    make_documents: Callable[[int], list[Document]],
) -> None:
    killed, undisturbed, log = tmp_path / "killed", tmp_path / "undisturbed", tmp_path / "log"
    documents = make_documents(DOCUMENTS)

    def second_build(pid: int) -> None:
        with pytest.raises(IndexBusyError, match=f"built by process {pid}:"):
            asyncio.run(build(documents, directory=killed, embedder=make_embedder()))

    def still_runs(pid: int) -> None:
        second_build(pid)
        begun = unfinished_build(killed)
        assert begun is not None
        assert (
            str(begun) == f"building now, process {pid}: {begun.embedded} of 384 passages embedded"
        )

    kill_during_third_batch(killed, log, still_runs)
    assert find_manifest(killed) is None
    begun = unfinished_build(killed)
    assert begun is not None
    assert (begun.passages, begun.process) == (DOCUMENTS, "")
    assert BATCH <= begun.embedded <= 2 * BATCH
    assert str(begun) == (
        f"interrupted: {begun.embedded} of 384 passages embedded; run the same command to continue"
    )
    with pytest.raises(IndexMissingError, match="not built yet"):
        read_manifest(killed)

    report = asyncio.run(build(documents, directory=killed, embedder=make_embedder(log=log)))
    assert unfinished_build(killed) is None
    asyncio.run(build(documents, directory=undisturbed, embedder=make_embedder()))

    assert report.embedded <= DOCUMENTS - 2 * BATCH + BATCH
    embedded = Counter(lines(log))
    assert len(embedded) == DOCUMENTS
    assert sum(times - 1 for times in embedded.values()) <= BATCH
    assert max(embedded.values()) <= 2

    embedder = make_embedder()
    query = embedder.embed_query("The castle of king number 17")
    with Index.open(killed, embedder) as built, Index.open(undisturbed, embedder) as other:
        assert list(built.corpus.passages()) == list(other.corpus.passages())
        vectors = [opened.corpus.vectors("fake")[1].tobytes() for opened in (built, other)]
        assert vectors[0] == vectors[1]
        for kind, text in (("dense", query), ("sparse", "castle 17")):
            assert built.reader(kind).search(text, 5) == other.reader(kind).search(text, 5)
        for file in built.kind_directory("dense").iterdir():
            twin = other.kind_directory("dense") / file.name
            assert file.read_bytes() == twin.read_bytes()
