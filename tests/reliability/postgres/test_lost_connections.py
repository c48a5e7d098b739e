"""Builders whose connection drops, and those that others overtake meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from langchain_core.documents import Document
from postgres_server import PostgresServer

import hopyard
from hopyard.indexes.corpus import shared
from hopyard.indexes.corpus.shared import folder_of
from hopyard.state.errors import IndexBusyError
from hopyard.state.storage.postgres.publishing import Publisher
from hopyard.state.storage.postgres.vectors import VectorTable
from hopyard.testing import DOCUMENTS

from .conftest import TAY, Machine, add, best, build, rows

STORES = ("faiss", "pgvector")


@pytest.fixture(params=STORES)
def built(request: pytest.FixtureRequest, postgres: PostgresServer, machine: Machine) -> str:
    """The address of an index, with each place for its vectors."""
    del machine
    return build(f"{postgres.place()}&index=docs", request.param)


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
