"""The vectors that an index keeps, by namespace, text and model."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hopyard.indexes.corpus.records import Document, Passage, text_hash
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.corpus.store import CorpusStore
from hopyard.indexes.corpus.vectors import StoredVectors
from hopyard.models.embedder import Embedder, Vectors
from hopyard.state.errors import ModelOutputError, UsageError

Make = Callable[..., StoredVectors]


def silent(done: int, total: int) -> None:
    """Say nothing."""


def passages_of(document_id: str, *texts: str) -> list[Passage]:
    return [
        Passage(
            f"{document_id}#{text}", document_id, position, "T", text, text_hash(f"T\n{text}"), 1
        )
        for position, text in enumerate(texts)
    ]


@pytest.fixture
def make(store: CorpusStore, embedder: Embedder) -> Make:
    """The vectors of a new build."""

    def make(
        model: Embedder = embedder, *, dimension: int = 32, known: bool = True
    ) -> StoredVectors:
        store.run("DELETE FROM used")
        return StoredVectors(store, model.name, dimension, (lambda: model) if known else None)

    return make


def put(store: CorpusStore, document_id: str, *texts: str, generation: int = 1) -> None:
    document = Document(document_id, "T", " ".join(texts))
    with store.transaction():
        store.put(document, " ".join(texts), passages_of(document_id, *texts), generation)


def kept(store: CorpusStore) -> set[tuple[str, str]]:
    """Namespace and text of every vector."""
    texts = {
        text_hash(text): text for text in ("one", "two", "three", "T\none", "T\ntwo", "T\nthree")
    }
    rows = store.run("SELECT namespace, content_hash FROM vectors")
    return {(namespace, texts[name]) for namespace, name in rows}


async def test_each_passage_text_is_embedded_once_in_batches_by_length(
    store: CorpusStore, make: Make, embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.corpus.vectors.BATCH", 2)
    put(store, "a", "word", "word word", "word word word")
    put(store, "b", "word", "word word word word")
    told: list[tuple[int, int]] = []

    assert await make().embed_passages(lambda *step: told.append(step)) == 4
    assert await make().embed_passages(silent) == 0

    assert [len(text.split()) - 1 for text in embedder.embedded] == [4, 3, 2, 1]
    assert told == [(0, 4), (2, 4), (4, 4)]


async def test_a_text_of_a_namespace_is_embedded_once(make: Make, embedder: Any) -> None:
    found = await make().embed(["two", "one", "two"], "questions", silent)
    again = await make(known=False).embed(["one"], "questions", silent)

    assert found.tolist() == [embedder.embed_query(text).tolist() for text in ("two", "one", "two")]
    assert again.tolist() == [found[1].tolist()]
    assert embedder.embedded == ["one", "two"]
    assert (await make().embed([], "questions", silent)).shape == (0, 32)


async def test_namespaces_and_models_are_kept_apart(
    make: Make, embedder: Any, make_embedder: Callable[..., Any]
) -> None:
    other = make_embedder("other")
    await make().embed(["one"], "questions", silent)
    await make().embed(["one"], "entities", silent)
    await make(other).embed(["one"], "questions", silent)

    assert embedder.embedded == ["one", "one"]
    assert other.embedded == ["one"]


async def test_another_length_of_vectors_is_embedded_again(
    make: Make, make_embedder: Callable[..., Any]
) -> None:
    await make().embed(["one"], "questions", silent)
    wider = make_embedder(dimension=48)

    assert (await make(wider, dimension=48).embed(["one"], "questions", silent)).shape == (1, 48)


async def test_vectors_that_nobody_uses_go_with_the_purge(store: CorpusStore, make: Make) -> None:
    put(store, "a", "one", "two")
    first = make()
    await first.embed_passages(silent)
    await first.embed(["one", "two"], "questions", silent)
    first.purge()
    assert kept(store) == {
        ("passages", "T\none"),
        ("passages", "T\ntwo"),
        ("questions", "one"),
        ("questions", "two"),
    }

    put(store, "a", "one", "three", generation=2)
    second = make()
    await second.embed_passages(silent)
    await second.embed(["two", "three"], "questions", silent)
    store.purge(1)
    second.purge()

    # Readers of generation 1 still have the passage "two"; questions belong to no reader.
    assert ("passages", "T\ntwo") in kept(store)
    assert {text for name, text in kept(store) if name == "questions"} == {"two", "three"}
    store.purge(2)
    make().purge()
    assert kept(store) == {("passages", "T\none"), ("passages", "T\nthree")}


async def test_vectors_of_passages_by_id(store: CorpusStore, make: Make, tmp_path: Path) -> None:
    put(store, "a", "one", "three")
    put(store, "b", "one")
    await make().embed_passages(silent)

    with Snapshot(tmp_path, 1) as snapshot:
        names, matrix = snapshot.vectors("fake")
        assert names == ["a#one", "a#three", "b#one"]
        assert matrix[0].tolist() == matrix[2].tolist() != matrix[1].tolist()
        assert snapshot.vectors("other")[0] == []


async def test_many_kinds_may_embed_at_once(make: Make, embedder: Any) -> None:
    vectors = make()
    texts = [f"text {number}" for number in range(20)]

    found = await asyncio.gather(
        *(vectors.embed(texts[start:], "questions", silent) for start in range(10))
    )

    assert sorted(embedder.embedded) == sorted(texts)
    assert [len(matrix) for matrix in found] == list(range(20, 10, -1))


async def test_without_a_model_every_text_must_have_its_vector(make: Make) -> None:
    with pytest.raises(UsageError, match="has no vector of 'fake' yet"):
        await make(known=False).embed(["one"], "questions", silent)


@pytest.mark.parametrize(
    ("vectors", "found"),
    [
        (np.ones((5, 3), np.float32), r"shape \(5, 3\) instead of \(5, 32\)"),
        (np.ones((5, 32), np.float32), "not of length 1"),
        (np.full((5, 32), np.nan, np.float32), "not of length 1"),
    ],
)
async def test_what_is_no_unit_vector_is_refused(
    make: Make, embedder: Any, monkeypatch: pytest.MonkeyPatch, vectors: Vectors, found: str
) -> None:
    monkeypatch.setattr(embedder, "embed_documents", lambda _: vectors)

    with pytest.raises(ModelOutputError, match=f"'fake' gave .*{found}"):
        await make().embed(list("abcde"), "questions", silent)
    with pytest.raises(UsageError):
        await make(known=False).embed(["a"], "questions", silent)
