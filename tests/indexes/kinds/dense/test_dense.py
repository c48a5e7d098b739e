from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.building import run
from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds import dense
from hopyard.indexes.kinds.dense import reader
from hopyard.indexes.kinds.dense.flat import FlatIndex
from hopyard.indexes.kinds.dense.ivf import IvfIndex
from hopyard.indexes.kinds.dense.reader import DenseReader
from hopyard.models.embedder import Embedder, Vectors
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError
from hopyard.state.settings.fields import Context


def unit_rows(count: int, dimension: int, seed: int = 0) -> Vectors:
    """Vectors in clusters, as embeddings are."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(20, dimension))
    vectors = centres[random.integers(20, size=count)] + random.normal(size=(count, dimension))
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def recall(
    index: DenseReader, vectors: Vectors, queries: Vectors, k: int, ids: Sequence[str] = ()
) -> float:
    """Part of the true k nearest that the index finds."""
    names = ids or [f"p{row:04d}" for row in range(len(vectors))]
    found = 0
    for query in queries:
        exact = {names[row] for row in np.argsort(-(vectors @ query), kind="stable")[:k]}
        found += len(exact & {name for name, _ in index.search(query, k)})
    return found / (k * len(queries))


def save(index: FlatIndex, folder: Path) -> None:
    """Write an index and its vectors, as a build does."""
    np.save(folder / "vectors.npy", index.vectors_at(np.arange(len(index))))
    index.save(folder)


@pytest.fixture
def small() -> FlatIndex:
    vectors = np.array([[1, 0], [0.6, 0.8], [0, 1], [0.6, 0.8]], dtype=np.float32)
    return FlatIndex.build(["a", "b", "c", "d"], vectors)


def test_search_by_hand(small: FlatIndex) -> None:
    found = small.search(np.array([1, 0], dtype=np.float32), 3)

    assert [name for name, _ in found] == ["a", "b", "d"]  # b and d are equally near
    assert [score for _, score in found] == pytest.approx([1, 0.6, 0.6])
    assert all(type(score) is float for _, score in found)


def test_k_above_the_number_of_passages(small: FlatIndex) -> None:
    assert len(small.search(np.array([1, 0], dtype=np.float32), 100)) == 4


def test_vectors_come_in_the_order_asked_for(small: FlatIndex) -> None:
    assert small.vectors(["c", "a", "c"]).tolist() == [[0, 1], [1, 0], [0, 1]]
    assert small.vectors([]).shape == (0, 2)


def test_an_unknown_passage(small: FlatIndex) -> None:
    with pytest.raises(IndexMissingError, match="'x' is not in the dense index"):
        small.vectors(["a", "x"])


def test_a_vector_of_another_dimension(small: FlatIndex) -> None:
    with pytest.raises(EmbeddingMismatchError, match=r"shape \(3,\) .* dimension 2"):
        small.search(np.ones(3, dtype=np.float32), 1)


def test_the_nearest_are_exact_and_equals_are_in_the_order_of_their_ids() -> None:
    vectors = unit_rows(1001, 64)
    vectors[::2] = vectors[0]  # a footer that half of the pages have
    ids = [f"p{row:04d}" for row in range(1001)]
    index = FlatIndex.build(ids, vectors)

    assert recall(index, vectors, unit_rows(50, 64, seed=1), k=10) == 1
    assert [name for name, _ in index.search(vectors[0], 5)] == ids[0:10:2]
    assert [name for name, _ in index.search(vectors[0], 5, frozenset(ids[4:]))] == ids[4:14:2]


def test_save_and_load(small: FlatIndex, tmp_path: Path) -> None:
    query = np.array([0.8, 0.6], dtype=np.float32)
    save(small, tmp_path)

    loaded = FlatIndex.load(tmp_path)

    assert loaded.search(query, 4) == small.search(query, 4)
    assert (len(loaded), loaded.dimension) == (4, 2)
    assert loaded.vectors(["b"]).tolist() == loaded.vectors(["d"]).tolist()


@pytest.mark.parametrize("numbers", [True, False])
def test_a_graph_of_an_older_version_is_read(
    small: FlatIndex, tmp_path: Path, numbers: bool
) -> None:
    """Its graph has equal vectors once; an index that never changed had no numbers."""
    graph = faiss.IndexHNSWFlat(2, 32, faiss.METRIC_INNER_PRODUCT)
    graph.add(small.vectors(["a", "b", "c"]))
    faiss.write_index(graph, str(tmp_path / "hnsw.faiss"))
    small.save(tmp_path)
    if not numbers:
        (tmp_path / "numbers.npy").unlink()
    np.save(tmp_path / "rows.npy", np.array([0, 1, 2, 1], np.int32))
    query = np.array([0.8, 0.6], dtype=np.float32)

    assert FlatIndex.load(tmp_path).search(query, 4) == small.search(query, 4)
    np.save(tmp_path / "rows.npy", np.array([0, 1, 2, 3], np.int32))
    with pytest.raises(IndexMissingError, match=r"hnsw\.faiss.*hopyard index build"):
        FlatIndex.load(tmp_path)


@pytest.mark.parametrize("content", [None, b"", b"no index", b"half"])
def test_a_damaged_file_is_named(small: FlatIndex, tmp_path: Path, content: bytes | None) -> None:
    save(small, tmp_path)
    file = tmp_path / "vectors.npy"
    if content is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:100] if content == b"half" else content)

    with pytest.raises(IndexMissingError, match=r"vectors\.npy.*hopyard index build"):
        FlatIndex.load(tmp_path)


@pytest.mark.parametrize("file", ["ids.npy", "ids-bounds.npy", "numbers.npy"])
@pytest.mark.parametrize("array", [np.arange(3, dtype=np.int32), np.zeros(2, dtype=np.uint8)])
def test_damaged_ids(
    small: FlatIndex, tmp_path: Path, file: str, array: NDArray[np.integer[Any]]
) -> None:
    save(small, tmp_path)
    np.save(tmp_path / file, array)

    with pytest.raises(IndexMissingError, match="hopyard index build"):
        FlatIndex.load(tmp_path)


def test_inverted_lists_find_the_exact_neighbours(tmp_path: Path) -> None:
    vectors = unit_rows(3000, 64)
    ids = [f"p{row:04d}" for row in range(3000)]
    np.save(tmp_path / "vectors.npy", vectors)
    IvfIndex.build(ids, vectors).save(tmp_path)
    index = IvfIndex.load(tmp_path)

    questions = unit_rows(50, 64, seed=1)
    assert recall(index, vectors, questions, k=10) >= 0.95
    nearest, cosine = index.search(vectors[7], 1)[0]
    assert (nearest, cosine) == ("p0007", pytest.approx(1, abs=1e-6))
    assert len(index.search(questions[0], 2500)) == 2500  # more lists are read for a large k
    assert index.vectors(["p0003"]).tolist() == vectors[[3]].tolist()


def test_inverted_lists_keep_to_a_filter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = unit_rows(3000, 64)
    ids = [f"p{row:04d}" for row in range(3000)]
    index = IvfIndex.build(ids, vectors)
    question, allowed = unit_rows(1, 64, seed=1)[0], frozenset(ids[::3])
    exact = index.search(question, 10, allowed)
    best = 3 * np.argsort(-(vectors[::3] @ question), kind="stable")[:10]
    assert [name for name, _ in exact] == [ids[row] for row in best]
    monkeypatch.setattr(reader, "COMPARED", 10)
    assert {name for name, _ in index.search(question, 10, allowed)} <= allowed
    few = frozenset(ids[:12])
    assert {name for name, _ in index.search(question, 20, few)} == few
    np.save(tmp_path / "vectors.npy", vectors)
    index.save(tmp_path)
    (tmp_path / "ivf.faiss").write_bytes(b"no index")
    with pytest.raises(IndexMissingError, match=r"ivf\.faiss.*hopyard index build"):
        IvfIndex.load(tmp_path)


def test_removed_passages_hide_no_others(tmp_path: Path) -> None:
    vectors = unit_rows(2000, 16)
    vectors[:150] = vectors[0]  # more than the lists propose for a question
    ids = [f"p{row:04d}" for row in range(2000)]
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
    np.save(first / "vectors.npy", vectors)
    IvfIndex.build(ids, vectors).save(first)
    nothing = np.empty((0, 0), dtype=np.float32)
    assert IvfIndex.load(first).extend(first, second, ids[:150], [], nothing)
    index = IvfIndex.load(second)
    assert len(index) == 1850
    assert recall(index, vectors[150:], vectors[:1], 10, ids[150:]) >= 0.9


@given(st.data())
def test_a_grown_index_finds_what_all_vectors_give(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Of passages with few different vectors some are removed and others added, three times."""
    kinds = unit_rows(6, 4)
    held = {f"p{row:02}": row % 6 for row in range(40)}
    folder = tmp_path_factory.mktemp("first")
    save(FlatIndex.build(sorted(held), kinds[[held[name] for name in sorted(held)]]), folder)
    for turn in range(3):
        gone = data.draw(st.sets(st.sampled_from(sorted(held)), max_size=1))
        added = data.draw(st.sets(st.sampled_from([f"p0{row}b" for row in range(9)]), max_size=1))
        new = {name: data.draw(st.integers(0, 5)) for name in sorted(added - held.keys() | gone)}
        last, folder = folder, tmp_path_factory.mktemp(f"turn{turn}")
        held = {name: kind for name, kind in held.items() if name not in gone} | new
        vectors = kinds[[*new.values()]] if new else np.empty((0, 0), np.float32)
        if not FlatIndex.load(last).extend(last, folder, sorted(gone), [*new], vectors):
            return
        index, names = FlatIndex.load(folder), sorted(held)
        assert [index.ids.text(row) for row in range(len(index))] == names
        exact = kinds[[held[name] for name in names]]
        assert index.vectors(names).tolist() == exact.tolist()
        question = kinds[data.draw(st.integers(0, 5))]
        for allowed in (None, frozenset(names[::2])):
            found = index.search(question, 9, allowed)
            cosines = [float(exact[names.index(name)] @ question) for name, _ in found]
            assert [score for _, score in found] == pytest.approx(cosines, abs=1e-6)
            best = sorted(exact[[allowed is None or each in allowed for each in names]] @ question)
            assert sorted(cosines) == pytest.approx(best[-9:], abs=1e-6)
            assert len({name for name, _ in found}) == len(found)


