from __future__ import annotations

import os
from pathlib import Path

import pytest

from hopyard.state.storage.atomic import sync_tree, write_file


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    write_file(file, b"old")

    def full(_: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_file(file, b"new")

    assert file.read_bytes() == b"old"


def test_sync_tree_lists_sizes(tmp_path: Path) -> None:
    (tmp_path / "dense").mkdir()
    (tmp_path / "dense" / "x").write_bytes(b"123")
    (tmp_path / "y").write_bytes(b"")

    assert sync_tree(tmp_path) == {"dense/x": 3, "y": 0}
