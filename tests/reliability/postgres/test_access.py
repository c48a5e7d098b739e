"""An index in Postgres: rights and passwords, and a database that was tampered with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from postgres_server import OWN, PostgresServer

import hopyard
from hopyard.agent.session import open_session
from hopyard.indexes.corpus.shared import folder_of
from hopyard.state.errors import HopyardError, IndexMissingError
from hopyard.state.settings.given import read_given
from hopyard.state.settings.index_address import index_address, private_name
from hopyard.testing import DOCUMENTS

from .conftest import QUESTION, TAY, Machine, add, best


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
            add(right, "tay", TAY)
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
