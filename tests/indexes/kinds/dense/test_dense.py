from __future__ import annotations

from pathlib import Path

import faiss
import numpy as np
import pytest

from hopyard.indexes.kinds.dense.hnsw import INDEX_FILE, DenseIndex
from hopyard.models.embedder import Vectors
from hopyard.state.errors import EmbeddingMismatchError, IndexMissingError


def unit_rows(count: int, dimension: int, seed: int = 0) -> Vectors:
    """Vectors in clusters, as embeddings are."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(20, dimension))
    vectors = centres[random.integers(20, size=count)] + random.normal(size=(count, dimension))
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def recall(index: DenseIndex, vectors: Vectors, queries: Vectors, k: int) -> float:
    """Part of the true k nearest that the index finds."""
    names = [f"p{row:04d}" for row in range(len(vectors))]
    found = 0
    for query in queries:
        exact = {names[row] for row in np.argsort(-(vectors @ query), kind="stable")[:k]}
        found += len(exact & {name for name, _ in index.search(query, k)})
    return found / (k * len(queries))


@pytest.fixture
def small() -> DenseIndex:
    vectors = np.array([[1, 0], [0.6, 0.8], [0, 1], [0.6, 0.8]], dtype=np.float32)
    return DenseIndex.build(["a", "d", "c", "b"], vectors)


def test_search_by_hand(small: DenseIndex) -> None:
    found = small.search(np.array([1, 0], dtype=np.float32), 3)

    assert [name for name, _ in found] == ["a", "b", "d"]  # b and d are equally near
    assert [score for _, score in found] == pytest.approx([1, 0.6, 0.6])
    assert all(type(score) is float for _, score in found)


def test_k_above_the_number_of_passages(small: DenseIndex) -> None:
    assert len(small.search(np.array([1, 0], dtype=np.float32), 100)) == 4


def test_vectors_come_in_the_order_asked_for(small: DenseIndex) -> None:
    assert small.vectors(["c", "a", "c"]).tolist() == [[0, 1], [1, 0], [0, 1]]
    assert small.vectors([]).shape == (0, 2)


def test_an_unknown_passage(small: DenseIndex) -> None:
    with pytest.raises(IndexMissingError, match="'x' is not in the dense index"):
        small.vectors(["a", "x"])


def test_a_vector_of_another_dimension(small: DenseIndex) -> None:
    with pytest.raises(EmbeddingMismatchError, match=r"shape \(3,\) .* dimension 2"):
        small.search(np.ones(3, dtype=np.float32), 1)


def test_recall_against_exact_search() -> None:
    vectors = unit_rows(2000, 64)
    index = DenseIndex.build([f"p{row:04d}" for row in range(2000)], vectors)

    assert recall(index, vectors, unit_rows(100, 64, seed=1), k=10) >= 0.99


def test_recall_with_many_copies_of_one_passage() -> None:
    vectors = unit_rows(1000, 64)
    vectors[::2] = vectors[0]
    index = DenseIndex.build([f"p{row:04d}" for row in range(1000)], vectors)

    # The nearest of a passage is itself, also among five hundred copies of another.
    assert recall(index, vectors, vectors[1::2], k=1) == 1


def test_the_same_vectors_give_the_same_file(tmp_path: Path) -> None:
    vectors = unit_rows(500, 16)
    threads = faiss.omp_get_max_threads()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        DenseIndex.build([str(row) for row in range(500)], vectors).save(tmp_path / name)

    one, two = ((tmp_path / name / INDEX_FILE).read_bytes() for name in ("one", "two"))
    assert one == two
    assert faiss.omp_get_max_threads() == threads


def test_save_and_load(small: DenseIndex, tmp_path: Path) -> None:
    query = np.array([0.8, 0.6], dtype=np.float32)
    small.save(tmp_path)

    loaded = DenseIndex.load(tmp_path)

    assert loaded.search(query, 4) == small.search(query, 4)
    assert (len(loaded), loaded.dimension) == (4, 2)
    assert loaded.vectors(["b"]).tolist() == loaded.vectors(["d"]).tolist()


@pytest.mark.parametrize("content", [None, b"", b"no index", b"half"])
def test_a_damaged_file_is_named(small: DenseIndex, tmp_path: Path, content: bytes | None) -> None:
    small.save(tmp_path)
    file = tmp_path / INDEX_FILE
    if content is None:
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:100] if content == b"half" else content)

    with pytest.raises(IndexMissingError, match=r"hnsw\.faiss.*hopyard index build"):
        DenseIndex.load(tmp_path)


@pytest.mark.parametrize("content", ["[1]", "{}", '[["a"]', '[["a"]]'])
def test_damaged_ids(small: DenseIndex, tmp_path: Path, content: str) -> None:
    small.save(tmp_path)
    (tmp_path / "ids.json").write_text(content)

    with pytest.raises(IndexMissingError, match="hopyard index build"):
        DenseIndex.load(tmp_path)
