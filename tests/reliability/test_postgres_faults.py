"""Faults of Postgres below an index: a full disk, killed migrations, dropped connections."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from building import wait
from langchain_core.documents import Document
from postgres_server import IS_ROOT, OWN, PostgresServer

import hopyard
from hopyard.indexes.building import build as building
from hopyard.indexes.building.deleting import delete_index, index_bytes
from hopyard.indexes.corpus import shared
from hopyard.indexes.corpus.shared import build_folder, folder_of, local_folder
from hopyard.state.errors import HopyardError, IndexBusyError, IndexMissingError
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage.addresses import LEDGER_VARIABLE, THREADS_VARIABLE
from hopyard.state.storage.postgres.files import IndexFiles
from hopyard.state.storage.postgres.publishing import Publisher
from hopyard.state.storage.postgres.vectors import VectorTable
from hopyard.state.storage.postgres.work import WorkQueue
from hopyard.state.storage.work_items import Item
from hopyard.testing import DOCUMENTS, WordEmbedder

from .test_postgres import ModelServer, Start, start
from .test_shared_index import Machine, add, best, machine, rows

__all__ = ("machine", "start")

TAY = "The Tay Bridge fell in 1879."
STORES = ("faiss", "pgvector")
NAMED = """
SELECT table_name FROM information_schema.columns
WHERE column_name = 'name' AND table_schema = current_schema()
"""
MIGRATE = """
import sys, time
from pathlib import Path
from hopyard.state.storage.postgres.connection import Database, Place, migrate
from hopyard.state.storage.postgres.index_tables import STEPS

class Halting(tuple):
    def __getitem__(self, part):
        for number, step in enumerate(super().__getitem__(part)):
            if number:
                Path(sys.argv[2]).touch()
                time.sleep(60)
            yield step

place = Place(sys.argv[1], "The index", "its address")
migrate(Database(place), place, "indexes", Halting(STEPS))
"""


@pytest.fixture(params=STORES)
def built(request: pytest.FixtureRequest, postgres: PostgresServer, machine: Machine) -> str:
    """The address of an index, with each place for its vectors."""
    del machine
    return build(f"{postgres.place()}&index=docs", request.param)


def build(address: str, store: str) -> str:
    hopyard.register_embedding("words", WordEmbedder())
    hopyard.build_index(address, DOCUMENTS, chunk_tokens=0, embedding="words", vectors=store)
    return address


@pytest.fixture
def disk(postgres: PostgresServer) -> Iterator[Path]:
    """A small file system for tables; use it as the tablespace `small`."""
    folder = postgres._folder / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=12m,mode=777", "tmpfs", str(folder)]
    if OWN or not IS_ROOT or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here, or the server is another's")
    try:
        (data := folder / "data").mkdir(mode=0o700)
        shutil.chown(data, "nobody")
        postgres.execute(f"CREATE TABLESPACE small LOCATION '{data}'")
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
        folder.rmdir()


@contextmanager
def full(disk: Path) -> Iterator[None]:
    """Until the end of the block, nothing is left."""
    filler = disk / "filler"
    filler.write_bytes(bytes(max(shutil.disk_usage(disk).free - 8192, 0)))
    yield
    filler.unlink()


def test_a_full_disk_of_the_server(postgres: PostgresServer, disk: Path, machine: Machine) -> None:
    address = f"{postgres.place()}%20-c%20default_tablespace%3Dsmall&index=docs"
    build(address, "pgvector")
    others = [Document(os.urandom(2000).hex(), id=f"d{number}") for number in range(200)]
    new = [Document(TAY, id="tay"), *others]
    with full(disk):
        with pytest.raises(HopyardError, match=r"No space left.*make room on the disk") as raised:
            hopyard.add_documents(address, new)
        assert "\n" not in str(raised.value)
        machine("two")
        assert best(address, "When was the Iron Bridge opened?") == "iron-bridge"
        machine("one")
    assert hopyard.add_documents(address, new).embedded == 0, "its work is kept"
    machine("two")
    assert best(address, TAY) == "tay"
    postgres.execute(f"DROP SCHEMA {rows(address, 'SELECT current_schema()')[0][0]} CASCADE")
    postgres.execute("DROP TABLESPACE small")


@pytest.fixture
def place(postgres: PostgresServer, disk: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A database for threads and ledger on the small file system."""
    address = postgres.place()
    small = f"{address}%20-c%20default_tablespace%3Dsmall"
    for variable in (THREADS_VARIABLE, LEDGER_VARIABLE):
        monkeypatch.setenv(variable, small)
    yield small
    postgres.execute(f"DROP SCHEMA {address.rpartition('%3D')[2]} CASCADE")
    postgres.execute("DROP TABLESPACE small")


