"""LangChain vector stores as the dense part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

import hopyard
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.dense import reader as dense_reader
from hopyard.indexes.kinds.dense.hnsw import DenseIndex
from hopyard.indexes.kinds.dense.stored import StoredIndex
from hopyard.indexes.kinds.dense.vector_store import VECTOR_STORES
from hopyard.indexes.status import status
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError, UsageError
from hopyard.testing import DOCUMENTS, WordEmbedder, word_vector

STORES = ("memory", "lancedb")
NAMES = [f"p{number:02}" for number in range(60)]


@pytest.fixture(scope="module")
def vectors() -> Any:
    return np.stack([word_vector(f"word {name}") for name in NAMES])


@pytest.fixture(autouse=True)
def words() -> None:
    hopyard.register_embedding("words", WordEmbedder())


@pytest.fixture(params=STORES)
def reader(request: pytest.FixtureRequest, tmp_path: Path, vectors: Any) -> Iterator[StoredIndex]:
    np.save(tmp_path / "vectors.npy", vectors)
    StoredIndex.build(tmp_path, request.param, NAMES, vectors)
    opened = StoredIndex.load(tmp_path)
    yield opened
    opened.close()


class TestStoredIndex:
    def test_it_finds_what_faiss_finds(self, reader: StoredIndex, vectors: Any) -> None:
        faiss = DenseIndex.build(NAMES, vectors)
        for query in ("word p07", "p03 p04", "something else"):
            vector = word_vector(query)
            expected, found = faiss.search(vector, 5), reader.search(vector, 5)
            assert [name for name, _ in found] == [name for name, _ in expected]
            assert [score for _, score in found] == pytest.approx([score for _, score in expected])
            assert reader.background(vector) == pytest.approx(faiss.background(vector), abs=1e-6)
        assert np.allclose(reader.vectors(["p09", "p00"]), vectors[[9, 0]])
        assert (len(reader), reader.dimension) == (60, 32)

    @pytest.mark.parametrize("compared", [0, 20_000])
    def test_a_filter(
        self, reader: StoredIndex, monkeypatch: pytest.MonkeyPatch, compared: int
    ) -> None:
        monkeypatch.setattr(dense_reader, "COMPARED", compared)
        allowed = frozenset(NAMES[40:]) | {"not there"}
        found = reader.search(word_vector("word p07"), 4, allowed)
        assert len(found) == 4
        assert {name for name, _ in found} < allowed
        assert len(reader.search(word_vector("word p07"), 99, allowed)) == 20

    def test_what_cannot_be_looked_up(self, reader: StoredIndex) -> None:
        with pytest.raises(EmbeddingMismatchError):
            reader.search(np.ones(3, np.float32), 1)
        with pytest.raises(IndexMissingError, match="'p99'"):
            reader.vectors(["p99"])


@pytest.mark.parametrize("store", STORES)
def test_an_index_is_built_extended_and_searched(tmp_path: Path, store: str) -> None:
    index = tmp_path / "index"
    hopyard.build_index(index, DOCUMENTS, embedding="words", chunk_tokens=0, vectors=store)
    assert status(index).kinds["dense"]["vectors"] == store
    hopyard.add_documents(index, Document("The Tay Bridge fell in 1879.", id="tay"))
    assert status(index).kinds["dense"]["vectors"] == store  # it stays where it is
    hop = hopyard.Hopyard(index, embedding="words", k=2)
    for method in ("dense", "mmr", "hybrid"):
        found = hop.search("When did the Tay Bridge fall?", search=method)
        assert found[0].id == "tay", method
    filtered = hop.search("Bridge", search="dense", where="title=Danube")
    assert [unit.id for unit in filtered] == ["danube"]
    with Index.open(index, WordEmbedder()):
        pass  # no file changed while it was read
    hopyard.build_index(index, DOCUMENTS, embedding="words", chunk_tokens=0)
    assert "dense" not in status(index).kinds  # FAISS


class Embedding(InMemoryVectorStore):
    """A store that has no search by vector."""

    def similarity_search_by_vector(self, embedding: Any, k: int = 4, **_: Any) -> Any:
        raise NotImplementedError

    def similarity_search(self, query: str, k: int = 4, **_: Any) -> Any:
        return super().similarity_search_by_vector(self.embedding.embed_query(query), k)


def test_a_store_of_ones_own(tmp_path: Path) -> None:
    def open_store(folder: Path, embeddings: Any) -> VectorStore:
        path = folder / "mine.json"
        return Embedding.load(str(path), embeddings) if path.exists() else Embedding(embeddings)

    def save(store: Any, folder: Path) -> None:
        store.dump(str(folder / "mine.json"))

    hopyard.register_vector_store("mine", open_store, save)
    try:
        index = tmp_path / "index"
        hopyard.build_index(index, DOCUMENTS, embedding="words", chunk_tokens=0, vectors="mine")
        hop = hopyard.Hopyard(index, embedding="words", k=1)
        assert hop.search("the Iron Bridge opened", search="dense")[0].id == "iron-bridge"
    finally:
        VECTOR_STORES.unregister("mine")
    with pytest.raises(UsageError, match="no vector store 'mine'"):
        hopyard.Hopyard(index, embedding="words").search("Bridge", search="dense")


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="choose one of faiss, pgvector, lancedb, memory"):
        hopyard.build_index(tmp_path / "index", DOCUMENTS, embedding="words", vectors="nothing")


def test_damaged_files(tmp_path: Path, vectors: Any) -> None:
    np.save(tmp_path / "vectors.npy", vectors)
    StoredIndex.build(tmp_path, "memory", NAMES, vectors)
    (tmp_path / "vectors.npy").write_bytes(b"\x93NUMPY")
    with pytest.raises(IndexMissingError, match=r"vectors\.npy"):
        StoredIndex.load(tmp_path)
