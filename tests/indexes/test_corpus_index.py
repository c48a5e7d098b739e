from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import add, build
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS
from hopyard.indexes.status import status
from hopyard.models.embedder import Embedder
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError, UsageError


@pytest.fixture
async def built(
    directory: Path, embedder: Embedder, make_documents: Callable[[int], list[Document]]
) -> Path:
    await build(make_documents(40), directory=directory, embedder=embedder)
    return directory


@pytest.fixture
def index(built: Path, embedder: Embedder) -> Iterator[Index]:
    with Index.open(built, embedder) as index:
        yield index


def test_passages_in_the_order_of_a_search(index: Index) -> None:
    ids = [name for name, _ in index.reader("sparse").search("castle", 3)]

    assert [passage.id for passage in index.passages(ids)] == ids
    assert all("castle" in passage.text for passage in index.passages(ids))


async def test_neighbours_in_a_document(directory: Path, embedder: Embedder) -> None:
    documents = [Document(name, "", " ".join(f"{name}{n}." for n in range(6))) for name in "ab"]
    await build(documents, directory=directory, embedder=embedder, chunk_tokens=2)

    with Index.open(directory) as index:
        ids = {passage.text: passage.id for passage in index.corpus.passages()}

        def texts(*arguments: int) -> list[str]:
            return [passage.text for passage in index.neighbours(ids["a2."], *arguments)]

        assert texts() == ["a1.", "a2.", "a3."]
        assert texts(2, 0) == ["a0.", "a1.", "a2."]
        assert texts(9, 9) == [f"a{n}." for n in range(6)]
        with pytest.raises(IndexMissingError, match="'nope' is not in the index"):
            index.neighbours("nope")


async def test_neighbours_are_those_of_the_generation(directory: Path, embedder: Embedder) -> None:
    async def write(*texts: str) -> None:
        document = Document("a", "", " ".join(texts))
        await build([document], directory=directory, embedder=embedder, chunk_tokens=2)

    await write("one.", "two.", "three.")
    with Index.open(directory) as before:
        await write("one.", "four.", "three.")
        [name] = [passage.id for passage in before.corpus.passages() if passage.text == "one."]
        with Index.open(directory) as after:
            assert [passage.text for passage in before.neighbours(name)] == ["one.", "two."]
            assert [passage.text for passage in after.neighbours(name)] == ["one.", "four."]


def test_any_thread_may_search(index: Index, embedder: Embedder) -> None:
    texts = [f"castle of king {number}" for number in range(40)]

    def search(text: str) -> list[str]:
        found = index.reader("dense").search(embedder.embed_query(text), 5)
        found += index.reader("sparse").search(text, 5)
        return [passage.text for passage in index.passages([name for name, _ in found])]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(search, texts)) == [search(text) for text in texts]


def test_a_kind_is_opened_when_it_is_needed_and_once(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    for kind in ("dense", "sparse"):

        def slow(folder: Path, kind: str = kind, open_: Any = KINDS[kind].open) -> Any:
            opened.append(kind)
            time.sleep(0.05)
            return open_(folder)

        monkeypatch.setattr(KINDS[kind], "open", slow)

    with Index.open(built) as index:
        assert opened == []
        together = threading.Barrier(4)
        with ThreadPoolExecutor(4) as threads:
            asked = [
                threads.submit(lambda: (together.wait(), index.reader("sparse"))) for _ in range(4)
            ]
            readers = {id(done.result()[1]) for done in asked}
        assert opened == ["sparse"]
        assert len(readers) == 1


def test_a_kind_that_the_index_lacks(index: Index) -> None:
    assert index.has("dense")
    assert not index.has("passage-graph")
    with pytest.raises(
        IndexMissingError,
        match=r"has no passage-graph part, which hop needs: .* --with dense,sparse,passage-graph",
    ):
        index.reader("passage-graph", "hop")
    with pytest.raises(IndexMissingError, match="--with dense,sparse,entity-graph,communities`"):
        index.reader("communities", "global")


def test_a_kind_whose_package_is_gone_is_only_missed_when_it_is_needed(index: Index) -> None:
    manifest = index.manifest.model_copy(update={"kinds": ("dense", "sparse", "colbert")})
    index.manifest = manifest

    assert index.reader("sparse").search("castle", 1)
    with pytest.raises(UsageError, match=r"no index kind 'colbert'.*install the package"):
        index.reader("colbert")


def test_a_reader_that_does_not_fit_its_corpus(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Index.open(built) as index:
        monkeypatch.setitem(index.manifest.counts, "passages", 41)
        with pytest.raises(
            IndexMissingError, match=r"sparse' holds 40 passages, not 41: run `hopyard index build"
        ):
            index.reader("sparse")


def test_to_open_an_index_embeds_nothing(built: Path) -> None:
    class Remote:
        """A model on a server, whose dimension is learnt by asking it."""

        name = "fake"

        @property
        def dimension(self) -> int:
            raise AssertionError("the server was asked")

    with Index.open(built, Remote()) as index:  # type: ignore[arg-type]
        assert index.reader("sparse").search("castle", 1)


def test_another_embedding_model_is_named(
    built: Path, make_embedder: Callable[..., Embedder]
) -> None:
    with pytest.raises(EmbeddingMismatchError, match="model 'fake', not 'other'"):
        Index.open(built, make_embedder("other"))


async def test_a_build_that_ends_during_opening_is_no_error(
    built: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    from asyncio import run

    load = Index._load.__func__  # type: ignore[attr-defined]
    generations: list[int] = []

    def slow(cls: type[Index], directory: Path, manifest: Any) -> Index:
        generations.append(manifest.generation)
        if manifest.generation == 1:
            for number in range(2):
                document = Document(f"n{number}", "", "new")
                with ThreadPoolExecutor(1) as thread:
                    addition = add([document], directory=built, embedder=embedder)
                    thread.submit(run, addition).result()
        return load(cls, directory, manifest)  # type: ignore[no-any-return]

    monkeypatch.setattr(Index, "_load", classmethod(slow))

    with Index.open(built, embedder) as opened:
        assert opened.corpus.counts()["documents"] == 42
    assert generations == [1, 3]


@pytest.mark.parametrize(
    "file", ["dense/vectors.npy", "dense/ids.npy", "sparse/terms.npy", "sparse/ids.npy"]
)
@pytest.mark.parametrize("damage", ["missing", "short", "scrambled"])
def test_damaged_files_are_named(built: Path, embedder: Embedder, file: str, damage: str) -> None:
    path = built / "gen-0000001" / file
    data = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(data[:-1] if damage == "short" else bytes(len(data)))

    expected = pytest.raises(IndexMissingError, match=r"gen-0000001/\w+.*hopyard index build")
    with expected, Index.open(built, embedder) as index:
        index.reader(file.partition("/")[0])


def test_status(built: Path) -> None:
    summary = status(built)

    assert summary.manifest.counts["documents"] == 40
    assert summary.bytes > 40 * 32 * 4
    assert (summary.kinds, summary.unfinished, summary.model) == ({}, (), "")
    (built / "gen-0000001" / "sparse" / "ids.npy").unlink()
    with pytest.raises(IndexMissingError, match=r"ids\.npy' is missing"):
        status(built)
    with pytest.raises(IndexMissingError, match="no index in"):
        status(built / "nowhere")