def test_a_full_disk_under_threads_and_ledger(
    start: Start, disk: Path, model_server: ModelServer
) -> None:
    """No finished call is repeated once there is room."""
    answer, filler, moment = model_server.answer, disk / "filler", 4

    def filling(title: str, messages: list[dict[str, Any]]) -> Any:
        if len(model_server.calls) == moment:
            filler.write_bytes(bytes(shutil.disk_usage(disk).free))
        return answer(title, messages)

    model_server.answer = filling
    ended = start("one").end()
    assert ended.code == 1, ended
    told = ended.err.strip().splitlines()[-1]
    assert "No space left on device" in ended.err and "make room on the disk" in ended.err, told
    assert "Traceback" not in ended.err
    before = [call.turn for call in model_server.calls]
    again = start("two", "resume", "t", "--json").end()
    assert again.code == 1 and "No space left on device" in again.err
    filler.unlink()
    model_server.answer = answer
    asked = len(model_server.calls)
    ended = start("two", "resume", "t", "--json").end()
    assert ended.code == 0 and ended.json["answer"], ended
    after = [call.turn for call in model_server.calls][asked:]
    assert set(before[: moment - 1]).isdisjoint(after), "a finished call was repeated"
    assert len({*before, *after}) >= ended.json["usage"]["model_calls"] > 1


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
def test_a_migration_that_is_killed_leaves_nothing(
    postgres: PostgresServer, machine: Machine, tmp_path: Path
) -> None:
    address, mark = f"{postgres.place()}&index=docs", tmp_path / "mark"
    place = index_address(address).database
    tables = "SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    with subprocess.Popen([sys.executable, "-c", MIGRATE, place, str(mark)]) as process:
        while not mark.exists():
            assert process.poll() is None
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGKILL)
    assert rows(address, tables) == [(0,)], "the first statements are taken back"
    assert best(build(address, "faiss"), "the Iron Bridge opened") == "iron-bridge"
    assert rows(address, "SELECT * FROM hopyard_versions") == [("indexes", 3)]


def test_tables_of_a_former_version_are_migrated(
    postgres: PostgresServer, machine: Machine
) -> None:
    address = build(f"{postgres.place()}&index=docs", "faiss")
    with psycopg.connect(index_address(address).database) as connection:
        connection.execute("DROP TABLE index_vectors, index_readers")
        connection.execute("UPDATE hopyard_versions SET version = 1")
    assert best(address, "the Iron Bridge opened") == "iron-bridge", "a reader needs no tables"
    hopyard.build_index(address, DOCUMENTS, chunk_tokens=0, embedding="words", vectors="pgvector")
    assert best(address, "the Iron Bridge opened") == "iron-bridge"
    with psycopg.connect(index_address(address).database) as connection:
        connection.execute("UPDATE hopyard_versions SET version = 4")
    with pytest.raises(HopyardError, match="written by a newer Hopyard"):
        add(address, "tay", TAY)


