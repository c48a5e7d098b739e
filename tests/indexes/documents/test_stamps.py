"""Which files a sync reads again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.records import BadItem, Document
from hopyard.indexes.documents.stamps import FileStamps

from ..builds import Fake

YEAR = 1_600_000_000
"""Seconds: files that are this old were not changed just before they were stamped."""


@pytest.fixture
async def index(directory: Path, embedder: Fake) -> Path:
    await build(
        [Document("a", "", "A.")], directory=directory, embedder=embedder, kinds=("sparse",)
    )
    return directory


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "notes" / "a.txt"
    path.parent.mkdir()
    path.write_text("Alpha.")
    return path


def stamp(index: Path, *paths: Path) -> None:
    """Stamp files as a sync does that reads all of them."""
    stamps = FileStamps(index, paths)
    for path in paths:
        stamps.note(path)
    stamps.write([])


def unchanged(index: Path, path: Path) -> bool:
    return path in FileStamps(index, [path]).unchanged


def test_a_file_with_another_time_and_the_same_bytes_is_unchanged(index: Path, note: Path) -> None:
    stamp(index, note)
    os.utime(note, (YEAR, YEAR))
    assert unchanged(index, note)
    # Its new time counts from now on.
    FileStamps(index, [note]).write([])


def test_a_file_with_other_bytes_of_the_same_number_is_changed(index: Path, note: Path) -> None:
    stamp(index, note)
    note.write_text("Gamma.")
    assert not unchanged(index, note)


def test_a_file_that_changes_again_at_once_is_found_out(index: Path, note: Path) -> None:
    """The racy case of git: the same size, and the same time after it was stamped."""
    stamp(index, note)
    before = note.stat()
    note.write_text("Gamma.")
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not unchanged(index, note)


def test_an_older_file_in_its_place_is_changed(index: Path, note: Path) -> None:
    """A restored backup or `rsync -a` brings a file with an older time."""
    stamp(index, note)
    note.write_text("Longer than before.")
    os.utime(note, (YEAR, YEAR))
    assert not unchanged(index, note)


def test_the_time_of_a_settled_file_is_enough(
    index: Path, note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stamps = FileStamps(index, [note])
    stamps.note(note)
    stamps._began += 10_000_000_000  # it was written ten seconds before
    stamps.write([])
    read: list[Path] = []
    monkeypatch.setattr(FileStamps, "note", lambda _, path: read.append(path))
    assert unchanged(index, note)
    assert read == []


def test_a_file_that_could_not_be_read_is_tried_again(index: Path, note: Path) -> None:
    stamps = FileStamps(index, [note])
    stamps.note(note)
    stamps.write([BadItem(str(note), "broken")])
    assert not unchanged(index, note)


def test_a_file_that_stays_broken_is_named_and_not_read_again(index: Path, note: Path) -> None:
    broken, part = f"{note}", f"{note.parent / 'b.zip'} › x.pdf"
    (note.parent / "b.zip").write_text("b")
    stamps = FileStamps(index, [note.parent])
    for path in note.parent.iterdir():
        stamps.note(path)
    bad = [BadItem(broken, "no", 3, settled=True), BadItem(part, "a password", settled=True)]
    stamps.write(bad)
    for _ in range(2):  # it is remembered
        again = FileStamps(index, [note.parent])
        assert again.unchanged == {note, note.parent / "b.zip"}
        assert again.bad == bad
        again.write(again.bad)
    note.write_text("Other.")
    assert FileStamps(index, [note.parent]).bad == [bad[1]]
