"""An index in Postgres: builders that are killed or overtaken, and restarts of the server."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from building import wait
from langchain_core.documents import Document
from postgres_server import OWN, PostgresServer

import hopyard
from hopyard.indexes.building import build as building
from hopyard.indexes.building.run import open_run
from hopyard.indexes.corpus import shared
from hopyard.indexes.corpus.shared import build_folder, folder_of
from hopyard.indexes.status import status
from hopyard.state.errors import HopyardError, IndexBusyError
from hopyard.state.settings.fields import Context
from hopyard.state.storage.postgres import publishing

from .conftest import QUESTION, TAY, Machine, add, best, rows

SLOW = """
import sys, time
from pathlib import Path
import hopyard
from langchain_core.documents import Document
from hopyard.state.storage.postgres import publishing
from hopyard.testing import WordEmbedder
address, mark = sys.argv[1:]

def halt(*given, **named):
    Path(mark).touch()
    time.sleep(60)

hopyard.register_embedding("words", WordEmbedder())
publishing.Publisher._commit = halt
hopyard.add_documents(address, Document("The Tay Bridge fell in 1879.", id="tay"))
"""


def test_readers_see_the_old_generation_until_the_new_one_is_whole(
    built: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert, seen = publishing._insert, []
    before = rows(built, "SELECT max(number) FROM index_generations")

    def looking(connection: Any, **given: Any) -> None:
        insert(connection, **given)
        seen.append(rows(built, "SELECT max(number) FROM index_generations"))

    monkeypatch.setattr(publishing, "_insert", looking)
    add(built, "tay", TAY)
    assert seen and set(map(str, seen)) == {str(before)}
    machine("two")
    assert best(built, "the Tay Bridge fell") == "tay"


def slow_build(address: str, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A build on the machine `one` that halts as all but the commit is done."""
    mark = tmp_path / "mark"
    environment = os.environ | {"HOPYARD_HOME": str(tmp_path / "one")}
    command = [sys.executable, "-c", SLOW, address, str(mark)]
    with subprocess.Popen(command, env=environment) as process:
        while not mark.exists():
            assert process.poll() is None
            time.sleep(0.02)
        yield process
        os.kill(process.pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_killed_builder_leaves_the_old_generation(
    built: str, machine: Machine, tmp_path: Path
) -> None:
    tay = Document(TAY, id="tay")
    for process in slow_build(built, tmp_path):
        machine("two")
        host = os.uname().nodename
        with pytest.raises(IndexBusyError, match=f"built by process {process.pid} on {host}:"):
            hopyard.add_documents(built, tay)
        assert best(built, QUESTION) == "iron-bridge"
    assert rows(built, "SELECT count(*) FROM index_generations") == [(1,)]
    machine("one")
    assert best(built, "the Tay Bridge fell") != "tay", "nothing was published"
    report = hopyard.add_documents(built, tay)
    assert report.embedded == 0, "its work is kept"
    machine("two")
    assert best(built, "the Tay Bridge fell") == "tay"
    used = "SELECT DISTINCT unnest(chunks) FROM index_files"
    assert rows(built, f"SELECT count(*) FROM index_chunks WHERE digest NOT IN ({used})") == [(0,)]


def test_a_build_that_was_overtaken_says_so(built: str, machine: Machine) -> None:
    folder = build_folder(built)
    machine("two")
    add(built, "tay", TAY)
    machine("one")
    shared._mirrors.update({folder: shared._mirror(built)})
    with pytest.raises(IndexBusyError, match="has published a newer generation"):
        wait(building.remove(["danube"], directory=folder))
    wait(building.remove(["danube"], directory=build_folder(built)))
    assert best(built, "the Tay Bridge fell") == "tay"


@pytest.mark.skipif(bool(OWN), reason="another's server is not stopped")
def test_a_server_that_restarts(
    built: str, machine: Machine, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert, stops = publishing._insert, []

    def restarting(connection: Any, **given: Any) -> None:
        if not stops:
            stops.append(postgres.stop())
            postgres.start()
        insert(connection, **given)

    monkeypatch.setattr(publishing, "_insert", restarting)
    add(built, "tay", TAY)
    assert stops
    machine("two")
    with hopyard.Hopyard(built, embedding="words", k=1) as hop:
        assert hop.search("the Tay Bridge fell", search="dense")[0].id == "tay"
        postgres.stop()
        try:
            assert hop.search("Iron Bridge opened", search="dense")[0].id == "iron-bridge"
            machine("three")
            with pytest.raises(HopyardError, match=r"^The index 'docs' at .* cannot be used"):
                folder_of(built)
        finally:
            postgres.start()


@pytest.mark.skipif(bool(OWN), reason="another's server is not stopped")
async def test_a_restart_while_a_build_is_under_way(
    built: str, machine: Machine, postgres: PostgresServer
) -> None:
    folder = await asyncio.to_thread(build_folder, built)

    async def build() -> None:
        async with open_run(folder, lambda *_: None, update=True) as run:
            await asyncio.to_thread(run.remove, ["danube"], [])
            postgres.stop()
            postgres.start()
            recipe = building.Recipe.of_manifest(run.held, Context(), None)
            await run.finish(recipe, None)

    await build()
    machine("two")
    assert "danube" not in str(status(await asyncio.to_thread(folder_of, built)).manifest.counts)
    assert rows(built, "SELECT count(*) FROM index_generations") == [(2,)]
