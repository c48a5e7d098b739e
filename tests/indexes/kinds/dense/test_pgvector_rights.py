"""Vectors in Postgres keep to the rights of their readers, whatever the program filters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from postgres_server import PostgresServer

import hopyard
from hopyard.indexes.kinds.dense import reader as dense_reader
from hopyard.state.errors import IndexMissingError
from hopyard.state.settings.rights import may_read, readers_of
from hopyard.state.storage.postgres.vector_rows import READER
from hopyard.state.storage.postgres.vectors import VectorTable
from hopyard.testing import WordEmbedder

from .test_dense import unit_rows
from .test_pgvector import written

GROUPS = ("hr", "board", "everyone", "a,b", 'a"b', "né\0e")


@pytest.fixture
def restricted(postgres: PostgresServer) -> Iterator[str]:
    """A database whose role for readers exists."""
    place = postgres.place()
    postgres.execute(f"CREATE ROLE {READER}")
    try:
        with psycopg.connect(place) as connection:
            [schema] = connection.execute("SELECT current_schema()").fetchone() or [""]
            connection.execute(f'GRANT USAGE ON SCHEMA "{schema}" TO {READER}')
        # Readers need its type; another test may have made it in a schema of its own.
        postgres.execute("CREATE EXTENSION IF NOT EXISTS vector")
        postgres.execute("ALTER EXTENSION vector SET SCHEMA public")
        yield place
    finally:
        postgres.execute(f"DROP OWNED BY {READER}; DROP ROLE {READER}")


Rights = list[tuple[str, list[list[str]]]]
names = st.lists(st.sampled_from(GROUPS), max_size=3, unique=True)
documents = st.lists(
    st.tuples(st.sampled_from(["hr/a.md", "b.md"]), st.lists(names, max_size=2)), min_size=1,
    max_size=12,
)  # fmt: skip


def test_the_database_alone_keeps_to_rights(restricted: str) -> None:
    generations = iter(range(1, 10_000))

    @given(documents, names, names)
    def check(held: Rights, rule: list[str], caller: list[str]) -> None:
        vectors = unit_rows(len(held), 8)
        rules = {"hr": rule} if rule else {}
        keys = ("groups", "Groups")
        about = [
            (dict(zip(keys, map(", ".join, own), strict=False)), f"docs/{source}")
            for source, own in held
        ]
        lists = [readers_of(metadata, source, rules) for metadata, source in about]
        index = written(restricted, vectors, next(generations), (range(len(held)), lists))
        found = index.for_groups(caller).search(vectors[0], 99)  # no filter of the program
        readable = {
            f"p{row:04d}"
            for row, (metadata, source) in enumerate(about)
            if may_read(metadata, source, rules, caller)
        }
        assert {name for name, _ in found} == readable
        assert len(index.search(vectors[0], 99)) == len(held)
        index.close()

    check()


def test_the_graph_keeps_to_rights_too(restricted: str) -> None:
    vectors, questions = unit_rows(2000, 16), unit_rows(10, 16, seed=1)
    readers = [row % 20 for row in range(2000)]
    lists = [[[f"g{number}"]] for number in range(20)]
    index = written(restricted, vectors, 1, (readers, lists)).for_groups(["g3", "g7"])
    for question in questions:
        numbers = [int(name[1:]) % 20 for name, _ in index.search(question, 50)]
        assert {*numbers} == {3, 7} and len(numbers) == 50
    with pytest.raises(IndexMissingError, match="not for these groups"):
        index.vectors(["p0000"])
    index.close()
    with psycopg.connect(restricted) as connection:
        connection.execute(f"SET ROLE {READER}")
        query = f"SELECT count(*) FROM {index._table._named['vectors']}"
        assert connection.execute(query).fetchone() == (0,), "without groups there is nothing"
        for other in ("SELECT * FROM index_chunks", query.replace("count(*)", "digest") + "_rows"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                connection.execute(other)


def test_builds_of_two_indexes_do_not_wait_for_each_other(restricted: str) -> None:
    written(restricted, unit_rows(3, 8)).close()
    with psycopg.connect(restricted) as one, psycopg.connect(restricted) as two:
        for connection, name in ((one, "one"), (two, "two")):
            connection.execute("SET lock_timeout = '5s'")
            table, readers = VectorTable(restricted, name, 8, 1), (np.array([0]), [["everyone"]])
            table.write(connection, [b"digest"], readers, unit_rows(1, 8), oldest=0)


def test_a_search_with_groups_asks_as_the_restricted_role(
    restricted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups of the caller reach the database, also where the program forgets its own filter."""
    hopyard.register_embedding("words", WordEmbedder())
    texts = [("Minutes of the board about the bridge.", "board"), ("The bridge is open.", "hr")]
    held = [Document(text, id=name, metadata={"groups": name}) for text, name in texts]
    name = f"{restricted}&index=docs"
    hopyard.build_index(name, held, embedding="words", chunk_tokens=0, vectors="pgvector")
    every: Callable[..., Any] = lambda *_: np.ones(2, np.bool_)  # noqa: E731
    monkeypatch.setattr(dense_reader, "mask_of", every)
    for group in ("board", "hr"):
        with hopyard.Hopyard(name, embedding="words", groups=[group]) as hop:
            assert [unit.id for unit in hop.search("bridge", search="dense")] == [group]
    with hopyard.Hopyard(name, embedding="words") as hop:
        assert len(hop.search("bridge", search="dense")) == 2
