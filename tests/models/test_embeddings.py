"""Embedding models by name; every vector has length 1."""

from __future__ import annotations

import numpy as np
import pytest
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from model_server import EMBEDDING_DIMENSION, ModelServer, WordEmbedder, word_vector

from hopyard.models import embeddings
from hopyard.models.embedder import Embedder
from hopyard.models.embeddings import LangChainEmbedder, embedder, register_embedder
from hopyard.state.errors import UsageError


@pytest.mark.parametrize("spec", ["", "minilm", "ollama:", ":x"])
def test_a_name_without_provider_is_refused(spec: str) -> None:
    with pytest.raises(UsageError, match="use builtin, ollama:NAME or provider:NAME"):
        embedder(spec)


@pytest.mark.parametrize("spec", ["nonsense:x", "cohere:x", "openai:x"])
def test_a_provider_that_cannot_be_used_says_why_in_one_line(spec: str) -> None:
    with pytest.raises(UsageError, match=spec) as raised:
        embedder(spec)
    assert len(str(raised.value).splitlines()) == 1


def test_a_model_of_ones_own_is_used_by_its_name(words: WordEmbedder) -> None:
    assert embedder("words") is words
    assert isinstance(words, Embedder)


def test_the_latest_registration_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "_registered", {})
    assert embedder("ollama:x").name == "ollama:x"
    for model in (WordEmbedder(), WordEmbedder()):
        register_embedder("ollama:x", model)
        assert embedder("ollama:x") is model


def test_all_that_a_process_opens_share_a_built_in_model() -> None:
    assert embedder("builtin") is embedder("auto") is embedder("builtin:e5")
    assert embedder("builtin:minilm") is embedder("embedded") is not embedder("builtin")


def test_vectors_are_brought_to_length_one() -> None:
    model = LangChainEmbedder("fake", DeterministicFakeEmbedding(size=8), "no cure")
    vectors = model.embed_documents(["one", "two"])
    assert vectors.dtype == np.float32
    assert vectors.shape == (2, 8)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.array_equal(model.embed_query("one"), vectors[0])
    assert model.dimension == 8
    assert model.embed_documents([]).shape == (0, 8)


def test_a_vector_of_zeros_stays_one() -> None:
    class Silent(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [[0.0, 0.0] for _ in texts]

        def embed_query(self, text: str) -> list[float]:
            return [0.0, 0.0]

    vector = LangChainEmbedder("silent", Silent(), "no cure").embed_query("hush")
    assert vector.tolist() == [0.0, 0.0]


def test_ollama_embeds(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", model_server.address)
    model = embedder("ollama:words-1")
    assert np.allclose(model.embed_query("river bank"), word_vector("river bank"), atol=1e-6)
    assert model.embed_documents(["a", "b"]).shape == (2, EMBEDDING_DIMENSION)
    assert model_server.embedded == ["river bank", "a", "b"]
