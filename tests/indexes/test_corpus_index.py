from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopyard.indexes.build import add, build
from hopyard.indexes.corpus_index import Index
from hopyard.indexes.records import Document
from hopyard.indexes.searches.fusion import reciprocal_rank_fusion
from hopyard.indexes.status import status
from hopyard.models.embedder import Embedder
from hopyard.state.errors import IndexMissingError


@pytest.fixture
def built(
    directory: Path, embedder: Embedder, make_documents: Callable[[int], list[Document]]
) -> Path:
    build(make_documents(40), directory=directory, embedder=embedder)
    return directory


@pytest.fixture
def index(built: Path, embedder: Embedder) -> Iterator[Index]:
    with Index.open(built, embedder) as index:
        yield index


def ids(found: list[Any]) -> list[str]:
    return [scored.passage_id for scored in found]


def test_dense_search_is_by_cosine(index: Index, embedder: Embedder) -> None:
    ids_, vectors = index.corpus.vectors("fake")
    query = embedder.embed_query("mountain of river 11")
    cosines = vectors @ query

    found = index.dense_search(query, 5)

    assert ids(found) == [ids_[row] for row in np.argsort(-cosines, kind="stable")[:5]]
    assert [scored.score for scored in found] == pytest.approx(sorted(cosines)[:-6:-1], abs=1e-6)


def test_hybrid_search_fuses_both(index: Index, embedder: Embedder) -> None:
    text = "castle 33"
    query = embedder.embed_query(text)
    rankings = [ids(index.dense_search(query, 20)), ids(index.sparse_search(text, 20))]

    found = index.hybrid_search(text, query, 7)

    assert [(scored.passage_id, scored.score) for scored in found] == reciprocal_rank_fusion(
        rankings
    )[:7]


def test_mmr_search_with_lambda_one_is_dense_search(index: Index, embedder: Embedder) -> None:
    query = embedder.embed_query("river of king")

    plain = index.dense_search(query, 6)
    found = index.mmr_search(query, 6, 1.0)

    assert ids(found) == ids(plain)
    assert [scored.mmr_score for scored in found] == pytest.approx([s.score for s in plain])


def test_mmr_search_spreads_out(index: Index, embedder: Embedder) -> None:
    query = embedder.embed_query("river of king")

    def likeness(found: list[Any]) -> float:
        vectors = dict(zip(*index.corpus.vectors("fake"), strict=True))
        chosen = np.stack([vectors[name] for name in ids(found)])
        return float((chosen @ chosen.T).mean())

    spread = index.mmr_search(query, 5, 0.3, fetch_k=40)

    assert likeness(spread) < likeness(index.dense_search(query, 5))
    assert all(type(scored.mmr_score) is float for scored in spread)
    assert len(index.mmr_search(query, 30, 0.3, fetch_k=5)) == 30


def test_passages_in_the_order_of_a_search(index: Index) -> None:
    found = index.sparse_search("castle", 3)

    assert [passage.id for passage in index.passages(ids(found))] == ids(found)
    assert all("castle" in passage.text for passage in index.passages(ids(found)))


def test_any_thread_may_search(index: Index, embedder: Embedder) -> None:
    texts = [f"castle of king {number}" for number in range(40)]

    def search(text: str) -> list[str]:
        found = index.hybrid_search(text, embedder.embed_query(text), 5)
        return [passage.text for passage in index.passages(ids(found))]

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(search, texts)) == [search(text) for text in texts]


def test_a_build_that_ends_during_opening_is_no_error(
    built: Path, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = Index._load.__func__  # type: ignore[attr-defined]
    generations: list[int] = []

    def slow(cls: type[Index], directory: Path, manifest: Any) -> Index:
        generations.append(manifest.generation)
        if manifest.generation == 1:
            for number in range(2):
                add([Document(f"n{number}", "", "new")], directory=built, embedder=embedder)
        return load(cls, directory, manifest)  # type: ignore[no-any-return]

    monkeypatch.setattr(Index, "_load", classmethod(slow))

    with Index.open(built, embedder) as opened:
        assert opened.corpus.counts()["documents"] == 42
    assert generations == [1, 3]


@pytest.mark.parametrize(
    "file", ["dense/hnsw.faiss", "dense/ids.json", "sparse/vocab.index.json", "sparse/ids.json"]
)
@pytest.mark.parametrize("damage", ["missing", "short", "scrambled"])
def test_damaged_files_are_named(built: Path, embedder: Embedder, file: str, damage: str) -> None:
    path = built / "gen-0000001" / file
    data = path.read_bytes()
    path.unlink()
    if damage != "missing":
        path.write_bytes(data[:-1] if damage == "short" else bytes(len(data)))

    with pytest.raises(IndexMissingError, match=r"gen-0000001/\w+.*hopyard index build"):
        Index.open(built, embedder)


def test_status(built: Path) -> None:
    summary = status(built)

    assert summary.manifest.counts["documents"] == 40
    assert summary.bytes > 40 * 32 * 4
    (built / "gen-0000001" / "sparse" / "ids.json").unlink()
    with pytest.raises(IndexMissingError, match=r"ids\.json' is missing"):
        status(built)
    with pytest.raises(IndexMissingError, match="no index in"):
        status(built / "nowhere")
