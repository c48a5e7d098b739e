"""Write a PEFT adapter as a llama.cpp LoRA: `python -m lab.export FOLDER FILE`."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Final

import numpy as np

from hopyard.models.builtin.lora import TENSOR_NAMES, Array, heads_of

__all__ = ("export", "permute_rows", "read_peft")

_KEY: Final = re.compile(r"layers\.(\d+)\.\w+\.(\w+_proj)\.lora_([AB])\.(?:\w+\.)?weight$")


def permute_rows(rows: Array, heads: int) -> Array:
    """Rows of a query or key projection, from Hugging Face's rotary order to llama.cpp's.

    Hugging Face rotates the first half of a head's rows against the second; llama.cpp rotates
    neighbours. Row i of the first half and row i of the second become rows 2i and 2i + 1.

    Args:
        rows: The matrix that makes the projection's rows, of shape (heads * 2 * n, any).
        heads: Heads of the projection.
    """
    half = rows.shape[0] // heads // 2
    turned: Array = rows.reshape(heads, 2, half, *rows.shape[1:]).swapaxes(1, 2)
    return turned.reshape(rows.shape)


def read_peft(folder: Path) -> tuple[dict[str, Array], float]:
    """The adapter's matrices by name, and its alpha."""
    from safetensors.numpy import load_file

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
        name: The name in the file.

    Raises:
        ValueError: The engine does not support a matrix of this kind.
    """
    import gguf

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
            matrix = permute_rows(matrix, heads[projection])
        tensor = f"blk.{layer}.{TENSOR_NAMES[projection]}.weight.lora_{side.lower()}"
        writer.add_tensor(tensor, np.ascontiguousarray(matrix.astype(np.float16)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    new.replace(file)


def main() -> None:
    """Read the arguments and export."""
    from lab.base import load_config

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
