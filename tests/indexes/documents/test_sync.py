from __future__ import annotations

from pathlib import Path

import pytest

from hopyard.indexes.building.build import build, sync
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.documents.loaders import load
from hopyard.indexes.documents.sync import Scope, stamps_of
from hopyard.indexes.listing import list_documents
from hopyard.state.errors import UsageError

from ..builds import Fake, counts

SPARSE = ("sparse",)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "old").mkdir(parents=True)
    (folder / "a.txt").write_text("Alpha.")
    (folder / "b.txt").write_text("Beta.")
    (folder / "old" / "c.txt").write_text("Gamma.")
    return folder


@pytest.fixture
async def index(directory: Path, folder: Path, embedder: Fake) -> Path:
    documents = [*load([folder]).documents, Document("own", "", "From a loader.", {}, "elsewhere")]
    await build(documents, directory=directory, embedder=embedder, kinds=SPARSE)
    return directory


def sources(index: Path) -> set[str]:
    return {entry.source for entry in list_documents(index)}


async def synced(index: Path, embedder: Fake, *paths: Path) -> tuple[int, ...]:
    scope = Scope.of(paths)
    loaded = load(scope.paths)
    scope.bad = loaded.bad
    report = await sync(loaded.documents, scope, directory=index, embedder=embedder)
    return counts(report)[:4]


async def test_new_changed_and_gone_files(index: Path, folder: Path, embedder: Fake) -> None:
    (folder / "new.txt").write_text("Delta.")
    (folder / "a.txt").write_text("Alpha, changed.")
    (folder / "old" / "c.txt").unlink()

    assert await synced(index, embedder, folder) == (1, 1, 1, 1)
    assert sources(index) == {"elsewhere", "notes/a.txt", "notes/b.txt", "notes/new.txt"}
    assert await synced(index, embedder, folder) == (0, 0, 0, 3)


async def test_only_what_is_named_is_compared(index: Path, folder: Path, embedder: Fake) -> None:
    (folder / "b.txt").unlink()

    assert await synced(index, embedder, folder / "a.txt") == (0, 0, 0, 1)
    assert "notes/b.txt" in sources(index)


async def test_a_file_that_cannot_be_read_keeps_its_documents(
    index: Path, folder: Path, embedder: Fake
) -> None:
    (folder / "a.txt").write_bytes(b"\x81\x00\xff\xfe")
    (folder / "b.txt").unlink()

    assert await synced(index, embedder, folder) == (0, 0, 1, 1)
    assert sources(index) == {"elsewhere", "notes/a.txt", "notes/old/c.txt"}


async def test_a_corpus_file_loses_the_lines_that_are_gone(
    directory: Path, tmp_path: Path, embedder: Fake
) -> None:
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text('{"id": "x", "text": "One."}\n{"id": "y", "text": "Two."}\n')
    await build(load([corpus]).documents, directory=directory, embedder=embedder, kinds=SPARSE)
    corpus.write_text('{"id": "y", "text": "Two."}\n')

    assert await synced(directory, embedder, corpus) == (0, 0, 1, 1)


async def test_an_empty_folder_empties_nothing(index: Path, folder: Path, embedder: Fake) -> None:
    for file in folder.rglob("*.txt"):
        file.unlink()

    with pytest.raises(
        UsageError, match="holds no file now, but the index has 3 documents from it"
    ):
        await synced(index, embedder, folder)
    assert len(sources(index)) == 4


def test_files_that_are_as_they_were_stay_unread(folder: Path) -> None:
    scope = Scope.of([folder])
    scope.unread = {folder / "a.txt", folder / "b.txt"}

    loaded = load(scope.paths, unread=scope.unread)

    assert [document.source for document in loaded.documents] == ["notes/old/c.txt"]
    held = {"1": "notes/a.txt", "2": "notes/b.txt", "3": "notes/old/c.txt", "4": "notes/gone.txt"}
    assert scope.gone(held, {"3"}, frozenset()) == {"4"}


def test_a_document_in_a_file_goes_with_it(folder: Path) -> None:
    held = {"mail": "notes/m.eml", "bill": "notes/m.eml › bill.pdf", "a": "notes/a.txt"}

    assert Scope.of([folder]).gone(held, {"a"}, frozenset()) == {"mail", "bill"}
    assert Scope.of([folder]).gone(held, {"a", "mail"}, frozenset({"bill"})) == set()


def test_a_folder_whose_name_begins_like_another(folder: Path) -> None:
    held = {"a": "notes/a.txt", "b": "notes-2024/b.txt"}

    assert Scope.of([folder]).gone(held, {"a"}, frozenset()) == set()


def test_stamps(folder: Path) -> None:
    (folder / ".hidden").write_text("x")
    before = stamps_of([folder])
    assert {path.name for path in before} == {"a.txt", "b.txt", "c.txt"}

    (folder / "a.txt").write_text("Longer than before.")

    after = stamps_of([folder])
    assert {path.name for path in after if after[path] != before[path]} == {"a.txt"}