async def test_the_size_of_a_corpus_chooses_the_index(
    embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dense, "LARGE", 4)
    documents = [Document(f"d{number}", f"Title {number}", "Text.") for number in range(5)]
    for count, kind in ((4, FlatIndex), (5, IvfIndex)):
        folder = tmp_path / str(count)
        await build(documents[:count], directory=folder, embedder=embedder)
        with Index.open(folder) as index:
            assert type(index.reader("dense")) is kind
            assert len(index.reader("dense").search(embedder.embed_query("Title 3"), 9)) == count


@pytest.mark.parametrize("large, file", [(10, "ivf.faiss"), (1000, "vectors.npy")])
async def test_a_small_change_does_not_rewrite_the_index(
    embedder: Embedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: int, file: str
) -> None:
    monkeypatch.setattr(dense, "LARGE", large)
    monkeypatch.setattr(run, "_GROWS", 10)
    documents = [Document(f"d{number:02}", f"Title {number}", "Text.") for number in range(60)]
    where: dict[str, Any] = {"directory": tmp_path, "embedder": embedder}
    await build(documents[1:41], **where)
    first = tmp_path / "gen-0000001" / "dense"

    async def check(held: list[Document], later: list[str]) -> None:
        with Index.open(tmp_path) as index:
            reader = index.reader("dense")
            found = [name for name, _ in reader.search(embedder.embed_query("Title 7"), 99)]
            assert sorted(found) == sorted(document.id for document in held)
            exact = reader.vectors(found) @ embedder.embed_query("Title 7")
            assert list(exact) == sorted(exact, reverse=True)
            for document in held:  # each is found by its own vector
                vector = reader.vectors([document.id])[0]
                assert dict(reader.search(vector, 99))[document.id] == pytest.approx(1, abs=1e-5)
            assert len(reader.search(embedder.embed_query("Text"), 9, {"d00", "d02"})) == len(later)
            folder = tmp_path / f"gen-{index.manifest.generation:07d}" / "dense"
        assert (folder / file).samefile(first / file)
        assert (folder / "more.npy").exists() == bool(later)

    await add([documents[0], Document("d07", "Title 7", "Another text.")], **where)
    os.link(tmp_path / "gen-0000002" / "dense" / file, tmp_path / "kept")
    await check(documents[:41], ["d00", "d02"])
    await remove(["d02"], directory=tmp_path)
    first = tmp_path / "gen-0000002" / "dense"
    await check([*documents[:2], *documents[3:41]], ["d00"])
    await add(documents[41:50], **where)  # more than a tenth
    assert not (tmp_path / "gen-0000004" / "dense" / file).samefile(tmp_path / "kept")