class Dropping:
    """Ends the connection of this process before its nth statement; counts all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer) -> None:
        self.at, self.count = 0, 0
        self._postgres = postgres
        for owner, name in (
            (psycopg.Connection, "execute"),
            (psycopg.Cursor, "executemany"),
            (psycopg.Cursor, "copy"),
        ):
            monkeypatch.setattr(owner, name, self._counting(getattr(owner, name)))

    def _counting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counting(given: Any, *arguments: Any, **named: Any) -> Any:
            self.count += 1
            if self.count == self.at:
                connection = getattr(given, "connection", given)
                self.at = 0
                self._postgres.execute(
                    f"SELECT pg_terminate_backend({connection.info.backend_pid}, 5000)"
                )
            return call(given, *arguments, **named)

        return counting


def test_a_connection_that_drops_at_any_statement(
    built: str, machine: Machine, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hopyard.state.storage.postgres.connection, "_PAUSE", 0.01)
    dropping = Dropping(monkeypatch, postgres)

    def change(name: str, at: int) -> int:
        """Publish a document on one machine, fetch and search it on another."""
        machine("one")
        dropping.count, dropping.at = 0, at
        add(built, name, f"{name} is where the cloves of {name} are weighed.")
        machine("two")
        assert best(built, f"{name} is where the cloves of {name} are weighed.") == name
        assert dropping.at == 0, "the connection was dropped"
        return dropping.count

    statements = change("d0", 0)
    assert statements > 15
    for moment in range(1, statements, max(1, statements // 6)):
        change(f"d{moment}", moment)
    assert rows(built, "SELECT count(*) FROM index_generations") == [(2,)]
    with hopyard.Hopyard(built, embedding="words", k=99) as hop:
        found = {unit.id for unit in hop.search("cloves", search="dense")}
    assert len(found) == len(DOCUMENTS) + 1 + len(range(1, statements, max(1, statements // 6)))


def test_a_builder_that_was_overtaken_does_not_touch_the_vectors_of_another(
    postgres: PostgresServer, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, overtaken = build(f"{postgres.place()}&index=docs", "pgvector"), []
    write = VectorTable.write

    def late(table: VectorTable, connection: Any, *given: Any, **named: Any) -> Any:
        if not overtaken:
            overtaken.append(True)
            postgres.execute(f"SELECT pg_terminate_backend({connection.info.backend_pid}, 5000)")
            own = dict(shared._mirrors)
            machine("two")
            add(address, "forth", "The Forth Bridge opened in 1890.")
            machine("one")
            shared._mirrors.update(own)
        return write(table, connection, *given, **named)

    monkeypatch.setattr(VectorTable, "write", late)
    with pytest.raises(IndexBusyError, match="has published a newer generation"):
        add(address, "tay", TAY)
    machine("three")
    assert best(address, "The Forth Bridge opened in 1890.") == "forth"
    machine("one")
    assert hopyard.add_documents(address, Document(TAY, id="tay"))
    assert best(address, TAY) == "tay" and folder_of(address)
    assert best(address, "The Forth Bridge opened in 1890.") == "forth"


class Killed(BaseException):
    """Stands for the end of a process."""


def test_vectors_that_another_build_wrote_since_are_not_published(
    postgres: PostgresServer, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first builder loses its lock; the second is killed between vectors and publishing."""
    address, moments = build(f"{postgres.place()}&index=docs", "pgvector"), iter(range(9))
    publish = Publisher.publish

    def interrupted(publisher: Publisher, *given: Any, **named: Any) -> int:
        if (moment := next(moments)) == 0:
            assert publisher._locked
            pid = publisher._locked.info.backend_pid
            postgres.execute(f"SELECT pg_terminate_backend({pid}, 5000)")
            own = dict(shared._mirrors)
            machine("two")
            with pytest.raises(Killed):
                add(address, "forth", "The Forth Bridge opened in 1890.")
            machine("one")
            shared._mirrors.update(own)
        elif moment == 1:
            raise Killed
        return publish(publisher, *given, **named)

    monkeypatch.setattr(Publisher, "publish", interrupted)
    with pytest.raises(IndexBusyError, match="has written its vectors since"):
        add(address, "tay", TAY)
    machine("three")
    assert best(address, "the Iron Bridge opened") == "iron-bridge", "the former generation stays"
    machine("one")
    add(address, "tay", TAY)
    machine("three")
    assert best(address, TAY) == "tay"
    assert rows(address, "SELECT count(*) FROM index_generations") == [(2,)]


