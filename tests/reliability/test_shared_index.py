"""An index in Postgres: several machines, kills, restarts, rights and passwords."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from building import wait
from commands import Zygote
from langchain_core.documents import Document
from model_server import ModelServer
from postgres_server import OWN, PostgresServer
from starlette.testclient import TestClient

import hopyard
from hopyard.agent.session import open_session
from hopyard.indexes.building import build as building
from hopyard.indexes.building.run import open_run
from hopyard.indexes.corpus import mirror, shared
from hopyard.indexes.corpus.shared import build_folder, folder_of
from hopyard.indexes.status import status
from hopyard.indexes.unread import unread_note
from hopyard.nodes.resources import Resources
from hopyard.state.errors import HopyardError, IndexBusyError, IndexMissingError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.given import read_given
from hopyard.state.settings.index_address import index_address, private_name
from hopyard.state.storage.postgres import publishing
from hopyard.testing import DOCUMENTS, WordEmbedder
from hopyard.web.app import application

from .conftest import EMBEDDING

CLOVES = "Zanzibar is where the cloves of Mr Quill were weighed."
QUESTION = "When was the Iron Bridge opened?"
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

Machine = Callable[[str], None]


@pytest.fixture
def address(postgres: PostgresServer) -> str:
    """The address of an index that does not exist yet."""
    hopyard.register_embedding("words", WordEmbedder())
    return f"{postgres.place()}&index=docs"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Makes this process one of another machine, with another data folder."""
    monkeypatch.setattr(mirror, "_FRESH", 0.0)

    def become(name: str) -> None:
        monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / name))
        shared._mirrors.clear()

    become("one")
    return become


@pytest.fixture
def built(address: str, machine: Machine) -> str:
    """The address of an index that the machine `one` has built."""
    del machine
    hopyard.build_index(address, DOCUMENTS, chunk_tokens=0, embedding="words")
    return address


def add(address: str, name: str, text: str) -> None:
    hopyard.add_documents(address, Document(text, id=name))


def best(address: str, query: str) -> str:
    with hopyard.Hopyard(address, embedding="words", k=1) as hop:
        return hop.search(query, search="dense")[0].id


