from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.corpus.manifest import (
    Manifest,
    check_embedding,
    check_files,
    find_manifest,
    read_manifest,
    write_manifest,
)
from hopyard.models.embedder import Embedder
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError


@pytest.fixture
def manifest() -> Manifest:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    return Manifest(
        generation=3,
        embedding="fake",
        dimension=32,
        chunk_tokens=62,
        kinds=("dense",),
        counts={"documents": 1, "passages": 2},
        files={"dense/x": 4},
        checksums={"dense/x": "9be3e0a3"},
        created=now,
        updated=now,
    )


def test_write_and_read(tmp_path: Path, manifest: Manifest) -> None:
    write_manifest(tmp_path, manifest)

    assert read_manifest(tmp_path) == find_manifest(tmp_path) == manifest
    assert [file.name for file in tmp_path.iterdir()] == ["manifest.json"]


def test_no_index(tmp_path: Path) -> None:
    assert find_manifest(tmp_path) is None
    with pytest.raises(IndexMissingError, match=r"no index in .*hopyard index build"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"format_version": 4}', b"\xff"])
def test_an_unreadable_manifest(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)

    with pytest.raises(IndexMissingError, match=r"manifest\.json.*cannot be read .*hopyard index"):
        find_manifest(tmp_path)


@pytest.mark.parametrize("other", [3, 99])
def test_another_format(tmp_path: Path, other: int) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"format_version": other, "new": True}))

    with pytest.raises(IndexMissingError, match=rf"format {other}, .*reads format 4: build"):
        read_manifest(tmp_path)


def test_files_are_checked_by_size_and_checksum(tmp_path: Path, manifest: Manifest) -> None:
    file = tmp_path / "gen-0000003" / "dense" / "x"
    with pytest.raises(IndexMissingError, match="dense/x' is missing"):
        check_files(tmp_path, manifest)

    file.parent.mkdir(parents=True)
    file.write_bytes(b"123")
    with pytest.raises(IndexMissingError, match="dense/x' has 3 bytes instead of 4"):
        check_files(tmp_path, manifest)

    file.write_bytes(b"1235")
    check_files(tmp_path, manifest)
    with pytest.raises(IndexMissingError, match="dense/x' is damaged"):
        check_files(tmp_path, manifest, checksums=True)

    file.write_bytes(b"1234")
    check_files(tmp_path, manifest, checksums=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"name": "other"}, "built with the embedding model 'fake', not 'other'"),
        ({"dimension": 8}, "32 dimensions and the embedding model 'fake' now gives 8"),
    ],
)
def test_another_embedding_model(
    manifest: Manifest,
    make_embedder: Callable[..., Embedder],
    settings: dict[str, Any],
    message: str,
) -> None:
    with pytest.raises(EmbeddingMismatchError, match=message):
        check_embedding(Path("index"), manifest, make_embedder(**settings))
