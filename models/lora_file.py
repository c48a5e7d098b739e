"""Reads a llama.cpp LoRA file back into PyTorch's order of rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ("TENSOR_NAMES", "Array", "heads_of", "read_gguf", "restored")

Array = npt.NDArray[Any]

TENSOR_NAMES: Final = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}
"""llama.cpp's name of each projection, by Hugging Face's name."""
_PROJECTIONS: Final = {tensor: projection for projection, tensor in TENSOR_NAMES.items()}
_TENSOR: Final = re.compile(r"blk\.(\d+)\.(\w+)\.weight\.lora_([ab])$")


def restored(rows: Array, heads: int) -> Array:
    """Rows of a query or key projection, from llama.cpp's order to Hugging Face's rotary order.

    Hugging Face turns the first half of a head's rows against the second; llama.cpp turns
    neighbours: rows 2i and 2i + 1 become row i of the first half and row i of the second.

    Args:
        rows: The matrix that makes the projection's rows, of shape (heads * 2 * n, any).
        heads: Heads of the projection.
    """
    half = rows.shape[0] // heads // 2
    turned: Array = rows.reshape(heads, half, 2, *rows.shape[1:]).swapaxes(1, 2)
    return turned.reshape(rows.shape)


def heads_of(config: Any) -> dict[str, int]:
    """Heads of the projections whose rows are permuted, from a transformers configuration."""
    return {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}


def read_gguf(file: Path, heads: dict[str, int]) -> tuple[dict[str, Array], float]:
    """The matrices of an adapter by PEFT's names, and its alpha.

    Args:
        file: A llama.cpp LoRA.
        heads: Heads of the query and of the key projection (`heads_of`).

    Raises:
        ValueError: The file holds something else.
    """
    import gguf

    read = gguf.GGUFReader(file)
    alpha = read.get_field("adapter.lora.alpha")
    if alpha is None:
        raise ValueError(f"{file} is no LoRA: it has no alpha")
    matrices = {}
    for tensor in read.tensors:
        found = _TENSOR.match(tensor.name)
        if not found or found[2] not in _PROJECTIONS:
            raise ValueError(f"{file}: {tensor.name} is no LoRA matrix of a Llama projection")
        layer, name, side = found.groups()
        projection, matrix = _PROJECTIONS[name], tensor.data.astype(np.float32)
        if side == "b" and projection in heads:
            matrix = restored(matrix, heads[projection])
        part = "mlp" if name.startswith("ffn") else "self_attn"
        key = f"base_model.model.model.layers.{layer}.{part}.{projection}.lora_{side.upper()}"
        matrices[f"{key}.weight"] = matrix
    return matrices, float(alpha.contents())
