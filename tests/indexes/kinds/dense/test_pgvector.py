"""Vectors in Postgres: generations, recall, copies of an index, a missing extension."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import psycopg
import pytest
from building import wait
from langchain_core.documents import Document
from postgres_server import OWN, PostgresServer

import hopyard
from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.building import build as building
from hopyard.indexes.building.copying import copy_index
from hopyard.indexes.corpus import mirror as mirrors
from hopyard.indexes.corpus import shared
from hopyard.indexes.corpus.mirror import Mirror
from hopyard.indexes.corpus.shared import build_folder, folder_of
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.dense import reader as dense_reader
from hopyard.indexes.kinds.dense.pgvector import PgVectorIndex
from hopyard.indexes.status import status
from hopyard.models.embedder import Vectors
from hopyard.state.errors import HopyardError, IndexMissingError, UsageError
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage.postgres.connection import Database, Place, migrate
from hopyard.state.storage.postgres.index_tables import STEPS
from hopyard.state.storage.postgres.vector_rows import NEAREST
from hopyard.state.storage.postgres.vectors import VectorTable
from hopyard.testing import DOCUMENTS, WordEmbedder

from .test_dense import recall, unit_rows

TAY = Document("The Tay Bridge fell in 1879.", id="tay")


@pytest.fixture
def address(postgres: PostgresServer) -> str:
    """The address of an index that does not exist yet."""
    hopyard.register_embedding("words", WordEmbedder())
    return f"{postgres.place()}&index=docs"


@pytest.fixture
def built(address: str) -> str:
    hopyard.build_index(address, DOCUMENTS, embedding="words", chunk_tokens=0, vectors="pgvector")
    return address


def rows(address: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(index_address(address).database) as connection:
        [name] = connection.execute(
            "SELECT relname FROM pg_class WHERE relname ~ '^index_vectors_[0-9a-f]{12}$' "
            "AND relnamespace = current_schema()::regnamespace"
        ).fetchone() or [""]
        return connection.execute(query.format(vectors=name)).fetchall()


def written(
    place: str,
    vectors: Vectors,
    generation: int = 1,
    readers: tuple[Sequence[int], Sequence[object]] | None = None,
) -> PgVectorIndex:
    """An index whose vectors are written without a build; its passages are p0000, p0001, ..."""
    database = Database(Place(place, "The test", "nothing"))
    migrate(database, database._place, "indexes", STEPS)
    table = VectorTable(place, "docs", vectors.shape[1], generation)
    digests = [sha256(vector.tobytes()).digest()[:16] for vector in vectors]
    of, lists = readers or ([0] * len(vectors), [["everyone"]])

    def work(connection: psycopg.Connection[Any]) -> Any:
        with connection.transaction():
            return table.write(
                connection, digests, (np.array(of), lists), vectors, oldest=generation - 1
            )

    with closing(database):
        numbers = database.run(work)
    ids = Ragged.of_texts(f"p{row:04d}" for row in range(len(vectors)))
    return PgVectorIndex(ids, numbers, table)


def test_an_index_is_built_extended_and_searched(built: str) -> None:
    assert status(folder_of(built)).kinds["dense"]["vectors"] == "pgvector"
    assert not list(folder_of(built).rglob("vectors.npy")), "the copy has no vectors"
    hopyard.add_documents(built, TAY)
    with hopyard.Hopyard(built, embedding="words", k=2) as hop:
        for method in ("dense", "mmr", "hybrid"):
            found = hop.search("When did the Tay Bridge fall?", search=method)
            assert found[0].id == "tay", method
        filtered = hop.search("Bridge", search="dense", where="title=Danube")
        assert [unit.id for unit in filtered] == ["danube"]


def test_readers_keep_their_generation(built: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirrors, "_FRESH", 0.0)
    vector = WordEmbedder().embed_query("the Tay Bridge fell in 1879")
    count, folder = len(DOCUMENTS), build_folder(built)
    with Index.open(folder_of(built)) as first:
        hopyard.add_documents(built, TAY)
        assert rows(built, "SELECT count(*) FROM {vectors}") == [(count + 1,)], "one was sent"
        with Index.open(folder_of(built)) as second:
            wait(building.remove(["tay", "danube"], directory=folder))
            found = second.reader("dense").search(vector, 99)
            assert found[0][0] == "tay" and len(found) == count + 1
            assert first.reader("dense").search  # opened, and then found to be too old
            with pytest.raises(IndexMissingError, match="open the index again"):
                first.reader("dense").search(vector, 99)
    with Index.open(folder_of(built)) as third:
        assert len(third.reader("dense").search(vector, 99)) == count - 1
    assert rows(built, "SELECT count(*) FROM {vectors}") == [(count + 1,)]
    wait(building.vacuum(directory=folder))
    assert rows(built, "SELECT count(*) FROM {vectors}") == [(count - 1,)]
    with Index.open(folder_of(built)) as last:
        assert len(last.reader("dense").search(vector, 99)) == count - 1


def test_a_build_that_was_not_published_leaves_the_published_rows(
    built: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:
        away.setattr(Mirror, "publish", Mock(side_effect=HopyardError("away")))
        for added in (TAY, Document("The Forth Bridge opened in 1890.", id="forth")):
            with pytest.raises(HopyardError, match="away"):
                hopyard.add_documents(built, added)
    with hopyard.Hopyard(built, embedding="words") as hop:
        assert {"tay", "forth"}.isdisjoint(unit.id for unit in hop.search("Bridge", search="dense"))
    hopyard.add_documents(built, Document("The Tweed is a river.", id="tweed"))
    with hopyard.Hopyard(built, embedding="words", k=1) as hop:
        assert hop.search(TAY.page_content, search="dense")[0].id == "tay"


def test_a_search_asks_as_the_user_of_its_own_address(built: str) -> None:
    """The files name the address of the builder, whose user may have other rights."""
    other = built.replace("//postgres@", "//nobody-else@")
    folder = folder_of(built)
    root = folder.parents[1]
    shared._mirrors[root / "build"] = Mirror(index_address(other), root)
    with Index.open(folder) as index, pytest.raises(HopyardError, match="nobody-else"):
        index.reader("dense").search(WordEmbedder().embed_query("Bridge"), 1)


def test_vectors_that_the_graph_does_not_take_are_refused_first(address: str) -> None:
    class Long(WordEmbedder):
        dimension = 4001

        def embed_documents(self, texts: Sequence[str]) -> Any:
            raise AssertionError

    hopyard.register_embedding("long", Long())
    with pytest.raises(UsageError, match="at most 4000 dimensions, and these have 4001"):
        hopyard.build_index(address, DOCUMENTS, embedding="long", vectors="pgvector")


def test_former_generations_share_one_connection(
    built: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirrors, "_FRESH", 0.0)
    query = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'hopyard%'"
    gc.collect()  # connections of the tests before
    [(before,)] = rows(built, query)
    with hopyard.Hopyard(built, embedding="words", k=1) as hop:
        for number in range(3):
            hopyard.add_documents(built, Document(f"Bridge {number}.", id=f"n{number}"))
            assert hop.search(f"Bridge {number}.", search="dense")[0].id == f"n{number}"
            until = time.monotonic() + 20
            # The server shows a connection for a moment after it was closed.
            while (open_ := rows(built, query)[0][0]) > before + 1:
                assert time.monotonic() < until, open_
                time.sleep(0.05)


@pytest.mark.parametrize("compared", [0, 5_000])
def test_recall_with_and_without_filters(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, compared: int
) -> None:
    monkeypatch.setattr(dense_reader, "COMPARED", compared)
    vectors, questions = unit_rows(3000, 64), unit_rows(30, 64, seed=1)
    # Of so few rows Postgres would rather compare all.
    index = written(f"{postgres.place()}%20-c%20enable_seqscan%3Doff", vectors)
    assert recall(index, vectors, questions, 10) >= 0.95
    for share in (0.01, 0.1):
        chosen = np.sort(np.random.default_rng(0).choice(3000, int(3000 * share), replace=False))
        allowed, found = {f"p{row:04d}" for row in chosen}, 0
        for question in questions:
            nearest = chosen[np.argsort(-(vectors[chosen] @ question))[:10]]
            names = {name for name, _ in index.search(question, 10, allowed)}
            assert names <= allowed
            found += len(names & {f"p{row:04d}" for row in nearest})
        assert found >= (0.95 if compared else 0.9) * 10 * len(questions), share
    with psycopg.connect(index._table._place.address) as connection:
        index._table._begin(connection)
        asked = {"question": str(questions[0].tolist()), "generation": 1, "limit": 10}
        query = f"EXPLAIN {NEAREST}".format(**index._table._named)
        plan = str(connection.execute(query, asked).fetchall())
    assert "_graph" in plan, "the graph is used"
    index.close()


def test_an_index_is_copied_into_a_database_and_back(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, back = tmp_path / "plain", tmp_path / "back"
    hopyard.build_index(plain, DOCUMENTS, embedding="words", chunk_tokens=0)
    told: list[str] = []

    def copy(source: Path, to: Path, vectors: str = "") -> int:
        def tell(stage: str, done: int, total: int) -> None:
            assert 0 <= done <= total or not total
            told.append(stage)

        return wait(copy_index(source, to, vectors=vectors, progress=tell)).embedded

    with monkeypatch.context() as away:
        away.setattr(VectorTable, "write", Mock(side_effect=HopyardError("away")))
        with pytest.raises(HopyardError, match="away"):
            copy(plain, build_folder(address), "pgvector")
    assert copy(plain, build_folder(address), "pgvector") == 0
    assert {"copy", "publish"} <= {*told}
    assert status(folder_of(address)).kinds["dense"]["vectors"] == "pgvector"
    assert copy(folder_of(address), back) == 0
    assert "dense" not in status(back).kinds, "a folder keeps its vectors with FAISS"
    other = address.replace("index=docs", "index=other")
    assert copy(folder_of(address), build_folder(other)) == 0
    for name in (plain, address, back, other):
        with hopyard.Hopyard(name, embedding="words", k=1) as hop:
            assert hop.search("the Iron Bridge opened", search="dense")[0].id == "iron-bridge"
    with pytest.raises(UsageError, match=r"^There is an index .* already"):
        copy(plain, back)
    with pytest.raises(UsageError, match="no vector store 'nothing'"):
        copy(plain, tmp_path / "other", "nothing")
    with pytest.raises(UsageError, match="by its address"):
        hopyard.add_documents(back, TAY)
        copy(back, tmp_path / "another", "pgvector")


def test_a_folder_is_refused_before_anything_is_embedded(tmp_path: Path) -> None:
    class Unused(WordEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> Any:
            raise AssertionError

    hopyard.register_embedding("unused", Unused())
    with pytest.raises(UsageError, match="'pgvector' keeps vectors in the database"):
        hopyard.build_index(tmp_path / "index", DOCUMENTS, embedding="unused", vectors="pgvector")


@pytest.mark.skipif(bool(OWN), reason="the rights of another's server stay as they are")
def test_a_missing_extension_is_one_sentence(address: str, postgres: PostgresServer) -> None:
    schema = index_address(address).database.rpartition("%3D")[2]
    postgres.execute("CREATE DATABASE plain")
    postgres.execute("CREATE ROLE builder LOGIN")
    other = address.replace("/postgres?", "/plain?")
    with psycopg.connect(index_address(other).database, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema} AUTHORIZATION builder")
    try:
        with pytest.raises(HopyardError, match="lacks the extension pgvector") as raised:
            name = other.replace("//postgres@", "//builder@")
            hopyard.build_index(name, DOCUMENTS, embedding="words", vectors="pgvector")
        assert "\n" not in str(raised.value)
    finally:
        postgres.execute("DROP DATABASE plain WITH (FORCE)")
        postgres.execute("DROP ROLE builder")


def test_a_filter_far_from_the_question_is_compared_where_the_graph_ends() -> None:
    """pgvector 751, honcho 1048: too few rows, though thousands match."""
    table = Mock(dimension=2, nearest=Mock(return_value=[(10, 0.9), (11, 0.8)]))
    table.compared.return_value = [(5, 0.2), (4, 0.1)]
    index = PgVectorIndex(Ragged.of_texts([f"{n:02}" for n in range(20)]), np.arange(20), table)
    allowed = np.arange(20) < 6
    numbers, _ = index._approximate(np.ones(2, np.float32), 2, allowed)
    assert numbers.tolist() == [5, 4]
    assert table.compared.call_args.args[1:] == ([0, 1, 2, 3, 4, 5], 2)
