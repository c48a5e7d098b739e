"""A full disk of the server, under an index, and under threads and ledger."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from model_server import ModelServer
from postgres_server import IS_ROOT, OWN, PostgresServer

import hopyard
from hopyard.state.errors import HopyardError
from hopyard.state.storage.addresses import LEDGER_VARIABLE, THREADS_VARIABLE

from .conftest import TAY, Machine, Start, best, build, rows


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
