"""MiniLM gives the vectors that sentence-transformers gives: `lab/tests/test_encoders.py`."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import onnx
import pytest
from odd_texts import LONG

from hopyard.models.builtin import minilm
from hopyard.models.builtin.minilm import GRAPH_FILE, MiniLMEmbedder
from lab.encoder_graphs import minilm_graph


@pytest.fixture(scope="module")
def model() -> MiniLMEmbedder:
    return MiniLMEmbedder()


def test_a_vector_of_sentence_transformers(model: MiniLMEmbedder) -> None:
    """`lab/tests/test_encoders.py` compares many."""
    vector = model.embed_query("A bridge over the Severn.")
    assert vector[:4].tolist() == pytest.approx([-0.09157, 0.12090, -0.01102, 0.04310], abs=1e-4)


def test_a_question_has_the_vector_that_it_has_among_others(model: MiniLMEmbedder) -> None:
    texts = [f"{'river ' * (number % 7)}bank {number}" for number in range(35)]
    together = model.embed_documents(texts)
    for text, vector in zip(texts, together, strict=True):
        assert model.embed_query(text) == pytest.approx(vector, abs=1e-5)


def test_no_texts_have_no_vectors(model: MiniLMEmbedder) -> None:
    assert model.embed_documents([]).shape == (0, model.dimension)


def test_text_beyond_the_window_counts_for_nothing(model: MiniLMEmbedder) -> None:
    assert len(model.tokenizer.encode(LONG).ids) > model.window
    assert np.array_equal(model.embed_query(LONG), model.embed_query(f"{LONG} A comet."))


def test_threads_share_one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    first = threading.Barrier(4)
    network = minilm.Encoder

    def load(*given: Any) -> Any:
        loaded.append(given)
        return network(*given)

    monkeypatch.setattr(minilm, "Encoder", load)
    model = MiniLMEmbedder()

    def embed(_: int) -> list[float]:
        first.wait()
        return model.embed_query("a bridge").tolist()

    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(embed, range(4)))
    assert len(loaded) == 1
    assert all(vector == vectors[0] for vector in vectors)


def test_the_layers_are_those_that_the_lab_writes() -> None:
    assert onnx.load(GRAPH_FILE, load_external_data=False) == minilm_graph()
