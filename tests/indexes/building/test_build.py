from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.state.errors import CorpusError, EmbeddingMismatchError, IndexMissingError, UsageError

from ..builds import Fake, MakeDocuments, changed, counts, documents, index, state

__all__ = ("documents", "index")


async def test_a_first_build(directory: Path, documents: list[Document], embedder: Fake) -> None:
    stages: dict[str, tuple[int, int]] = {}

    report = await build(
        documents,
        directory=directory,
        embedder=embedder,
        progress=lambda stage, done, total: stages.update({stage: (done, total)}),
    )

    assert counts(report) == (10, 0, 0, 0, 10)
    assert (report.passages, report.bad) == (10, [])
    assert stages == dict.fromkeys(("read", "passages", "embed", "dense", "sparse"), (10, 10))
    manifest = read_manifest(directory)
    assert (manifest.generation, manifest.embedding, manifest.chunk_tokens) == (1, "fake", 64)
    assert manifest.kinds == ("dense", "sparse")
    assert manifest.counts["documents"] == manifest.counts["vectors"] == 10
    assert {name.split("/")[0] for name in manifest.files} == {"dense", "fields", "sparse"}


async def test_a_build_that_changes_nothing_writes_nothing(
    index: Path, documents: list[Document], embedder: Fake
) -> None:
    before = state(index)

    report = await build(documents, directory=index, embedder=embedder)

    assert counts(report) == (0, 0, 0, 10, 0)
    assert report.passages == 10
    assert state(index) == before


async def test_a_build_makes_the_index_equal_to_what_is_given(
    index: Path, documents: list[Document], embedder: Fake
) -> None:
    new = Document("new", "New", "A new one.")

    report = await build(
        [changed(documents[0]), *documents[1:8], new], directory=index, embedder=embedder
    )

    assert counts(report) == (1, 1, 2, 7, 2)
    assert sorted(embedder.embedded) == ["New\nA new one.", "Page 0\nSomething else than d0000."]
    with Index.open(index, embedder) as opened:
        assert opened.corpus.passage_ids() == [f"d{number:04d}" for number in range(8)] + ["new"]
        assert opened.passages(["d0000"])[0].text == "Something else than d0000."
        assert len(opened.reader("dense").search(embedder.embed_query("New"), 100)) == 9
        assert [name for name, _ in opened.reader("sparse").search("new", 9)] == ["new"]


async def test_metadata_alone_needs_no_embedding(
    index: Path, documents: list[Document], embedder: Fake
) -> None:
    report = await add(
        [replace(documents[0], metadata={"number": 99})], directory=index, embedder=embedder
    )

    assert counts(report) == (0, 1, 0, 0, 0)
    with Index.open(index, embedder) as opened:
        assert opened.corpus.documents(["d0000"])[0].metadata == {"number": 99}


async def test_add_updates_adds_and_leaves_the_rest(
    index: Path, documents: list[Document], embedder: Fake
) -> None:
    new = Document("new", "New", "A new one.")

    report = await add(
        [changed(documents[0]), documents[1], new], directory=index, embedder=embedder
    )

    assert counts(report) == (1, 1, 0, 1, 2)
    assert report.passages == 11


async def test_an_index_reached_step_by_step_equals_one_built_at_once(
    index: Path, make_documents: MakeDocuments, embedder: Fake, tmp_path: Path
) -> None:
    documents = make_documents(12)
    await remove(["d0003"], directory=index)
    await add(documents[10:], directory=index, embedder=embedder)
    at_once = tmp_path / "at_once"
    await build(documents[:3] + documents[4:], directory=at_once, embedder=embedder)

    def derived(directory: Path) -> dict[str, bytes]:
        folder = directory / f"gen-{read_manifest(directory).generation:07d}"
        return {
            file.relative_to(folder).as_posix(): file.read_bytes()
            for file in folder.rglob("*")
            if file.is_file()
        }

    assert derived(index) == derived(at_once)


async def test_remove_needs_no_model(index: Path, embedder: Fake) -> None:
    report = await remove(["d0001", "d0002"], directory=index)

    assert counts(report) == (0, 0, 2, 0, 0)
    with Index.open(index) as opened:
        assert opened.corpus.counts() == {"documents": 8, "passages": 8}
        assert opened.reader("sparse").search("Page 1", 10) != []
        with pytest.raises(IndexMissingError, match="'d0001' is not in the index"):
            opened.passages(["d0001"])


async def test_remove_of_an_unknown_document_removes_nothing(index: Path) -> None:
    before = state(index)

    with pytest.raises(UsageError, match="is named 'nope'"):
        await remove(["d0001", "nope"], directory=index)

    assert state(index) == before


