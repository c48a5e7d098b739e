from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from hopyard.indexes.derived import silent
from hopyard.indexes.embedding import embed_pending
from hopyard.indexes.records import Document, Passage, text_hash
from hopyard.indexes.store import CorpusStore
from hopyard.models.embedder import Embedder, Vectors
from hopyard.state.errors import ModelOutputError


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CorpusStore]:
    with CorpusStore(tmp_path) as store:
        with store.transaction():
            for number in range(5):
                text = "word " * (number + 1)
                passage = Passage(str(number), str(number), 0, "", text, text_hash(text), number)
                store.put(Document(str(number), "", text), "", [passage], 1)
        yield store


def test_each_text_is_embedded_once_in_batches_by_length(
    store: CorpusStore, embedder: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.indexes.embedding.BATCH", 2)
    batches: list[int] = []
    told: list[tuple[str, int, int]] = []
    embed = embedder.embed_documents

    def counting(texts: list[str]) -> Vectors:
        batches.extend([len(text.split()) for text in texts])
        return embed(texts)

    monkeypatch.setattr(embedder, "embed_documents", counting)

    assert embed_pending(store, embedder, lambda *step: told.append(step)) == 5
    assert embed_pending(store, embedder, silent) == 0
    assert batches == [5, 4, 3, 2, 1]
    assert told == [("embed", done, 5) for done in (0, 2, 4, 5)]


@pytest.mark.parametrize(
    ("vectors", "found"),
    [
        (np.ones((5, 3), np.float32), r"shape \(5, 3\) instead of \(5, 32\)"),
        (np.ones((5, 32), np.float32), "not of length 1"),
        (np.full((5, 32), np.nan, np.float32), "not of length 1"),
    ],
)
def test_what_is_no_unit_vector_is_refused(
    store: CorpusStore,
    make_embedder: Callable[[], Embedder],
    monkeypatch: pytest.MonkeyPatch,
    vectors: Vectors,
    found: str,
) -> None:
    embedder = make_embedder()
    monkeypatch.setattr(embedder, "embed_documents", lambda _: vectors)

    with pytest.raises(ModelOutputError, match=f"'fake' gave .*{found}"):
        embed_pending(store, embedder, silent)
    assert len(store.pending("fake", 32)) == 5
