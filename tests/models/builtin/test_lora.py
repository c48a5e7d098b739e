"""An adapter merged into the built-in model's weights."""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path

import gguf
import httpx
import numpy as np
import pytest
from gguf.quants import dequantize, quantize

from hopyard.models.builtin import lora
from hopyard.models.builtin.chat import (
    SHIPPED_ADAPTER,
    _server,
    builtin_identity,
    engine,
    engine_identity,
)
from hopyard.models.builtin.lora import add_lora, merge, weights_with_adapter
from hopyard.models.builtin.weights import CACHE_VARIABLE, weights

ALPHA = 4.0
RANK = 2
Q4 = gguf.GGMLQuantizationType.Q4_1


def matrix(rows: int, columns: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(rows, columns)).astype(np.float32)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A model of one matrix in Q4_1 and one norm, with a field of every kind."""
    file = tmp_path / "base.gguf"
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_1.value)
    writer.add_context_length(64)
    writer.add_token_list(["a", "ü", "<|end|>"])
    writer.add_tensor("blk.0.ffn_up.weight", quantize(matrix(8, 32, 0), Q4), raw_dtype=Q4)
    writer.add_tensor("output_norm.weight", np.ones(32, np.float32))
    write(writer)
    return file


def adapter(file: Path, tensor: str = "blk.0.ffn_up.weight") -> Path:
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", ALPHA)
    writer.add_tensor(f"{tensor}.lora_a", matrix(RANK, 32, 1).astype(np.float16))
    writer.add_tensor(f"{tensor}.lora_b", matrix(8, RANK, 2).astype(np.float16))
    write(writer)
    return file


def write(writer: gguf.GGUFWriter) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_the_formula_by_hand() -> None:
    weight = np.array([[1, 0], [0, 1]], np.float32)
    down, up = np.array([[1, 2]], np.float32), np.array([[3], [4]], np.float32)
    # alpha / r = 2; B A = [[3, 6], [4, 8]]
    assert add_lora(weight, down, up, 2.0).tolist() == [[7, 12], [8, 17]]


def test_the_merged_file_is_the_base_with_the_adapter_in_it(base: Path, tmp_path: Path) -> None:
    out = tmp_path / "merged.gguf"
    merge(base, adapter(tmp_path / "adapter.gguf"), out)
    before, after = gguf.GGUFReader(base), gguf.GGUFReader(out)
    assert after.get_field("llama.context_length").contents() == 64
    assert after.get_field("tokenizer.ggml.tokens").contents() == ["a", "ü", "<|end|>"]
    assert after.get_field("general.file_type").contents() == gguf.LlamaFileType.MOSTLY_Q8_0
    weight, norm = after.tensors
    assert np.array_equal(norm.data, np.ones(32, np.float32))
    expected = dequantize(before.tensors[0].data, Q4) + ALPHA / RANK * (
        matrix(8, RANK, 2).astype(np.float16).astype(np.float32)
        @ matrix(RANK, 32, 1).astype(np.float16).astype(np.float32)
    )
    found = dequantize(weight.data, weight.tensor_type)
    assert np.abs(found - expected).max() <= np.abs(expected).max() / 127
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "adapter.gguf", "base.gguf", "merged.gguf",
    ]  # fmt: skip


def test_an_adapter_of_another_model_is_refused(base: Path, tmp_path: Path) -> None:
    other = adapter(tmp_path / "adapter.gguf", "blk.7.ffn_up.weight")
    with pytest.raises(ValueError, match=r"blk\.7\.ffn_up\.weight"):
        merge(base, other, tmp_path / "merged.gguf")
    assert not (tmp_path / "merged.gguf").exists()


def test_it_is_made_once_and_few_are_kept(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    file = adapter(tmp_path / "adapter.gguf")
    made = weights_with_adapter(base, file, "first")
    assert made is not None
    os.utime(made, (1, 1))
    content = made.stat().st_ino
    again = weights_with_adapter(base, file, "first")
    assert again == made
    assert (made.stat().st_ino, made.stat().st_mtime > 1) == (content, True)
    for number in range(3):
        os.utime(made, (1, 1))
        weights_with_adapter(base, file, f"later{number}")
    assert sorted(path.stem for path in made.parent.glob("*.gguf")) == [
        "later0",
        "later1",
        "later2",
    ]


def test_where_it_cannot_be_kept_the_log_says_so(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("a file, no folder")
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    with caplog.at_level(logging.WARNING, logger="hopyard"):
        assert weights_with_adapter(base, adapter(tmp_path / "adapter.gguf"), "any") is None
    assert "runs slower" in caplog.text


def test_the_engine_says_the_same_with_the_adapter_in_the_weights() -> None:
    """Log-probabilities of the shipped model, merged and applied by llama.cpp, agree closely."""
    merged_ones = first_tokens(_server(SHIPPED_ADAPTER))
    applied = first_tokens(engine(weights(), SHIPPED_ADAPTER))
    best = max(applied, key=lambda token: applied[token])
    assert best == max(merged_ones, key=lambda token: merged_ones[token])
    assert merged_ones[best] == pytest.approx(applied[best], abs=0.1)


def test_damaged_weights_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    damaged = tmp_path / "engine" / f"{builtin_identity().partition('/')[2]}.gguf"
    damaged.parent.mkdir()
    damaged.write_bytes(weights().read_bytes()[:100_000])
    # The real merge takes seconds, and the test above has its result.
    monkeypatch.setattr(lora, "merge", lambda base, _, out: shutil.copy(base, out))
    with caplog.at_level(logging.WARNING, logger="hopyard"):
        server = _server.__wrapped__(SHIPPED_ADAPTER)
    assert first_tokens(server)
    assert "deleting the damaged" in caplog.text
    assert damaged.stat().st_size == weights().stat().st_size


def first_tokens(server: object) -> dict[str, float]:
    reply = httpx.post(
        f"{server.listening_address}/v1/chat/completions",  # type: ignore[attr-defined]
        json={
            "messages": [{"role": "user", "content": "What is the capital of France?"}],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": 5,
        },
        timeout=60,
    ).json()
    [first] = reply["choices"][0]["logprobs"]["content"]
    return {likely["token"]: likely["logprob"] for likely in first["top_logprobs"]}


def test_the_ledger_tells_merged_answers_from_those_of_the_base() -> None:
    assert engine_identity() == f"{builtin_identity()}+q8_0"
    assert engine_identity("base") == builtin_identity("base")
