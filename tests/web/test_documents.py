"""Pages, originals and documents over HTTP: shown as far as they are safe, added, removed."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copy2 as copy
from typing import Any

import pytest
from starlette.testclient import TestClient

import hopyard
from hopyard.state.settings.given import read_given
from hopyard.web import building

from .conftest import served

BYTES = {"content-type": "application/octet-stream"}
PIER = "The pier is open from nine to five."
HOSTILE = "<img src=x onerror=alert(1)>.md"


def pdf(text: str) -> bytes:
    """A PDF of one page with one line."""
    canvas_of = pytest.importorskip("reportlab.pdfgen.canvas").Canvas
    canvas = canvas_of("a.pdf", pagesize=(595, 842))
    canvas.drawString(100, 700, text)
    written: bytes = canvas.getpdfdata()
    return written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "harbour"
    made.mkdir()
    (made / "pier.pdf").write_bytes(pdf(PIER))
    (made / HOSTILE).write_text("# Ferry\n\nThe ferry <img src=x onerror=alert(1)> leaves at noon.")
    (made / "page.html").write_text(
        "<title>Quay</title><p>The quay is dry.<script>alert(1)</script>"
    )
    hopyard.build_index(tmp_path / "index", made, kinds=["sparse"])
    return made


@pytest.fixture
def client(folder: Path) -> Iterator[TestClient]:
    given = read_given({"index": str(folder.parent / "index"), "model": "scripted"}.items())
    with served(given, folders=[folder]) as opened:
        yield opened


def entries(client: TestClient, words: str = "") -> dict[str, Any]:
    listed = client.get("/api/documents", params={"words": words}).json()["documents"]
    return {entry["name"]: entry for entry in listed}


def ended(client: TestClient) -> dict[str, Any]:
    """The change, once it has ended."""
    until = time.monotonic() + 150
    while (state := client.get("/api/change").json())["running"]:
        assert time.monotonic() < until, state
        time.sleep(0.05)
    found: dict[str, Any] = state
    return found


def test_a_page_is_drawn_once_and_a_file_is_shown_only_if_it_is_safe(client: TestClient) -> None:
    found = client.get("/api/search", params={"text": "pier", "method": "sparse"}).json()["found"]
    [result] = found[0]["results"]
    cited = result["cited"]
    assert cited["marked"] == f"<mark>{PIER}</mark>"
    asked = {"passage": cited["passage_id"], "quote": cited["quotes"]}
    place = client.get("/api/place", params=asked).json()
    assert [mark["page"] for mark in place["marks"]] == [1]
    address = f"{place['address']}1"
    picture = client.get(address)
    assert picture.content[8:12] == b"WEBP"
    again = client.get(address, headers={"if-none-match": picture.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    for wrong in (f"{place['address']}2", f"{address}&width=90000", f"{address}&width=x"):
        assert client.get(wrong).status_code == 400
    shown = client.get(place["original"])
    assert shown.headers["content-type"] == "application/pdf"
    assert shown.headers["content-disposition"].startswith("inline")
    for entry in (entries(client)["harbour/page.html"], entries(client)[f"harbour/{HOSTILE}"]):
        saved = client.get("/api/original", params={"document": entry["id"]})
        assert saved.headers["content-security-policy"] == "sandbox"
        assert saved.headers["content-type"].startswith(("application/octet", "text/plain"))
    assert client.get("/api/original", params={"document": "other"}).status_code == 400


def test_documents_are_listed_with_what_was_left_out(client: TestClient) -> None:
    assert list(entries(client)) == [f"harbour/{HOSTILE}", "harbour/page.html", "harbour/pier.pdf"]
    assert list(entries(client, "PIER pdf")) == ["harbour/pier.pdf"]
    entry = entries(client)[f"harbour/{HOSTILE}"]
    [passage] = client.get("/api/document", params={"id": entry["id"]}).json()["passages"]
    assert "<img" not in passage["marked"]
    about = client.get("/api/documents").json()["index"]
    assert (about["counts"]["documents"], about["asks_model"]) == (3, [])


def test_a_file_that_cannot_be_kept_is_refused(
    client: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "LARGEST", 9)
    (folder / "Cafe\u0301.md").write_text("Tea is served.")
    before = sorted(folder.rglob("*"))
    for name, says in {
        "Caf\u00e9.md": "already", "pier.pdf": "already", "..%2Fa.md": "rename",
        "%2e%2e": "rename", ".a.md": "rename",
        "a%5Cb.md": "rename", "C:a.md": "rename", "x" * 250 + ".md": "rename",
        "a%00.md": "rename", "a.exe": "suffix", "big.md": "larger",
    }.items():  # fmt: skip
        refused = client.put(f"/api/uploads/{name}", content=b"0123456789", headers=BYTES)
        assert (refused.status_code, says in refused.json()["error"]["message"]) == (400, True), (
            name
        )
    assert client.get("/api/change").json()["waiting"] == []
    assert sorted(folder.rglob("*")) == before
    assert client.put("/api/uploads/a.md", content=b"First.", headers=BYTES).status_code == 204
    again = client.put("/api/uploads/a.md", content=b"Other.", headers=BYTES)
    assert "waits already" in again.json()["error"]["message"]


@pytest.mark.usefixtures("changes_here")
def test_files_are_added_and_removed(client: TestClient, folder: Path) -> None:
    assert client.post("/api/change/add", json={}).status_code == 400  # nothing waits
    other = BYTES | {"origin": "http://evil.example"}
    assert client.put("/api/uploads/a.md", content=b"A", headers=other).status_code == 403
    for name, content in (("buoy.pdf", pdf("The buoy is red.")), ("broken.pdf", b"no PDF")):
        assert client.put(f"/api/uploads/{name}", content=content, headers=BYTES).status_code == 204
    assert client.post("/api/change/add", json={"estimate": True}).json()["running"]
    assert ended(client)["report"] == {"estimate": {}}  # no kind of this index asks a model
    client.post("/api/change/add", json={})
    state = ended(client)
    assert (state["report"]["added"], state["waiting"]) == (1, []), state
    assert "broken.pdf" in json.dumps(state["report"]["left_out"])
    entry = entries(client)["harbour/buoy.pdf"]
    [passage] = client.get("/api/document", params={"id": entry["id"]}).json()["passages"]
    place = client.get("/api/place", params={"passage": passage["passage_id"]}).json()
    assert place["count"] == 1
    client.post("/api/change/remove", json={"id": entry["id"]})
    assert ended(client)["report"]["removed"] == 1
    assert "harbour/buoy.pdf" not in entries(client)
    assert (folder / "buoy.pdf").exists()  # the folder is the person's own


def test_another_process_makes_a_change(client: TestClient) -> None:
    entry = entries(client)["harbour/page.html"]
    asked = {"id": entry["id"]}
    assert client.post("/api/change/remove", json=asked).json()["running"]
    busy = client.post("/api/change/remove", json=asked)
    assert (busy.status_code, "wait" in busy.json()["error"]["message"]) == (409, True)
    assert ended(client)["report"] == {"removed": 1, "passages": 2}
    assert "harbour/page.html" not in entries(client)


@pytest.mark.usefixtures("changes_here")
def test_a_file_waits_until_it_is_in_the_index(client: TestClient, folder: Path) -> None:
    """A server that is killed while it adds files leaves their copies in the folder."""
    builder = client.app.state.builder  # type: ignore[attr-defined]
    for name in ("buoy.md", "pier.md"):
        client.put(f"/api/uploads/{name}", content=b"The buoy is red.", headers=BYTES)
    copy(builder._waiting / "buoy.md", folder / "buoy.md")
    (folder / "pier.md").write_text("Not the file that waits.")
    client.post("/api/change/add", json={})
    state = ended(client)
    assert "'pier.md' already" in state["error"]
    assert state["waiting"] == ["buoy.md", "pier.md"]
    assert (folder / "pier.md").read_text() == "Not the file that waits."
    assert (folder / "buoy.md").exists()  # it may be the person's own
    (folder / "pier.md").unlink()
    client.post("/api/change/add", json={})
    assert ended(client)["report"]["added"] == 2
    assert (builder.waiting, (folder / "buoy.md").read_text()) == ([], "The buoy is red.")


@pytest.mark.usefixtures("changes_here")
def test_an_archive_is_deleted_with_the_last_of_its_documents(folder: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("buoy.md", "The buoy is red.")
        archive.writestr("ferry.md", "The ferry is late.")
    given = read_given({"index": str(folder.parent / "index"), "model": "scripted"}.items())
    with served(given) as client:
        builder = client.app.state.builder  # type: ignore[attr-defined]
        client.put("/api/uploads/sea.zip", content=packed.getvalue(), headers=BYTES)
        client.post("/api/change/add", json={})
        assert ended(client)["report"]["added"] == 2
        file = builder.folder / "sea.zip"
        for name, left in (("buoy.md", True), ("ferry.md", False)):
            entry = entries(client)[f"uploads/sea.zip › {name}"]
            client.post("/api/change/remove", json={"id": entry["id"]})
            assert ended(client)["report"]["removed"] == 1
            assert file.exists() is left


def test_an_index_without_an_entity_graph_says_what_to_build(client: TestClient) -> None:
    assert client.get("/api/status").json()["entities"] is False
    refused = client.get("/api/entities")
    assert (refused.status_code, "--with entity-graph" in refused.text) == (400, True)
