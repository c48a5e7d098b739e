"""Small changes of a large index: they read what has changed, and not the rest."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from hopyard.indexes.building import run
from hopyard.indexes.building.build import add, build, remove, vacuum
from hopyard.indexes.corpus.checks import rows_checksum
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import PAGE_END, Document
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.index import Index
from hopyard.indexes.kinds import dense
from hopyard.indexes.status import check_index
from hopyard.models.embedder import Embedder
from hopyard.state.errors import IndexMissingError

DOCUMENTS = [
    Document(f"d{number:02}", f"Title {number}", f"First {number}.{PAGE_END}Second.")
    for number in range(40)
]


def stored(directory: Path, sql: str) -> Sequence[str]:
    with sqlite3.connect(directory / "corpus.sqlite") as connection:
        found = [row[0] for row in connection.execute(sql)]
    connection.close()
    return found


async def test_what_is_added_and_removed_is_counted_on(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_LARGE", 10)
    monkeypatch.setattr(run, "_GROWS", 10)
    monkeypatch.setattr(dense, "LARGE", 10)
    directory = tmp_path / "index"
    await build(DOCUMENTS[:38], directory=directory, embedder=embedder)
    changed = Document("d03", "Title 3", "Third.")
    await add([changed, DOCUMENTS[38]], directory=directory, embedder=embedder)
    await remove(["d07", "d08"], directory=directory)
    await add([DOCUMENTS[39], DOCUMENTS[38]], directory=directory, embedder=embedder)

    check_index(directory)
    manifest = read_manifest(directory)
    with Snapshot(directory, 4) as corpus:
        assert corpus.counts() == {"documents": 38, "passages": 38}
        assert rows_checksum(corpus) == manifest.checksums["corpus.sqlite"]
    hashes = "SELECT content_hash FROM passages ORDER BY 1"
    assert stored(directory, "SELECT content_hash FROM vectors ORDER BY 1") == stored(
        directory, hashes
    )
    assert sorted(stored(directory, "SELECT DISTINCT id FROM documents")) == sorted(
        {document.id for document in DOCUMENTS} - {"d07", "d08"}
    )
    with Index.open(directory) as index:
        found = index.reader("dense").search(embedder.embed_query("Third"), 99)
        assert len(found) == 38
        assert index.reader("sparse").search("third", 5)[0][0] == "d03"


@pytest.mark.parametrize("large, kept_in", [(10, "vectors.npy"), (1000, "vectors.npy")])
async def test_vacuum_deletes_the_vectors_of_removed_passages(
    tmp_path: Path,
    embedder: Embedder,
    monkeypatch: pytest.MonkeyPatch,
    large: int,
    kept_in: str,
) -> None:
    monkeypatch.setattr(run, "_LARGE", large)
    monkeypatch.setattr(run, "_GROWS", 10)
    monkeypatch.setattr(dense, "LARGE", large)
    await build(DOCUMENTS, directory=tmp_path, embedder=embedder)
    with Index.open(tmp_path) as index:
        vector = index.reader("dense").vectors(["d07"])[0]

    def keeping() -> list[str]:
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        return [file.name for file in files if vector.tobytes() in file.read_bytes()]

    await remove(["d07"], directory=tmp_path)
    assert kept_in in keeping()
    with Index.open(tmp_path) as index:
        found = index.reader("dense").search(vector, 99)
        assert len(found) == 39 and "d07" not in dict(found)
        assert "d07" not in dict(index.reader("dense").search(vector, 99, {"d07", "d08"}))
        with pytest.raises(IndexMissingError, match="'d07' is not in the dense index"):
            index.reader("dense").vectors(["d07"])
    await vacuum(directory=tmp_path)
    assert not keeping()
    await vacuum(directory=tmp_path)
    check_index(tmp_path)
    assert read_manifest(tmp_path).generation == 3
    with Index.open(tmp_path) as index:
        found = index.reader("dense").search(embedder.embed_query("Title 8"), 99)
        assert len(found) == 39


def no_links(file: Path, new: Path) -> None:
    raise OSError(errno.EPERM, f"{file} cannot have the name {new} too")


@pytest.mark.parametrize("links", [True, False])
async def test_a_small_change_does_not_look_at_what_stays(
    tmp_path: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch, links: bool
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr(run, "_LARGE", 10)
    monkeypatch.setattr(run, "_GROWS", 10)
    monkeypatch.setattr(dense, "LARGE", 10)
    await build(DOCUMENTS[:38], directory=tmp_path, embedder=embedder)
    file = tmp_path / "gen-0000001" / "dense" / "vectors.npy"
    file.write_bytes(file.read_bytes()[:-4] + b"\0\0\0\0")
    await add(DOCUMENTS[38:39], directory=tmp_path, embedder=embedder)
    # The damage keeps the checksum that the file had, so that a check finds it.
    with pytest.raises(Exception, match=r"gen-0000002/dense/vectors\.npy' is damaged"):
        check_index(tmp_path)
