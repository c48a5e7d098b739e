"""MiniLM's word pieces in a T5."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.classifiers.manifest import TrainSettings
from hopyard.classifiers.t5 import Network, T5Scorer, train_t5
from hopyard.models.builtin import minilm
from hopyard.models.builtin.minilm import MiniLMEmbedder
from hopyard.models.embedder import Vectors
from lab.small_t5 import MINILM, make_network, project, save_base
from lab.tests.gate_labels import separable

WIDTH = 32


@pytest.fixture(scope="module")
def network() -> Network:
    return make_network((), base=MINILM, dropout=0.0, seed=3, width=WIDTH, layers=1)


def angles(rows: Vectors) -> Vectors:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(unit @ unit.T, dtype=np.float32)


def test_the_longest_axis_is_kept_and_scaled() -> None:
    rows = np.array([[3, 5], [-1, 5], [1, 6], [1, 4]], dtype=np.float32)  # centre (1, 5)
    [first, second, third, fourth] = project(rows, 1)[:, 0]
    assert abs(first) == pytest.approx(2**0.5)  # 2, over the root of (4 + 4 + 0 + 0) / 4
    assert second == -first
    assert third == pytest.approx(0, abs=1e-6)
    assert fourth == pytest.approx(0, abs=1e-6)


@given(st.integers(0, 50), st.integers(6, 9))
def test_at_its_own_width_or_more_no_angle_changes(seed: int, width: int) -> None:
    rows = np.random.default_rng(seed).normal(2, 1, (12, 6)).astype(np.float32)
    projected = project(rows, width)
    assert projected.shape == (12, width)
    assert float((projected**2).mean()) == pytest.approx(1, rel=1e-4)
    assert angles(projected) == pytest.approx(angles(rows - rows.mean(axis=0)), abs=1e-4)


def test_the_embedding_matrix_is_minilms_projected(network: Network) -> None:
    matrix = network.model.transformer.shared.weight.detach().numpy()
    assert matrix.tolist() == project(MiniLMEmbedder().word_pieces, WIDTH).tolist()
    assert network.model.transformer.encoder.embed_tokens.weight.tolist() == matrix.tolist()
    words = ("paris", "london", "seven")
    pieces = MiniLMEmbedder().tokenizer
    near = {word: matrix[pieces.token_to_id(word)] for word in words}
    assert near["paris"] @ near["london"] > near["paris"] @ near["seven"]


def test_a_text_ends_with_the_end_token_and_starts_with_none(network: Network) -> None:
    encoded = network.tokenizer.encode("Is São Paulo unbelievable? ")
    assert encoded.tokens == ["is", "sao", "paulo", "unbelievable", "[SEP]"]
    assert encoded.ids[-1] == network.model.config.eos_token_id
    assert network.tokenizer.encode("is SAO paulo unbelievable").ids == encoded.ids
    assert network.tokenizer.token_to_id("[PAD]") == network.model.config.pad_token_id
    assert MiniLMEmbedder().tokenizer.encode("a?").tokens == ["[CLS]", "a", "?", "[SEP]"]


def test_a_gate_of_word_pieces_learns_and_loads_without_minilm(
    network: Network, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_base(network, tmp_path / "base")
    settings = TrainSettings(base=str(tmp_path / "base"), epochs=25, rate=3e-3)
    rows = [row for row in separable() if row.label is not None]
    train_t5(rows, rows, settings, tmp_path / "gate", lambda *_: None)
    monkeypatch.delattr(minilm, "files_of")
    red, blue = T5Scorer.load(tmp_path / "gate").scores(["red 3", "blue 3"])
    assert red < blue
