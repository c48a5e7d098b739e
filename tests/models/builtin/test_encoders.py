"""The built-in embeddings: E5, with which questions find their passages in every language, and
MiniLM, which gives the vectors of sentence-transformers.

`lab/tests/test_encoders.py` compares their vectors with those of their weights in PyTorch.
"""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from odd_texts import LONG, ODD
from onnx import numpy_helper

from hopyard import build_index
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.passages.tokens import token_counter
from hopyard.models.builtin import minilm as minilm_module
from hopyard.models.builtin.e5 import GRAPH_FILE, WEIGHTS_FILE, E5Embedder
from hopyard.models.builtin.encoder import Encoder
from hopyard.models.builtin.minilm import MiniLMEmbedder
from hopyard.models.embedder import Vectors
from hopyard.state.errors import ModelUnreachableError
from lab.encoder_graphs import CENTRE, e5_graph, minilm_graph

CORPUS = Path(__file__).parents[3] / "examples" / "solar_system" / "corpus.jsonl"
LANGUAGES = json.loads(Path(__file__).with_name("languages.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def model() -> E5Embedder:
    return E5Embedder()


@pytest.fixture(scope="module")
def centre() -> Vectors:
    graph = onnx.load(GRAPH_FILE, load_external_data=False).graph
    [found] = [tensor for tensor in graph.initializer if tensor.name == CENTRE]
    return np.array(numpy_helper.to_array(found))


@pytest.fixture(scope="module")
def minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


@pytest.fixture(params=["model", "minilm"])
def either(request: pytest.FixtureRequest) -> E5Embedder | MiniLMEmbedder:
    found: E5Embedder | MiniLMEmbedder = request.getfixturevalue(request.param)
    return found


def test_a_text_has_the_same_vector_among_others(either: E5Embedder | MiniLMEmbedder) -> None:
    texts = [f"{'river ' * (number % 7)}bank {number}" for number in range(40)] + ODD
    together = either.embed_documents(texts)
    for text, vector in zip(texts, together, strict=True):
        assert either.embed_query(text) == pytest.approx(vector, abs=1e-5)
    assert either.embed_documents([]).shape == (0, either.dimension)


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_find_their_passage_in_every_language(model: E5Embedder, language: str) -> None:
    """Of the forty passages in four languages. MiniLM finds 0, 1, 1 and 1 of ten first."""
    before = model.instructions
    every = [passage for rows in LANGUAGES.values() for passage, *_ in rows]
    passages = model.embed_documents([before.passage + passage for passage in every])
    rows = LANGUAGES[language]
    questions = model.embed_documents([before.query + question for _, question, _ in rows])
    nearest = np.argsort(-questions @ passages.T, axis=1)
    wanted = [every.index(passage) for passage, *_ in rows]
    assert sum(row[0] == place for row, place in zip(nearest, wanted, strict=True)) >= 8
    assert all(place in row[:3] for row, place in zip(nearest, wanted, strict=True))


def test_unrelated_passages_are_not_near(model: E5Embedder) -> None:
    """Without the centre the median is .80."""
    passages = [json.loads(line)["text"] for line in CORPUS.read_text("utf-8").splitlines()]
    vectors = model.embed_documents([f"passage: {passage}" for passage in passages[::3]])
    cosines = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    assert 0 < np.median(cosines) < 0.35


def test_pieces_are_those_of_xlm_roberta(model: E5Embedder) -> None:
    text = "query: Wie heißt die Hauptstadt von Südkorea? 서울 ﬁn"
    pieces = "▁que ry : ▁Wie ▁heißt ▁die ▁Hauptstadt ▁von ▁Süd korea ? ▁서울 ▁fin"
    assert " ".join(model.tokenizer.encode(text).tokens) == f"<s> {pieces} </s>"


def test_words_add_up_to_the_text(model: E5Embedder) -> None:
    count = token_counter(model.tokenizer)
    for rows in LANGUAGES.values():
        for passage, question, *_ in rows:
            text = f"{passage}\n  {question}"
            assert count(text) == len(model.tokenizer.encode(text).ids) - 2


def test_text_beyond_the_window_counts_for_nothing(either: E5Embedder | MiniLMEmbedder) -> None:
    assert len(either.tokenizer.encode(LONG).ids) > either.window
    assert np.array_equal(either.embed_query(LONG), either.embed_query(f"{LONG} A comet."))


def test_an_index_keeps_the_prefixes(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Der Kran hebt Container.", encoding="utf-8")
    build_index(tmp_path / "index", tmp_path / "a.txt")
    manifest = read_manifest(tmp_path / "index")
    assert manifest.embedding == "builtin:e5"
    assert (manifest.query_instruction, manifest.passage_instruction) == ("query: ", "passage: ")


def test_the_layers_are_those_that_the_lab_writes(centre: Vectors) -> None:
    assert onnx.load(GRAPH_FILE, load_external_data=False) == e5_graph(centre)
    assert onnx.load(minilm_module.GRAPH_FILE, load_external_data=False) == minilm_graph()


@pytest.mark.parametrize("content", [b"", b"E5S1", b"GGUF" * 100])
def test_a_damaged_file_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    (tmp_path / WEIGHTS_FILE).write_bytes(content)
    monkeypatch.setattr("hopyard.models.builtin.encoder.files_of", lambda model: tmp_path)
    with pytest.raises(
        ModelUnreachableError, match=r"embedding model cannot be loaded \(.+\); ins"
    ):
        E5Embedder().embed_query("a")


def test_a_vector_of_sentence_transformers(minilm: MiniLMEmbedder) -> None:
    """`lab/tests/test_encoders.py` compares many."""
    vector = minilm.embed_query("A bridge over the Severn.")
    assert vector[:4].tolist() == pytest.approx([-0.09157, 0.12090, -0.01102, 0.04310], abs=1e-4)


def test_threads_share_one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []
    first = threading.Barrier(4)

    def load(*given: Any) -> Any:
        loaded.append(given)
        return Encoder(*given)

    monkeypatch.setattr(minilm_module, "Encoder", load)
    model = MiniLMEmbedder()

    def embed(_: int) -> list[float]:
        first.wait()
        return model.embed_query("a bridge").tolist()

    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(embed, range(4)))
    assert len(loaded) == 1
    assert all(vector == vectors[0] for vector in vectors)
