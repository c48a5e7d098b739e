"""The mean of two adapters: `python -m lab.average ONE.gguf OTHER.gguf FILE.gguf`.

Further training improves some steps and worsens others; a mean of both adapters keeps most of the
gains (Wortsman et al., "Robust fine-tuning of zero-shot models", 2022, interpolate weights). The
mean is taken of the change of each weight matrix, B·A. It has up to twice the rank, and a singular
value decomposition reduces it to the rank of the first adapter.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hopyard.models.builtin.lora import heads_of, read_gguf
from lab.export import export

__all__ = ("between", "main")

Array = npt.NDArray[Any]


def between(
    first: dict[str, Array], second: dict[str, Array], share: float
) -> tuple[dict[str, Array], float]:
    """Mix (1 - share) of one adapter's changes and `share` of another's, at the first one's rank.

    Args:
        first: Matrices by PEFT's names, A of shape (rank, inputs) and B of shape (outputs, rank).
        second: The same of an adapter of the same base.
        share: 0 to 1.

    Returns:
        The matrices, and the smallest share of the mean's energy (squared singular values) that a
        matrix keeps, 0 to 1.

    Raises:
        ValueError: The adapters change different matrices.
    """
    if first.keys() != second.keys():
        raise ValueError("the two adapters change different matrices")
    mixed: dict[str, Array] = {}
    kept = 1.0
    for name, matrix in first.items():
        if ".lora_A." not in name:
            continue
        opposite = name.replace(".lora_A.", ".lora_B.")
        left = np.concatenate([(1 - share) * first[opposite], share * second[opposite]], axis=1)
        right = np.concatenate([matrix, second[name]], axis=0)
        # left @ right by way of two thin factors: no matrix of outputs times inputs is made.
        columns, upper = np.linalg.qr(left)
        rows, lower = np.linalg.qr(right.T)
        u, values, v = np.linalg.svd(upper @ lower.T)
        rank = matrix.shape[0]
        root = np.sqrt(values[:rank])
        mixed[opposite] = (columns @ u[:, :rank]) * root
        mixed[name] = (root[:, None] * v[:rank]) @ rows.T
        energy = float((values**2).sum())
        if energy:
            kept = min(kept, float((values[:rank] ** 2).sum()) / energy)
    return mixed, kept


def main() -> None:
    """Read the arguments and write the mean."""
    from lab.base import load_config

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("one", type=Path)
    parser.add_argument("other", type=Path)
    parser.add_argument("file", type=Path, help="the GGUF file to write")
    parser.add_argument("--share", type=float, default=0.5, help="of the other, 0 to 1")
    parser.add_argument("--base", default="embedded")
    options = parser.parse_args()
    heads = heads_of(load_config(options.base))
    (first, alpha), (other, its_alpha) = (
        read_gguf(path, heads) for path in (options.one, options.other)
    )
    if alpha != its_alpha:
        raise SystemExit(f"alpha is {alpha} in {options.one} and {its_alpha} in {options.other}")
    try:
        mixed, kept = between(first, other, options.share)
    except ValueError as error:
        raise SystemExit(f"{options.one} and {options.other}: {error}") from error
    export(mixed, alpha, heads, options.file, f"hopyard adapter of {options.base}")
    print(f"{options.file}: keeps {kept:.4f} of the mean at least")


if __name__ == "__main__":
    main()