def test_a_build_that_goes_on_writes_vectors_that_another_replaced(
    postgres: PostgresServer, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are killed before they publish; the first one's files are whole then."""
    address, publish = build(f"{postgres.place()}&index=docs", "pgvector"), Publisher.publish

    def killed(*given: Any, **named: Any) -> int:
        raise Killed

    monkeypatch.setattr(Publisher, "publish", killed)
    for name, text in (("one", TAY), ("two", "The Forth Bridge opened in 1890.")):
        machine(name)
        with pytest.raises(Killed):
            add(address, name, text)
    monkeypatch.setattr(Publisher, "publish", publish)
    machine("one")
    add(address, "one", TAY)
    machine("three")
    assert best(address, TAY) == "one"
    assert best(address, "the Iron Bridge opened") == "iron-bridge"


def test_vectors_that_nobody_needs_are_dropped(postgres: PostgresServer, machine: Machine) -> None:
    place = postgres.place()
    kept, gone = (build(f"{place}&index={name}", "pgvector") for name in ("docs", "gone"))
    assert vector_tables(kept) == 4
    hopyard.register_embedding("others", Others())
    more: dict[str, Any] = {"chunk_tokens": 0, "embedding": "others", "vectors": "pgvector"}
    hopyard.build_index(kept, DOCUMENTS, **more)
    assert vector_tables(kept) == 6
    wait(building.vacuum(directory=build_folder(kept)))
    assert vector_tables(kept) == 4, "those of the former embedding model"
    with closing(WorkQueue(index_address(gone))) as queue:
        queue.add_batch("batch", ["digest"])
    with psycopg.connect(index_address(kept).database) as connection:
        connection.execute("DELETE FROM index_generations WHERE name = 'gone'")
    with IndexFiles(index_address(gone).database, "gone", gone).hold():
        wait(building.vacuum(directory=build_folder(kept)))
        assert vector_tables(kept) == 4, "a build may be under way"
    wait(building.vacuum(directory=build_folder(kept)))
    assert vector_tables(kept) == 2
    for table in ("vectors", "readers", "chunks", "files"):
        assert rows(kept, f"SELECT DISTINCT name FROM index_{table}") == [("docs",)]
    assert rows(kept, "SELECT name FROM work_batches") == [("gone",)], "it may have been paid for"
    with hopyard.Hopyard(kept, embedding="others") as hop:
        assert hop.search("the Iron Bridge opened", search="dense")
    build(gone, "pgvector")
    assert best(gone, "the Iron Bridge opened") == "iron-bridge"


def test_an_index_is_deleted(postgres: PostgresServer, machine: Machine) -> None:
    place = postgres.place()
    kept, gone = (build(f"{place}&index={name}", "pgvector") for name in ("docs", "gone"))
    with closing(WorkQueue(index_address(gone))) as queue:
        queue.put([Item(b"key", "call", b"text")])
    tables = [name for (name,) in rows(kept, NAMED) if not name.startswith("index_vectors_")]
    assert {"index_files", "index_chunks", "index_readers", "work_items", "work_batches"} <= {
        *tables
    }

    def names() -> set[str]:
        return {name for each in tables for (name,) in rows(kept, f"SELECT name FROM {each}")}

    root = local_folder(gone).parent
    with shared._mirror(gone).shared.hold(), pytest.raises(IndexBusyError, match="being built"):
        delete_index(gone)
    assert names() == {"docs", "gone"} and root.exists() and vector_tables(kept) == 4
    assert index_bytes(gone) > 1000
    delete_index(gone)
    assert names() == {"docs"} and not root.exists() and vector_tables(kept) == 2
    assert best(kept, "the Iron Bridge opened") == "iron-bridge"
    with pytest.raises(IndexMissingError, match=r"There is no index 'postgresql://.*index=gone'"):
        index_bytes(gone)
    assert best(build(gone, "pgvector"), "the Iron Bridge opened") == "iron-bridge"


def test_the_vectors_of_another_role_stay(postgres: PostgresServer, machine: Machine) -> None:
    place = postgres.place()
    schema = place.rpartition("%3D")[2]
    gone = build(f"{place}&index=gone", "pgvector")
    [(space,)] = rows(
        gone, "SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'vector'"
    )
    postgres.execute(
        f"CREATE ROLE plain; GRANT USAGE ON SCHEMA {space} TO plain;"
        f"GRANT ALL ON SCHEMA {schema} TO plain;"
        f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO plain;"
        f"DELETE FROM {schema}.index_generations"
    )
    try:
        kept = build(f"{place}%20-c%20role%3Dplain&index=docs", "pgvector")
        wait(building.vacuum(directory=build_folder(kept)))
        assert vector_tables(kept) == 4
        assert best(kept, "the Iron Bridge opened") == "iron-bridge"
    finally:
        postgres.execute("DROP OWNED BY plain CASCADE; DROP ROLE plain")


class Others(WordEmbedder):
    """Another model, with other dimensions."""

    name = "others"
    dimension = 64


def vector_tables(address: str) -> int:
    query = (
        "SELECT count(*) FROM pg_class WHERE relname ~ '^index_vectors_[0-9a-f]{12}(_rows)?$' "
        "AND relkind = 'r' AND relnamespace = current_schema()::regnamespace"
    )
    return int(rows(address, query)[0][0])
