"""Writes a PEFT adapter as a llama.cpp LoRA: `python -m hopyard.training.export FOLDER FILE`."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

__all__ = ("export", "heads_of", "permuted", "read_gguf", "read_peft", "restored")

Array = npt.NDArray[Any]

_NAMES: Final = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}
_PROJECTIONS: Final = {tensor: projection for projection, tensor in _NAMES.items()}
_TENSOR: Final = re.compile(r"blk\.(\d+)\.(\w+)\.weight\.lora_([ab])$")
_KEY: Final = re.compile(r"layers\.(\d+)\.\w+\.(\w+_proj)\.lora_([AB])\.(?:\w+\.)?weight$")


def permuted(rows: Array, heads: int) -> Array:
    """Rows of a query or key projection, from Hugging Face's rotary order to llama.cpp's.

    Hugging Face turns the first half of a head's rows against the second; llama.cpp turns
    neighbours. Row i of the first half and row i of the second become rows 2i and 2i + 1.

    Args:
        rows: The matrix that makes the projection's rows, of shape (heads * 2 * n, any).
        heads: Heads of the projection.
    """
    half = rows.shape[0] // heads // 2
    turned: Array = rows.reshape(heads, 2, half, *rows.shape[1:]).swapaxes(1, 2)
    return turned.reshape(rows.shape)


def restored(rows: Array, heads: int) -> Array:
    """The inverse of `permuted`."""
    half = rows.shape[0] // heads // 2
    turned: Array = rows.reshape(heads, half, 2, *rows.shape[1:]).swapaxes(1, 2)
    return turned.reshape(rows.shape)


def heads_of(config: Any) -> dict[str, int]:
    """Heads of the projections whose rows are permuted, from a transformers configuration."""
    return {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}


def read_peft(folder: Path) -> tuple[dict[str, Array], float]:
    """The adapter's matrices by name, and its alpha."""
    from safetensors.numpy import load_file  # noqa: PLC0415

    config = json.loads((folder / "adapter_config.json").read_text())
    return load_file(folder / "adapter_model.safetensors"), float(config["lora_alpha"])


def export(
    matrices: dict[str, Array], alpha: float, heads: dict[str, int], file: Path, name: str
) -> None:
    """Write the adapter.

    Args:
        matrices: PEFT's matrices by PEFT's names.
        alpha: LoRA's alpha.
        heads: Heads of the query and of the key projection.
        file: The GGUF file to write.
        name: What the file says that it is.

    Raises:
        ValueError: A matrix is of a kind that the engine does not take.
    """
    import gguf  # noqa: PLC0415

    new = file.with_suffix(".new")
    writer = gguf.GGUFWriter(str(new), "llama")
    writer.add_type("adapter")
    writer.add_name(name)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", alpha)
    for key in sorted(matrices):
        found = _KEY.search(key)
        if not found:
            raise ValueError(f"{key} is no LoRA matrix of a Llama projection")
        layer, projection, side = found.groups()
        matrix = matrices[key].astype(np.float32)
        if side == "B" and projection in heads:
            matrix = permuted(matrix, heads[projection])
        tensor = f"blk.{layer}.{_NAMES[projection]}.weight.lora_{side.lower()}"
        writer.add_tensor(tensor, np.ascontiguousarray(matrix.astype(np.float16)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    new.replace(file)


def read_gguf(file: Path, heads: dict[str, int]) -> tuple[dict[str, Array], float]:
    """What `export` wrote, as `read_peft` gives it: matrices by PEFT's names, and alpha.

    Args:
        file: A llama.cpp LoRA.
        heads: As `export` was given them.

    Raises:
        ValueError: The file holds something else.
    """
    import gguf  # noqa: PLC0415

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


def main() -> None:
    """Read the arguments and export."""
    from hopyard.training.base import load_config  # noqa: PLC0415

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="what the training wrote to OUT/adapter")
    parser.add_argument("file", type=Path, help="the GGUF file to write")
    parser.add_argument("--base", default="embedded")
    options = parser.parse_args()
    matrices, alpha = read_peft(options.folder)
    heads = heads_of(load_config(options.base))
    export(matrices, alpha, heads, options.file, f"hopyard adapter of {options.base}")
    print(f"{options.file}: {options.file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