def rows(address: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(index_address(address).database) as connection:
        return connection.execute(query).fetchall()


def test_machines_share_an_index(
    built: str, machine: Machine, tmp_path: Path, postgres: PostgresServer
) -> None:
    machine("two")
    with hopyard.Hopyard(built, embedding="words", k=1) as hop:
        assert hop.search("Iron Bridge opened", search="hybrid")[0].id == "iron-bridge"
        machine("one")
        add(built, "tay", "The Tay Bridge fell in 1879.")
        machine("two")
        assert hop.search("the Tay Bridge fell", search="dense")[0].id == "tay"
    wait(building.remove(["iron-bridge"], directory=build_folder(built)))
    machine("one")
    assert best(built, "the Iron Bridge opened in 1781") != "iron-bridge"
    assert status(folder_of(built)).directory == index_address(built).shown
    # An index that is deleted and built again is not taken for the former one.
    kept = folder_of(built)
    for table in ("index_generations", "index_files", "index_chunks"):
        postgres.execute(
            f"DELETE FROM {index_address(built).database.rpartition('%3D')[2]}.{table}"
        )
    with pytest.raises(IndexMissingError, match=r"^There is no index"):
        folder_of(built)
    time.sleep(1)
    hopyard.build_index(built, DOCUMENTS, chunk_tokens=0, embedding="words")
    assert folder_of(built).name > kept.name
    assert best(built, "the Iron Bridge opened in 1781") == "iron-bridge"
    for number in range(3):
        add(built, f"n{number}", f"Number {number}.")
        folder_of(built)
    copies = next((tmp_path / "one" / "indexes").glob("docs-*")) / "copies"
    assert len(list(copies.iterdir())) == 2
    assert rows(built, "SELECT count(*) FROM index_generations") == [(2,)]
    used = "SELECT DISTINCT unnest(chunks) FROM index_files"
    assert rows(built, f"SELECT count(*) FROM index_chunks WHERE digest NOT IN ({used})") == [(0,)]


def test_every_machine_knows_what_was_not_read(
    address: str, machine: Machine, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "iron.md").write_text("The Iron Bridge was opened in 1781.")
    (docs / "plan.png").write_bytes(b"picture")
    machine("one")
    hopyard.build_index(address, [docs], embedding="words")
    assert rows(address, "SELECT count(*) FROM index_generations") == [(1,)]  # published once
    machine("two")
    assert "plan.png" in unread_note(folder_of(address))
    (docs / "plan.png").unlink()
    hopyard.build_index(address, [docs], embedding="words")
    machine("one")
    assert unread_note(folder_of(address)) == ""


def test_only_chunks_that_a_machine_lacks_are_fetched(
    address: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = address
    long = [Document(f"Letter {number}. " * 200, id=f"l{number}") for number in range(400)]
    hopyard.build_index(built, long, chunk_tokens=0, embedding="words")
    fetched: list[bytes] = []
    run = publishing.Database.run

    def counting(self: Any, work: Any) -> Any:
        found = run(self, work)
        if isinstance(found, list):
            fetched.extend(row[0] for row in found if len(row) == 3)
        return found

    monkeypatch.setattr(publishing.Database, "run", counting)
    machine("two")
    folder = folder_of(built)
    [(every,)] = rows(built, "SELECT count(*) FROM index_chunks")
    assert len(set(fetched)) == every
    fetched.clear()
    assert build_folder(built) != folder
    assert fetched == [], "the copy has them all"
    add(built, "tay", "The Tay Bridge fell in 1879.")
    machine("one")
    folder_of(built)
    one = "(SELECT {}(number) FROM index_files)"
    chunks = f"SELECT unnest(chunks) FROM index_files WHERE number = {one}"
    query = f"{chunks.format('max')} EXCEPT {chunks.format('min')}"
    lacking = {digest for (digest,) in rows(built, query)}
    assert set(fetched) == lacking and len(lacking) < every - 3
    # A damaged copy is found when a process opens it, and made again.
    fetched.clear()
    [file] = folder_of(built).glob("gen-*/dense/vectors.npy")
    file.write_bytes(b"cut")
    machine("one")
    assert best(built, "the Tay Bridge fell") == "tay"
    assert (folder_of(built) / file.relative_to(folder_of(built))).stat().st_size > 3


def test_a_page_shows_a_newer_generation(built: str, machine: Machine) -> None:
    machine("two")
    given = {"index": built, "model": "scripted", "embedding": "words", "gate": "off"}
    with (
        Resources() as resources,
        TestClient(
            application(read_given(given.items()), resources), base_url="http://localhost"
        ) as client,
    ):
        assert client.get("/api/status").json()["index"] == "docs"
        before = client.get("/api/documents").json()
        machine("one")
        add(built, "tay", "The Tay Bridge fell in 1879.")
        machine("two")
        after = client.get("/api/documents").json()
    assert "tay" in str(after) and "tay" not in str(before)
    assert after["index"]


def test_readers_see_the_old_generation_until_the_new_one_is_whole(
    built: str, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    insert, seen = publishing._insert, []
    before = rows(built, "SELECT max(number) FROM index_generations")

    def looking(connection: Any, **given: Any) -> None:
        insert(connection, **given)
        seen.append(rows(built, "SELECT max(number) FROM index_generations"))

    monkeypatch.setattr(publishing, "_insert", looking)
    add(built, "tay", "The Tay Bridge fell in 1879.")
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
    tay = Document("The Tay Bridge fell in 1879.", id="tay")
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
    add(built, "tay", "The Tay Bridge fell in 1879.")
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
    add(built, "tay", "The Tay Bridge fell in 1879.")
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


def test_removed_text_leaves_the_database(built: str, machine: Machine) -> None:
    def texts() -> bytes:
        chunks = rows(built, "SELECT compressed, data FROM index_chunks")
        return b"".join(zlib.decompress(data) if packed else data for packed, data in chunks)

    add(built, "quill", CLOVES)
    assert b"Zanzibar" in texts()
    folder = build_folder(built)
    wait(building.remove(["quill"], directory=folder))
    assert b"Zanzibar" in texts(), "readers of the last generation may need it"
    wait(building.vacuum(directory=folder))
    assert b"Zanzibar" not in texts()
    machine("two")
    assert best(built, QUESTION) == "iron-bridge"


@pytest.mark.skipif(bool(OWN), reason="the rights of another's server stay as they are")
def test_rights_and_passwords(
    built: str, machine: Machine, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = index_address(built).database.rpartition("%3D")[2]
    rules = postgres._data / "pg_hba.conf"
    before = rules.read_text()
    rules.write_text(f"local all clerk scram-sha-256\n{before}")
    postgres.execute("CREATE ROLE clerk LOGIN PASSWORD 'sesame'")
    postgres.execute(f"GRANT USAGE ON SCHEMA {schema} TO clerk")
    postgres.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO clerk")
    postgres.execute("SELECT pg_reload_conf()")
    right = built.replace("//postgres@", "//clerk:sesame@")
    try:
        machine("two")
        wrong = right.replace("sesame", "tahini")
        with pytest.raises(HopyardError, match="password authentication failed") as raised:
            folder_of(wrong)
        assert "tahini" not in str(raised.value)
        assert best(right, QUESTION) == "iron-bridge"
        context = read_given([("index", right)]).context
        assert "sesame" not in context.model_dump_json() and "clerk" in context.index
        with hopyard.Hopyard(right, embedding="words", model="scripted") as hop:
            assert "sesame" not in repr(hop)
        with pytest.raises(HopyardError, match="permission denied for table index_chunks"):
            add(right, "tay", "The Tay Bridge fell in 1879.")
        other = right.replace("index=docs", "index=other")
        with pytest.raises(IndexMissingError, match=r"^There is no index 'postgresql://clerk@"):
            folder_of(other)
        postgres.execute("CREATE SCHEMA bare; GRANT USAGE ON SCHEMA bare TO clerk")
        bare = right.replace(schema, "bare")
        with pytest.raises(HopyardError, match=r"permission denied for schema bare.*its rights"):
            hopyard.build_index(bare, DOCUMENTS, chunk_tokens=0, embedding="words")
        missing = built.replace("/postgres?", "/nowhere?")
        with pytest.raises(HopyardError, match='database "nowhere" does not exist'):
            folder_of(missing)
        # A thread names the index without the password; the environment has it.
        hopyard.state.settings.index_address._known.clear()  # type: ignore[attr-defined]
        monkeypatch.setenv("HOPYARD_INDEX", right)
        machine("three")
        assert best(context.index, QUESTION) == "iron-bridge"
        assert private_name(context.index) == right
    finally:
        rules.write_text(before)
        postgres.execute("SELECT pg_reload_conf()")


async def test_a_thread_keeps_the_address_without_the_password(
    built: str, machine: Machine, model_server: Any
) -> None:
    model_server.answer = lambda *_: {"answer": "In 1781 [1].", "passages": [1]}
    right = built.replace("//postgres@", "//postgres:sesame@")
    given = {"model": "scripted", "embedding": "words", "strategy": "single", "gate": "off"}
    context = read_given([("index", right), *given.items()]).context
    async with open_session() as session:
        async for _ in session.ask(QUESTION, context, thread_id="t"):
            pass
        values = await session.result("t")
    assert values["settings"]["index"] == index_address(built).shown
    assert [source["passage_id"] for source in values["citations"]] == ["iron-bridge"]


@pytest.mark.parametrize(
    "damage", ["index_chunks SET data = 'x', compressed = false", "index_files SET size = size + 1"]
)
def test_a_damaged_database_is_named(
    built: str, machine: Machine, postgres: PostgresServer, damage: str
) -> None:
    postgres.execute(f"UPDATE {index_address(built).database.rpartition('%3D')[2]}.{damage}")
    machine("two")
    with pytest.raises(IndexMissingError, match="is damaged in the database"):
        folder_of(built)


def test_a_path_out_of_the_copy_is_not_written(
    built: str, machine: Machine, postgres: PostgresServer, tmp_path: Path
) -> None:
    schema = index_address(built).database.rpartition("%3D")[2]
    path = "corpus.sqlite"
    for name, other in (("two", "../../../../outside"), ("three", str(tmp_path / "outside"))):
        postgres.execute(f"UPDATE {schema}.index_files SET path = '{other}' WHERE path = '{path}'")
        path = other
        machine(name)
        with pytest.raises(IndexMissingError, match="is damaged in the database"):
            folder_of(built)
    assert not list(tmp_path.rglob("outside"))


def test_the_command_line(
    address: str, zygote: Zygote, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.answer = lambda *_: {"answer": "In 1781 [1]."}
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "iron.md").write_text("The Iron Bridge was opened in 1781.")
    (docs / "stone.md").write_text("The Stone Bridge was completed in 1146.")

    def run(machine: str, *arguments: str | Path, **more: str) -> Any:
        environment = model_server.environment() | {"HOPYARD_HOME": str(tmp_path / machine)}
        ended = zygote.run(*arguments, "--json", environment=environment | more)
        assert ended.code == 0, ended
        return ended.json

    run("one", "index", "build", docs, "--out", address, "--embedding", EMBEDDING)
    ask = ("ask", QUESTION, "-s", "single", "--model", "openai:scripted", "-t", "t")
    assert run("two", *ask, HOPYARD_INDEX=address)["answer"].startswith("In 1781")
    (docs / "iron.md").unlink()
    (docs / "tay.md").write_text("The Tay Bridge fell in 1879.")
    assert run("one", "index", "sync", address, docs)["documents"]["removed"] == 1
    listed = run("two", "index", "list", address)
    assert sorted(entry["title"] for entry in listed["documents"]) == ["stone", "tay"]
    assert run("two", "search", "Tay Bridge", "-i", address)
    run("two", "index", "remove", address, "stone.md")
    assert run("one", "index", "status", address)["manifest"]["counts"]["documents"] == 1
    run("one", "index", "vacuum", address)
    other = address.replace("index=docs", "index=other")
    copied = run("one", "index", "copy", address, other, "--vectors", "pgvector")
    assert (copied["passages"], copied["embedded"]) == (1, 0)
    assert run("two", "index", "status", other)["dense"]["vectors"] == "pgvector"
    assert run("two", "search", "Tay Bridge", "-i", other)
    refused = zygote.run("index", "copy", address, docs, environment={"HOPYARD_HOME": str(docs)})
    assert refused.code and "is not empty and not an index" in refused.err
