from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.lock import hold_lock
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.state.errors import HopyardError, IndexBusyError, IndexMissingError

from ..builds import Fake, changed, counts, documents, index, state

__all__ = ("documents", "index")


async def test_readers_keep_their_generation_while_a_build_runs(
    index: Path, documents: list[Document], make_embedder: Callable[..., Fake]
) -> None:
    seen: list[tuple[str, int]] = []
    reader = Index.open(index)

    def look() -> None:
        for opened in (reader, Index.open(index)):
            text = opened.passages(["d0000"])[0].text
            seen.append((text, opened.corpus.counts()["documents"]))
            assert opened.reader("sparse").search("first", 20)
        opened.close()

    with reader:
        await add(
            [changed(documents[0]), Document("new", "", "new text")],
            directory=index,
            embedder=make_embedder(before=look),
        )
        assert seen == [(documents[0].text, 10)] * 2
        look()
        assert seen[2:] == [(documents[0].text, 10), ("Something else than d0000.", 11)]

        await remove(["new"], directory=index)
        with pytest.raises(IndexMissingError, match="open the index again"):
            reader.passages(["d0000"])

    assert sorted(path.name for path in index.glob("gen-*")) == ["gen-0000002", "gen-0000003"]


async def test_an_unfinished_build_is_taken_back(
    index: Path, documents: list[Document], embedder: Fake, make_embedder: Callable[..., Fake]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    before = {name: content for name, content in state(index).items() if "corpus" not in name}
    with pytest.raises(KeyboardInterrupt):
        await build(
            [changed(document) for document in documents[:5]],
            directory=index,
            embedder=make_embedder(before=interrupt),
        )
    (index / "gen-0000002").mkdir()

    with Index.open(index, embedder) as opened:
        assert opened.passages(["d0000"])[0].text == documents[0].text
    report = await build(documents, directory=index, embedder=embedder)

    assert counts(report) == (0, 0, 0, 10, 0)
    after = {name: content for name, content in state(index).items() if "corpus" not in name}
    assert after == before


async def test_two_builds_at_once(index: Path, documents: list[Document], embedder: Fake) -> None:
    with hold_lock(index), pytest.raises(IndexBusyError, match="being built by process"):
        await add(documents, directory=index, embedder=embedder)


@pytest.mark.parametrize(
    "file", ["gen-0000001/dense/vectors.npy", "corpus.sqlite", "manifest.json"]
)
async def test_a_build_restores_what_is_missing(
    index: Path, documents: list[Document], embedder: Fake, file: str
) -> None:
    (index / file).unlink()
    with pytest.raises(IndexMissingError, match="hopyard index build"):
        Index.open(index, embedder)

    await build(documents, directory=index, embedder=embedder)

    assert len(embedder.embedded) == (10 if file == "corpus.sqlite" else 0)
    with Index.open(index, embedder) as opened:
        assert len(opened.reader("dense").search(embedder.embed_query("river"), 20)) == 10


async def test_add_to_an_index_that_lost_its_corpus(index: Path, embedder: Fake) -> None:
    (index / "corpus.sqlite").unlink()

    with pytest.raises(IndexMissingError, match="is missing"):
        await add([Document("new", "", "text")], directory=index, embedder=embedder)


async def test_a_full_disk_is_said(
    index: Path, documents: list[Document], embedder: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("hopyard.indexes.building.run.write_manifest", full)
    with pytest.raises(HopyardError, match=r"cannot be written \(No space left.*run the same"):
        await add([changed(documents[0])], directory=index, embedder=embedder)
    monkeypatch.undo()

    report = await add([changed(documents[0])], directory=index, embedder=embedder)

    assert counts(report) == (0, 1, 0, 0, 0)  # embedded already
