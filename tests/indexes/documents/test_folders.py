"""The names of folders in an index."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.documents.folders import FolderNames
from hopyard.indexes.documents.loaders import load
from hopyard.indexes.listing import list_documents

from ..builds import Fake

SPARSE = ("sparse",)


def file(path: Path, text: str = "Text.") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def one(tmp_path: Path) -> Path:
    return file(tmp_path / "one" / "docs" / "a.md", "# One").parent


@pytest.fixture
def two(tmp_path: Path) -> Path:
    file(tmp_path / "two" / "docs" / "b.md", "# More")
    return file(tmp_path / "two" / "docs" / "a.md", "# Two").parent


def sources(index: Path) -> list[str]:
    return sorted(entry.source for entry in list_documents(index))


def test_two_folders_of_one_name_are_two_sources(one: Path, two: Path) -> None:
    report = load([one, two])
    assert report.bad == []
    assert [document.source for document in report.documents] == [
        "one/docs/a.md",
        "two/docs/a.md",
        "two/docs/b.md",
    ]
    assert len({document.id for document in report.documents}) == 3


def test_a_folder_alone_has_its_own_name(one: Path) -> None:
    assert [document.source for document in load([one]).documents] == ["docs/a.md"]


def test_files_in_two_folders_of_one_name(one: Path, two: Path) -> None:
    found = load([one / "a.md", two / "a.md"]).documents
    assert [document.source for document in found] == ["one/docs/a.md", "two/docs/a.md"]


def test_a_folder_within_a_folder_is_named_as_its_part(one: Path) -> None:
    file(one / "docs" / "deep" / "c.md")
    found = load([one / "docs", one, one / "docs" / "deep" / "c.md"])
    assert {document.source for document in found.documents} == {
        "docs/a.md",
        "docs/docs/deep/c.md",
    }
    assert found.duplicates == 2


async def put(index: Path, embedder: Fake, *paths: Path) -> list[str]:
    """Add as the command does; the warnings."""
    folders = FolderNames(paths, index)
    documents = [*load_with(paths, folders)]
    run = add if index.exists() else build
    kinds = {} if index.exists() else {"kinds": SPARSE}
    await run(documents, directory=index, embedder=embedder, **kinds)  # type: ignore[arg-type]
    folders.write()
    return folders.warnings


def load_with(paths: tuple[Path, ...], folders: FolderNames) -> object:
    from hopyard.indexes.documents.loaders import LoadReport, read

    report = LoadReport()
    yield from read(paths, (), report, folders=folders)
    assert report.bad == []


async def test_a_second_folder_of_the_name_is_added_beside_the_first(
    one: Path, two: Path, directory: Path, embedder: Fake
) -> None:
    assert await put(directory, embedder, one) == []
    [warning] = await put(directory, embedder, two)
    assert "its documents are named 'two/docs'" in warning
    assert sources(directory) == ["docs/a.md", "two/docs/a.md", "two/docs/b.md"]
    # Each is known again, alone and together.
    for paths in ([one], [two], [two, one]):
        assert await put(directory, embedder, *paths) == []
    assert len(sources(directory)) == 3
    # So is a single file of it.
    await put(directory, embedder, file(two / "deep" / "c.md"))
    assert sources(directory)[-1] == "two/docs/deep/c.md"


async def test_the_name_of_a_removed_folder_is_free(
    one: Path, two: Path, directory: Path, embedder: Fake
) -> None:
    other = file(one.parent / "other" / "x.md").parent
    await put(directory, embedder, one, other)
    await remove(["docs"], directory=directory)
    assert await put(directory, embedder, two) == []
    assert sources(directory) == ["docs/a.md", "docs/b.md", "other/x.md"]


async def test_a_folder_that_was_moved_keeps_its_name(
    one: Path, directory: Path, embedder: Fake, tmp_path: Path
) -> None:
    await put(directory, embedder, one)
    (tmp_path / "new").mkdir()
    moved = one.rename(tmp_path / "new" / "docs")
    assert await put(directory, embedder, moved) == []
    assert sources(directory) == ["docs/a.md"]


async def test_an_index_that_is_copied_with_its_folder_knows_it(
    one: Path, embedder: Fake, tmp_path: Path
) -> None:
    await put(one.parent / "index", embedder, one)
    shutil.copytree(one.parent, tmp_path / "elsewhere" / "copy")
    copy = tmp_path / "elsewhere" / "copy"
    assert await put(copy / "index", embedder, copy / "docs") == []
    assert sources(copy / "index") == ["docs/a.md"]


async def test_no_path_of_the_machine_is_in_the_index(
    one: Path, two: Path, directory: Path, embedder: Fake
) -> None:
    await put(directory, embedder, one, two)
    written = (directory / "folders.json").read_text()
    assert str(one.parent.parent) not in written


def test_names_never_overlap(tmp_path: Path) -> None:
    """`a` has a folder `docs`: another folder `docs` in another folder `a` is not `a/docs`."""
    first = file(tmp_path / "x" / "a" / "docs" / "1.md").parents[1]
    second = file(tmp_path / "y" / "a" / "docs" / "1.md").parent
    third = file(tmp_path / "z" / "docs" / "1.md").parent
    found = [document.source for document in load([first, second, third]).documents]
    assert found == ["a/docs/1.md", "y/a/docs/1.md", "z/docs/1.md"]
