"""Tables that another version made, and a migration that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from postgres_server import PostgresServer

import hopyard
from hopyard.state.errors import HopyardError
from hopyard.state.settings.index_address import index_address
from hopyard.testing import DOCUMENTS

from .conftest import TAY, Machine, add, best, build, rows

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
