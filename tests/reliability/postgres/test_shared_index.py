"""An index in Postgres: machines that share it, their copies, and the command line."""

from __future__ import annotations

import time
import zlib
from pathlib import Path
from typing import Any

import pytest
from building import wait
from commands import Zygote
from langchain_core.documents import Document
from model_server import ModelServer
from postgres_server import PostgresServer
from starlette.testclient import TestClient

import hopyard
from hopyard.indexes.building import build as building
from hopyard.indexes.corpus.shared import build_folder, folder_of
from hopyard.indexes.status import status
from hopyard.indexes.unread import unread_note
from hopyard.nodes.resources import Resources
from hopyard.state.errors import IndexMissingError
from hopyard.state.settings.given import read_given
from hopyard.state.settings.index_address import index_address
from hopyard.state.storage.postgres import publishing
from hopyard.testing import DOCUMENTS
from hopyard.web.app import application

from ..conftest import EMBEDDING
from .conftest import QUESTION, TAY, Machine, add, best, rows

CLOVES = "Zanzibar is where the cloves of Mr Quill were weighed."


def test_machines_share_an_index(
    built: str, machine: Machine, tmp_path: Path, postgres: PostgresServer
) -> None:
    machine("two")
    with hopyard.Hopyard(built, embedding="words", k=1) as hop:
        assert hop.search("Iron Bridge opened", search="hybrid")[0].id == "iron-bridge"
        machine("one")
        add(built, "tay", TAY)
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
    add(built, "tay", TAY)
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
        add(built, "tay", TAY)
        machine("two")
        after = client.get("/api/documents").json()
    assert "tay" in str(after) and "tay" not in str(before)
    assert after["index"]


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
    (docs / "tay.md").write_text(TAY)
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
