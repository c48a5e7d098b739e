"""What is dropped from the database: vectors that nobody needs, and whole indexes."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import psycopg
import pytest
from building import wait
from postgres_server import PostgresServer

import hopyard
from hopyard.indexes.building import build as building
from hopyard.indexes.building.deleting import delete_index, index_bytes
from hopyard.indexes.corpus import shared
from hopyard.indexes.corpus.shared import build_folder, local_folder
from hopyard.state.errors import IndexBusyError, IndexMissingError
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage.postgres.files import IndexFiles
from hopyard.state.storage.postgres.work import WorkQueue
from hopyard.state.storage.work_items import Item
from hopyard.testing import DOCUMENTS, WordEmbedder

from .conftest import Machine, best, build, rows

NAMED = """
SELECT table_name FROM information_schema.columns
WHERE column_name = 'name' AND table_schema = current_schema()
"""


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