async def test_an_index_in_a_store_that_left_is_built_again(
    embedder: Embedder, tmp_path: Path
) -> None:
    where: dict[str, Any] = {"directory": tmp_path, "embedder": embedder}
    await build([Document("a", "Title 1", "Text.")], **where)
    [folder] = tmp_path.glob("gen-*/dense")
    (folder / "store.json").write_text('{"store": "lancedb"}')
    with Index.open(tmp_path) as index, pytest.raises(IndexMissingError, match="no longer used"):
        index.reader("dense")
    await build([Document("a", "Title 1", "Text.")], **where)
    with Index.open(tmp_path) as index:
        assert index.reader("dense").search(embedder.embed_query("Title 1"), 1)[0][0] == "a"


def test_a_store_that_left_is_named() -> None:
    with pytest.raises(ValueError, match="choose faiss or pgvector; LangChain's vector stores"):
        Context.model_validate({"dense": {"store": "lancedb"}})


@given(st.data())
def test_texts_are_changed_in_place(data: st.DataObject) -> None:
    texts = sorted(data.draw(st.sets(st.text("abc", max_size=3), max_size=12)))
    gone = data.draw(st.sets(st.sampled_from(range(len(texts))))) if texts else set()
    left = {text for row, text in enumerate(texts) if row not in gone}
    new = sorted(data.draw(st.sets(st.text("abc", max_size=3), max_size=6)) - left)
    changed, moved, rows = Ragged.of_texts(texts).changed(gone, new)
    found = [changed.text(row) for row in range(len(changed))]
    assert found == sorted([*left, *new])
    assert [found[row] for row in rows] == new
    assert [found[row] if row >= 0 else "" for row in moved] == [
        text if text in left else "" for text in texts
    ]
