"""The embedded model with an adapter worked into its weights, for the engine to run faster.

llama.cpp can apply an adapter while it computes, at the cost of two more products a matrix; and the
weights as they come, in Q4_1, are none that its fast matrix product knows. Merged once and written
in Q8_0, the same model reads prompts about twice as fast (`benchmarks/embedded.py`), for 145 MB of
disk and some seconds at the first use.

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
from platformdirs import user_cache_path

__all__ = ("CACHE_VARIABLE", "MERGED", "merge", "merged", "merged_weights")

logger = logging.getLogger(__name__)

MERGED: Final = "q8_0"
"""How merged weights are stored."""
CACHE_VARIABLE: Final = "HOPYARD_CACHE"
_KEPT: Final = 3
"""Merged files that stay: whoever trains adapters tries many."""
_COPIED: Final = "GGUF."
"""How the keys begin that the writer makes itself."""


def merged(
    weight: npt.NDArray[np.float32],
    down: npt.NDArray[np.float32],
    up: npt.NDArray[np.float32],
    alpha: float,
) -> npt.NDArray[np.float32]:
    """LoRA's W + alpha / r · B A (Hu et al. 2021, section 4.1).

    Args:
        weight: W, of shape (outputs, inputs).
        down: A, of shape (r, inputs).
        up: B, of shape (outputs, r).
        alpha: The adapter's scale.
    """
    return weight + np.float32(alpha / down.shape[0]) * (up @ down)


def merge(base: Path, adapter: Path, out: Path) -> None:
    """Write the base's weights with the adapter in them, in Q8_0.

    Args:
        base: A GGUF model.
        adapter: A GGUF adapter for it.
        out: The file to write; it appears when it is whole.

    Raises:
        OSError: The file cannot be written.
        ValueError: A file is no GGUF model or adapter, or one does not fit the other.
    """
    import gguf
    from gguf.quants import dequantize, quantize

    model, added = gguf.GGUFReader(base), gguf.GGUFReader(adapter)
    alpha = added.get_field("adapter.lora.alpha")
    if alpha is None:
        raise ValueError(f"{adapter} is no adapter")
    matrices = {
        one.name: dequantize(one.data, one.tensor_type).astype(np.float32) for one in added.tensors
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
            weight = merged(dequantize(tensor.data, tensor.tensor_type), down, up, alpha.contents())
            writer.add_tensor(tensor.name, quantize(weight, quantized), raw_dtype=quantized)
        if matrices:
            raise ValueError(f"{adapter} changes {next(iter(matrices))}, which {base} has not")
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


def merged_weights(base: Path, adapter: Path, name: str) -> Path | None:
    """The merged file of that name, made at the first call.

    Args:
        base: A GGUF model.
        adapter: A GGUF adapter for it.
        name: A name for both contents together.

    Returns:
        The file; None where it cannot be made: then the engine applies the adapter itself, and the
        log says why.
    """
    folder = Path(os.environ.get(CACHE_VARIABLE) or user_cache_path("hopyard")) / "engine"
    file = folder / f"{name}.gguf"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "merge.lock"):
            if file.is_file():
                os.utime(file)
            else:
                logger.info("working the adapter into the embedded model, once, in %s", file)
                merge(base, adapter, file)
                _forget(folder)
    except (OSError, ValueError, MemoryError) as error:
        logger.warning(
            "the embedded model runs slower: no merged weights in %s (%s)", folder, error
        )
        return None
    return file


def _forget(folder: Path) -> None:
    newest = sorted(folder.glob("*.gguf"), key=lambda one: one.stat().st_mtime, reverse=True)
    for old in newest[_KEPT:]:
        old.unlink(missing_ok=True)
