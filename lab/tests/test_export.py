from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.models.builtin.lora import read_gguf, to_rotary_order
from lab.export import export, permute_rows


def test_the_halves_of_each_head_are_interleaved() -> None:
    rows = np.arange(8)[:, None]  # two heads of four rows: halves (0, 1) and (2, 3)
    assert permute_rows(rows, 2)[:, 0].tolist() == [0, 2, 1, 3, 4, 6, 5, 7]


@given(heads=st.integers(1, 9), half=st.integers(1, 8), columns=st.integers(1, 5))
def test_the_permutation_is_undone(heads: int, half: int, columns: int) -> None:
    rows = np.arange(heads * 2 * half * columns).reshape(-1, columns)
    assert np.array_equal(to_rotary_order(permute_rows(rows, heads), heads), rows)


@given(heads=st.integers(1, 4), half=st.integers(1, 6), place=st.integers(0, 50))
def test_rotary_attention_is_the_same_in_both_orders(heads: int, half: int, place: int) -> None:
    """Turning halves against each other, then permuting, is permuting, then turning neighbours."""
    values = np.random.default_rng(heads * 100 + half).normal(size=heads * 2 * half)
    angles = place / 10_000 ** (np.arange(half) / half)
    halves = values.reshape(heads, 2, half)
    turned = np.stack(
        [
            halves[:, 0] * np.cos(angles) - halves[:, 1] * np.sin(angles),
            halves[:, 1] * np.cos(angles) + halves[:, 0] * np.sin(angles),
        ],
        axis=1,
    ).reshape(-1)
    pairs = permute_rows(values[:, None], heads).reshape(heads, half, 2)
    neighbours = np.stack(
        [
            pairs[..., 0] * np.cos(angles) - pairs[..., 1] * np.sin(angles),
            pairs[..., 1] * np.cos(angles) + pairs[..., 0] * np.sin(angles),
        ],
        axis=-1,
    ).reshape(-1)
    assert np.allclose(permute_rows(turned[:, None], heads)[:, 0], neighbours)


def matrices(projection: str) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    key = f"base_model.model.model.layers.3.self_attn.{projection}"
    return {
        f"{key}.lora_A.weight": np.arange(6, dtype=np.float32).reshape(2, 3),
        f"{key}.lora_B.weight": np.arange(16, dtype=np.float32).reshape(8, 2),
    }


@pytest.mark.parametrize(("projection", "tensor"), [("q_proj", "attn_q"), ("v_proj", "attn_v")])
def test_the_file_holds_what_the_engine_looks_for(
    tmp_path: Path, projection: str, tensor: str
) -> None:
    gguf = pytest.importorskip("gguf")
    export(matrices(projection), 32.0, {"q_proj": 2, "k_proj": 1}, tmp_path / "a.gguf", "toy")
    read = gguf.GGUFReader(tmp_path / "a.gguf")
    assert read.fields["general.type"].contents() == "adapter"
    assert read.fields["adapter.type"].contents() == "lora"
    assert read.fields["adapter.lora.alpha"].contents() == 32.0
    found = {tensor.name: tensor.data for tensor in read.tensors}
    assert set(found) == {f"blk.3.{tensor}.weight.lora_{side}" for side in "ab"}
    down = found[f"blk.3.{tensor}.weight.lora_a"]
    up = found[f"blk.3.{tensor}.weight.lora_b"]
    assert down.dtype == up.dtype == np.float16
    order = [0, 2, 1, 3, 4, 6, 5, 7] if projection == "q_proj" else list(range(8))
    assert np.array_equal(up, np.arange(16).reshape(8, 2)[order])
    assert [file.name for file in tmp_path.iterdir()] == ["a.gguf"]


@pytest.mark.parametrize("projection", ["q_proj", "v_proj"])
def test_what_was_exported_is_read_back(tmp_path: Path, projection: str) -> None:
    pytest.importorskip("gguf")
    heads, written = {"q_proj": 2, "k_proj": 1}, matrices(projection)
    export(written, 32.0, heads, tmp_path / "a.gguf", "toy")
    read, alpha = read_gguf(tmp_path / "a.gguf", heads)
    assert alpha == 32.0
    assert set(read) == set(written)
    assert all(np.array_equal(read[name], matrix) for name, matrix in written.items())


def test_a_matrix_of_another_kind_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("gguf")
    with pytest.raises(ValueError, match="LoRA matrix"):
        export({"lm_head.lora_A.weight": np.zeros((2, 2))}, 1.0, {}, tmp_path / "a.gguf", "toy")