async def test_an_index_is_never_emptied(
    index: Path, documents: list[Document], embedder: Fake
) -> None:
    before = state(index)

    with pytest.raises(CorpusError, match="would hold no document"):
        await remove([document.id for document in documents], directory=index)
    with pytest.raises(CorpusError, match="would hold no document"):
        await build([], directory=index, embedder=embedder)

    assert state(index) == before


async def test_bad_documents_are_left_out_and_named(directory: Path, embedder: Fake) -> None:
    long = Document("long", "Title", "word " * 70, source="corpus.jsonl")
    good = Document("good", "Title", "text")

    report = await build(
        [long, good, good, replace(good, text="other")],
        directory=directory,
        embedder=embedder,
        chunk_tokens=0,
    )

    assert (report.added, report.passages) == (1, 1)
    assert [item.source for item in report.bad] == ["corpus.jsonl", "good"]
    assert "'long' has 71 tokens" in report.bad[0].reason
    assert "'good' is taken by another text" in report.bad[1].reason


async def test_a_corpus_of_bad_documents_alone(directory: Path, embedder: Fake) -> None:
    with pytest.raises(CorpusError, match=r"would hold no document \(x: .* has no text"):
        await build([Document("x", "", " ")], directory=directory, embedder=embedder)


async def test_another_chunk_length_cuts_again(
    index: Path, documents: list[Document], embedder: Fake
) -> None:
    report = await build(documents, directory=index, embedder=embedder, chunk_tokens=4)

    assert report.updated == 10
    assert report.passages > 10
    assert read_manifest(index).chunk_tokens == 4
    assert (await add(documents, directory=index, embedder=embedder)).unchanged == 10


async def test_add_with_another_model_is_refused_and_build_takes_it(
    index: Path, documents: list[Document], make_embedder: Callable[..., Fake]
) -> None:
    other = make_embedder("other", dimension=8)
    before = state(index)

    with pytest.raises(EmbeddingMismatchError, match="model 'fake', not 'other'"):
        await add(documents, directory=index, embedder=other)
    with pytest.raises(EmbeddingMismatchError, match="model 'fake', not 'other'"):
        Index.open(index, other)
    assert state(index) == before

    report = await build(documents, directory=index, embedder=other)

    assert report.embedded == 10
    with Index.open(index, other) as opened:
        assert len(opened.reader("dense").search(other.embed_query("river"), 20)) == 10


async def test_a_model_that_changed_under_its_name_embeds_again(
    index: Path, documents: list[Document], make_embedder: Callable[..., Fake]
) -> None:
    wider = make_embedder(dimension=48)

    with pytest.raises(EmbeddingMismatchError, match="now gives 48"):
        await add(documents, directory=index, embedder=wider)

    assert (await build(documents, directory=index, embedder=wider)).embedded == 10


async def test_without_dense_nothing_is_embedded(
    directory: Path, documents: list[Document], embedder: Fake
) -> None:
    report = await build(documents, directory=directory, embedder=embedder, kinds=["sparse"])

    assert report.embedded == 0
    with (
        Index.open(directory, embedder) as opened,
        pytest.raises(IndexMissingError, match=r"no dense part: .* --with sparse,dense"),
    ):
        opened.reader("dense")

    assert (await build(documents, directory=directory, embedder=embedder)).embedded == 10


async def test_add_and_remove_need_an_index(directory: Path, embedder: Fake) -> None:
    with pytest.raises(IndexMissingError, match="no index in"):
        await add([], directory=directory, embedder=embedder)
    with pytest.raises(IndexMissingError, match="no index in"):
        await remove([], directory=directory)
    assert not directory.exists()


async def test_a_directory_of_something_else_is_left_alone(
    directory: Path, documents: list[Document], embedder: Fake
) -> None:
    directory.mkdir()
    (directory / "thesis.tex").write_text("mine")

    with pytest.raises(UsageError, match="is not empty and not an index"):
        await build(documents, directory=directory, embedder=embedder)
    with pytest.raises(UsageError, match=r"cannot be made \(File exists\)"):
        await build(documents, directory=directory / "thesis.tex", embedder=embedder)

    assert [file.name for file in directory.iterdir()] == ["thesis.tex"]


async def test_a_long_document_tells_how_many_passages_it_will_have(
    directory: Path, embedder: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.building.documents._TOLD", 10)
    told: list[tuple[int, int]] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "passages":
            told.append((done, total))

    documents = [
        Document("a", "", "Short."),
        Document("b", "", "".join(f"Sentence {number} of the long one. " for number in range(999))),
    ]
    report = await build(
        documents, directory=directory, embedder=embedder, kinds=["sparse"], progress=progress
    )

    assert told[0] == (1, 0)
    assert told[-2:] == [(report.passages, 0), (report.passages, report.passages)]
    between = told[1:-2]
    assert [done for done, _ in between] == list(range(11, report.passages, 10))
    assert all(abs(total - report.passages) <= 0.1 * report.passages for _, total in between)
