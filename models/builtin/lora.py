"""The built-in model's LoRA adapter: read from its GGUF file, and merged into the weights.

llama.cpp can apply an adapter while it computes, at the cost of two more products for each matrix.
The base weights are in Q4_1, for which llama.cpp has no fast kernel. Merged once and written in
Q8_0, the same model reads prompts about twice as fast (`benchmarks/builtin.py`), for 145 MB of
disk and a few seconds on first use.

The merged file is a cache: it can be deleted at any time.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from filelock import FileLock

from hopyard.models.builtin.weights import cache_folder

logger = logging.getLogger(__name__)

_KEPT: Final = 3
"""Merged files to keep: whoever trains adapters tries many."""
_COPIED: Final = "GGUF."
"""Prefix of the keys that the writer makes itself."""


def add_lora(
    weight: npt.NDArray[np.float32],
    down: npt.NDArray[np.float32],
    up: npt.NDArray[np.float32],
    alpha: float,
) -> npt.NDArray[np.float32]:
    """Compute LoRA's W + alpha / r · B A (Hu et al. 2021, section 4.1).

    Args:
        weight: W, of shape (outputs, inputs).
        down: A, of shape (r, inputs).
        up: B, of shape (outputs, r).
    """
    return weight + np.float32(alpha / down.shape[0]) * (up @ down)


def merge(base: Path, adapter: Path, out: Path) -> None:
    """Write the base model with the adapter merged into its weights, in Q8_0.

    Args:
        base: A GGUF model.
        adapter: A GGUF adapter for it.
        out: The file to write; it appears when it is complete.

    Raises:
        OSError: The file cannot be written.
        ValueError: A file is not a GGUF model or adapter, or they do not fit together.
    """
    import gguf
    from gguf.quants import dequantize, quantize

    model, added = gguf.GGUFReader(base), gguf.GGUFReader(adapter)
    alpha = added.get_field("adapter.lora.alpha")
    if alpha is None:
        raise ValueError(f"{adapter} is not an adapter")
    matrices = {
        tensor.name: dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        for tensor in added.tensors
    }
    new = out.with_suffix(f".{os.getpid()}")
    try:
        writer = gguf.GGUFWriter(new, "llama")
        _copy_fields(gguf, model, writer)
        quantized = gguf.GGMLQuantizationType.Q8_0
        for tensor in model.tensors:
            down = matrices.pop(f"{tensor.name}.lora_a", None)
            up = matrices.pop(f"{tensor.name}.lora_b", None)
            if down is None or up is None:
                writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
                continue
            weight = dequantize(tensor.data, tensor.tensor_type)
            weight = add_lora(weight, down, up, alpha.contents())
            writer.add_tensor(tensor.name, quantize(weight, quantized), raw_dtype=quantized)
        if matrices:
            raise ValueError(f"{adapter} changes {next(iter(matrices))}, which {base} lacks")
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        new.replace(out)
    finally:
        new.unlink(missing_ok=True)


def _copy_fields(gguf: Any, model: Any, writer: Any) -> None:
    for name, field in model.fields.items():
        if name.startswith(_COPIED) or name == gguf.Keys.General.ARCHITECTURE:
            continue
        value = field.contents()
        if name == gguf.Keys.General.FILE_TYPE:
            value = gguf.LlamaFileType.MOSTLY_Q8_0.value
        inner = field.types[-1] if len(field.types) > 1 else None
        writer.add_key_value(name, value, field.types[0], sub_type=inner)


def weights_with_adapter(base: Path, adapter: Path, name: str) -> Path | None:
    """The merged file of that name; the first call makes it.

    Args:
        base: A GGUF model.
        adapter: A GGUF adapter for it.
        name: A name for the contents of both.

    Returns:
        The file, or None if it cannot be made: then the engine applies the adapter itself, and the
        log says why.
    """
    folder = cache_folder() / "engine"
    file = folder / f"{name}.gguf"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "merge.lock"):
            if file.is_file():
                os.utime(file)
            else:
                logger.info("merging the adapter into the built-in model, once, in %s", file)
                merge(base, adapter, file)
                _delete_oldest(folder)
    except (OSError, ValueError, MemoryError) as error:
        logger.warning(
            "cannot store the merged weights in %s, so the built-in model runs slower (%s)",
            folder,
            error,
        )
        return None
    return file


def _delete_oldest(folder: Path) -> None:
    newest = sorted(folder.glob("*.gguf"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in newest[_KEPT:]:
        old.unlink(missing_ok=True)
