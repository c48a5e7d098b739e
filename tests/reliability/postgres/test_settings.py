"""Threads in Postgres under other settings of the server, the database and the address."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import string
from typing import Any
from urllib.parse import quote

import pytest
from langgraph.checkpoint.base import empty_checkpoint
from postgres_server import OWN, PostgresServer

from hopyard.models.ledger import open_ledger
from hopyard.state.errors import HopyardError
from hopyard.state.storage.addresses import THREADS_VARIABLE
from hopyard.state.storage.checkpoints import open_saver

SCHEMA = re.compile("t[0-9a-f]{32}")


async def _save(store: Any, thread: str) -> None:
    place = {"thread_id": thread, "checkpoint_ns": ""}
    await store.aput({"configurable": place}, empty_checkpoint(), {"step": 1}, {})


@pytest.mark.parametrize("setting", ["datestyle=German", "client_encoding=SQL_ASCII"])
async def test_dates_and_texts_do_not_depend_on_the_servers_settings(
    setting: str, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, f"{postgres.place()}{quote(f' -c {setting}')}")
    async with open_saver() as store, store.locks.hold("Grün"):
        await _save(store, "Grün")
        assert [thread for thread, _ in await store.last_steps()] == ["Grün"]
        holder = await store.locks.holder("Grün")
    assert holder and holder.pid == os.getpid()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", holder.since)


async def test_a_schema_that_does_not_exist_is_named_as_the_reason(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = SCHEMA.sub("nowhere", postgres.place())
    monkeypatch.setenv(THREADS_VARIABLE, address)
    told = r"\(no schema .*\): create the schema, or give the role its rights \(docs/postgres\.md\)"
    with pytest.raises(HopyardError, match=f"^The thread store .*{told}"):
        async with open_saver():
            pass
    with pytest.raises(HopyardError, match=f"^The ledger .*{told}"):
        open_ledger(address)


@pytest.mark.skipif(bool(OWN), reason="no database is made on another's server")
async def test_a_database_that_cannot_store_a_character_is_named_as_the_reason(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.execute("CREATE DATABASE latin ENCODING LATIN1 LOCALE 'C' TEMPLATE template0")
    monkeypatch.setenv(THREADS_VARIABLE, postgres.address.replace("/postgres?", "/latin?"))
    async with open_saver() as store:
        await _save(store, "Grün")
        assert [thread for thread, _ in await store.last_steps()] == ["Grün"]
        with pytest.raises(HopyardError, match="use a database with the encoding UTF8"):
            await _save(store, "緑")


async def test_a_write_that_fails_disturbs_no_reader(
    postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(THREADS_VARIABLE, postgres.place())
    # An index takes about 2,700 bytes, and compresses a text that repeats.
    name = "".join(secrets.choice(string.ascii_letters) for _ in range(8000))
    async with open_saver() as store:
        writing = asyncio.create_task(_save(store, name))

        async def read() -> None:
            while not writing.done():
                assert await store.last_steps() == []

        await asyncio.gather(*(read() for _ in range(4)))
        with pytest.raises(HopyardError, match="choose a shorter thread name, then run"):
            await writing
