"""What a sync adds, changes and removes, also where tools that follow folders failed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hopyard.indexes.building.build import add, build
from hopyard.indexes.building.documents import BuildReport
from hopyard.indexes.building.estimate import Changes, changes_of
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.documents.loaders import LoadReport, load
from hopyard.indexes.documents.sync import Scope, stamps_of
from hopyard.indexes.listing import list_documents
from hopyard.state.errors import UsageError

from ..builds import Fake, counts

SPARSE = ("sparse",)


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    notes = tmp_path / "notes"
    (notes / "sub").mkdir(parents=True)
    (notes / "a.txt").write_text("Alpha is a letter.")
    (notes / "b.txt").write_text("Beta is another.")
    return notes


@pytest.fixture
async def index(directory: Path, notes: Path, embedder: Fake) -> Path:
    await build(load([notes]).documents, directory=directory, embedder=embedder, kinds=SPARSE)
    return directory


async def synced(index: Path, embedder: Fake, *paths: Path) -> tuple[BuildReport, LoadReport]:
    scope = Scope.of(paths)
    loaded = load(paths)
    scope.bad = loaded.bad
    report = await add(loaded.documents, scope=scope, directory=index, embedder=embedder)
    return report, loaded


async def planned(index: Path, embedder: Fake, *paths: Path) -> Changes:
    documents = load(paths).documents
    return await changes_of(documents, Scope.of(paths), directory=index, embedder=embedder)


def texts(index: Path) -> dict[str, str]:
    with Snapshot(index, read_manifest(index).generation) as corpus:
        return {passage.source: passage.text for passage in corpus.passages()}


async def test_new_changed_and_gone_files(notes: Path, directory: Path, embedder: Fake) -> None:
    (notes / "sub" / "c.txt").write_text("Gamma.")
    documents = [*load([notes]).documents, Document("own", "", "From a loader.", {}, "elsewhere")]
    await build(documents, directory=directory, embedder=embedder, kinds=SPARSE)
    (notes / "new.txt").write_text("Delta.")
    (notes / "a.txt").write_text("Alpha, changed.")
    (notes / "sub" / "c.txt").unlink()
    report, _ = await synced(directory, embedder, notes)
    assert counts(report)[:4] == (1, 1, 1, 1)
    sources = {entry.source for entry in list_documents(directory)}
    assert sources == {"elsewhere", "notes/a.txt", "notes/b.txt", "notes/new.txt"}
    report, _ = await synced(directory, embedder, notes)
    assert counts(report)[:4] == (0, 0, 0, 3)


async def test_only_what_is_named_is_compared(index: Path, notes: Path, embedder: Fake) -> None:
    (notes / "b.txt").unlink()
    report, _ = await synced(index, embedder, notes / "a.txt")
    assert counts(report)[:4] == (0, 0, 0, 1)
    assert "notes/b.txt" in texts(index)


async def test_a_file_that_cannot_be_read_keeps_its_documents(
    index: Path, notes: Path, embedder: Fake
) -> None:
    (notes / "a.txt").write_bytes(b"\x81\x00\xff\xfe")
    (notes / "b.txt").unlink()
    report, _ = await synced(index, embedder, notes)
    assert counts(report)[:4] == (0, 0, 1, 0)
    assert texts(index) == {"notes/a.txt": "Alpha is a letter."}


async def test_a_corpus_file_loses_the_lines_that_are_gone(
    directory: Path, tmp_path: Path, embedder: Fake
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": "x", "text": "One."}\n{"id": "y", "text": "Two."}\n')
    await build(load([corpus]).documents, directory=directory, embedder=embedder, kinds=SPARSE)
    corpus.write_text('{"id": "y", "text": "Two."}\n')
    report, _ = await synced(directory, embedder, corpus)
    assert counts(report)[:4] == (0, 0, 1, 1)


async def test_a_moved_file_keeps_its_passages(index: Path, notes: Path, embedder: Fake) -> None:
    """lyonzin/knowledge-rag 90: the copy is a duplicate, then its original is removed."""
    (notes / "a.txt").rename(notes / "sub" / "a.txt")
    changes = await planned(index, embedder, notes)
    assert (changes.added, changes.removed) == (("notes/sub/a.txt",), ("notes/a.txt",))
    await synced(index, embedder, notes)
    assert texts(index) == {
        "notes/b.txt": "Beta is another.",
        "notes/sub/a.txt": "Alpha is a letter.",
    }


async def test_two_equal_files_are_moved_together(index: Path, notes: Path, embedder: Fake) -> None:
    """syncany 142: of two equal files in a moved folder, one is missing."""
    for name in ("c.txt", "d.txt"):
        (notes / "sub" / name).write_text("The same in both.")
    await synced(index, embedder, notes)
    (notes / "sub").rename(notes / "new")
    changes = await planned(index, embedder, notes)
    assert changes.added == ("notes/new/c.txt", "notes/new/d.txt")
    assert changes.removed == ("notes/sub/c.txt", "notes/sub/d.txt")
    await synced(index, embedder, notes)
    assert {*texts(index)} == {
        "notes/a.txt", "notes/b.txt", "notes/new/c.txt", "notes/new/d.txt",
    }  # fmt: skip


async def test_one_of_two_equal_files_is_removed(index: Path, notes: Path, embedder: Fake) -> None:
    """run-llama/llama_index 22706: documents that share their hash are never deleted."""
    (notes / "c.txt").write_text("Alpha is a letter.")
    await synced(index, embedder, notes)
    (notes / "a.txt").unlink()
    await synced(index, embedder, notes)
    assert texts(index) == {"notes/b.txt": "Beta is another.", "notes/c.txt": "Alpha is a letter."}


async def test_a_file_comes_back_after_it_was_removed(
    index: Path, notes: Path, embedder: Fake
) -> None:
    """run-llama/llama_index 7147: a page that is deleted and added again ends with an error."""
    (notes / "a.txt").unlink()
    await synced(index, embedder, notes)
    (notes / "a.txt").write_text("Alpha is a letter.")
    report, _ = await synced(index, embedder, notes)
    assert (report.added, len(texts(index))) == (1, 2)


async def test_a_file_that_was_emptied_loses_its_passages(
    index: Path, notes: Path, embedder: Fake
) -> None:
    """amd/gaia 3644: a search still finds what an emptied file held."""
    (notes / "a.txt").write_text("")
    report, loaded = await synced(index, embedder, notes)
    assert (report.removed, loaded.bad) == (1, [])
    assert {*texts(index)} == {"notes/b.txt"}
    report, loaded = await synced(index, embedder, notes)
    assert (report.changed, loaded.bad) == (False, [])


async def test_a_disk_that_is_not_mounted_deletes_nothing(
    index: Path, notes: Path, embedder: Fake
) -> None:
    """vshulcz/deja-vu 1045: what was indexed from a disk goes when the disk does."""
    (notes / "sub").rmdir()
    notes.rename(notes.with_name("away"))
    with pytest.raises(UsageError, match="There is no file or folder"):
        await synced(index, embedder, notes)
    notes.mkdir()  # the mount point
    with pytest.raises(UsageError, match="holds no file now, but the index has 2 documents"):
        await synced(index, embedder, notes)
    with pytest.raises(UsageError, match="holds no file now"):
        await planned(index, embedder, notes)
    assert len(texts(index)) == 2


async def test_the_only_file_is_renamed(index: Path, notes: Path, embedder: Fake) -> None:
    """langchain-ai/langchain 30520: a source that gives nothing known deletes everything.

    Here other files are there, so the folder is the right one.
    """
    (notes / "b.txt").unlink()
    await synced(index, embedder, notes)
    (notes / "a.txt").rename(notes / "z.txt")
    changes = await planned(index, embedder, notes)
    assert (changes.added, changes.removed) == (("notes/z.txt",), ("notes/a.txt",))
    await synced(index, embedder, notes)
    assert {*texts(index)} == {"notes/z.txt"}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is locked for root")
async def test_a_folder_that_may_not_be_listed_keeps_its_documents(
    index: Path, notes: Path, embedder: Fake
) -> None:
    """shinpr/mcp-local-rag 171: rows are deleted only if the file was seen to be gone."""
    (notes / "sub" / "c.txt").write_text("Gamma.")
    await synced(index, embedder, notes)
    (notes / "sub").chmod(0)
    try:
        report, loaded = await synced(index, embedder, notes)
    finally:
        (notes / "sub").chmod(0o700)
    assert (report.removed, len(loaded.bad)) == (0, 1)


async def test_a_long_file_is_replaced_whole(index: Path, notes: Path, embedder: Fake) -> None:
    """langchain-ai/langchain 22135 and 21028: parts of a source beyond a batch are written again,
    or stay.
    """
    lines = [f"Line {number} of a long file.\n\n" for number in range(3000)]
    (notes / "a.txt").write_text("".join(lines))
    await synced(index, embedder, notes)
    again, _ = await synced(index, embedder, notes)
    assert (again.updated, again.unchanged) == (0, 2)
    (notes / "a.txt").write_text("".join(lines[:2999]))
    await synced(index, embedder, notes)
    with Snapshot(index, read_manifest(index).generation) as corpus:
        held = "".join(passage.text for passage in corpus.passages())
    assert "Line 2998 of" in held
    assert "Line 2999 of" not in held
    assert held.count("Line 7 of") == 1


def test_files_that_are_as_they_were_stay_unread(notes: Path) -> None:
    (notes / "sub" / "c.txt").write_text("Gamma.")
    scope = Scope.of([notes])
    scope.unread = {notes / "a.txt", notes / "b.txt"}

    loaded = load(scope.paths, unread=scope.unread)

    assert [document.source for document in loaded.documents] == ["notes/sub/c.txt"]
    held = {"1": "notes/a.txt", "2": "notes/b.txt", "3": "notes/sub/c.txt", "4": "notes/gone.txt"}
    assert scope.gone(held, {"3"}, frozenset()) == {"4"}


def test_a_document_in_a_file_goes_with_it(notes: Path) -> None:
    held = {"mail": "notes/m.eml", "bill": "notes/m.eml › bill.pdf", "a": "notes/a.txt"}

    assert Scope.of([notes]).gone(held, {"a"}, frozenset()) == {"mail", "bill"}
    assert Scope.of([notes]).gone(held, {"a", "mail"}, frozenset({"bill"})) == set()


def test_a_folder_whose_name_begins_like_another(notes: Path) -> None:
    held = {"a": "notes/a.txt", "b": "notes-2024/b.txt"}

    assert Scope.of([notes]).gone(held, {"a"}, frozenset()) == set()


def test_stamps(notes: Path) -> None:
    (notes / ".hidden").write_text("x")
    before = stamps_of([notes])
    assert {path.name for path in before} == {"a.txt", "b.txt"}

    (notes / "a.txt").write_text("Longer than before.")

    after = stamps_of([notes])
    assert {path.name for path in after if after[path] != before[path]} == {"a.txt"}
