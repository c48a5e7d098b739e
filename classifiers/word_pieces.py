"""MiniLM's word pieces for a T5: its tokenizer with an end token, its embeddings at any width."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from hopyard.models.builtin.embedding import MiniLMEmbedder
from hopyard.models.embedder import Vectors

__all__ = ("END", "PAD", "minilm_rows", "minilm_tokenizer", "project")

PAD: Final = "[PAD]"
END: Final = "[SEP]"


@cache
def _minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


def minilm_tokenizer() -> Any:
    """MiniLM's tokenizer, which ends a text with the end token and starts it with none.

    It removes a closing question mark, as the tokenizer of the small T5 does.
    """
    from tokenizers import Regex, normalizers, processors

    tokenizer = _minilm().tokenizer
    closing = normalizers.Replace(Regex(r"[\s?.]+$"), "")
    tokenizer.normalizer = normalizers.Sequence([closing, tokenizer.normalizer])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {END}", special_tokens=[(END, tokenizer.token_to_id(END))]
    )
    return tokenizer


def minilm_rows(width: int) -> Vectors:
    """MiniLM's word-piece embeddings at a width: [30,522, width]."""
    return project(_minilm().word_pieces, width)


def project(rows: Vectors, width: int) -> Vectors:
    """Rows on their first principal components, scaled to a mean square of 1.

    T5 starts from embeddings of variance 1 (Raffel et al. 2020); the components keep the angles
    between the centred rows as well as any linear map to that width can.

    Args:
        rows: [n, d].
        width: Components at most; with more than d, the rest are 0.

    Returns:
        [n, width].
    """
    centred = rows.astype(np.float64) - rows.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)  # [d, d], the largest component last
    components = centred @ axes[:, ::-1][:, :width]
    components = np.pad(components, ((0, 0), (0, width - components.shape[1])))
    return np.asarray(components / np.sqrt((components**2).mean()), dtype=np.float32)
