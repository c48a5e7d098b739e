"""The common parts of the built-in embedding models: a transformer's layers, run by onnxruntime.

`lab/encoder_graphs.py` writes the layers without their weights, which are in the package of each
model. PyTorch is not needed: it takes seconds to import.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from hopyard.models.builtin.weights import PackagedModel, files_of
from hopyard.models.concurrency import usable_cores
from hopyard.models.embedder import Instructions, Vector, Vectors
from hopyard.models.servers.advice import first_line
from hopyard.state.errors import ModelUnreachableError
from hopyard.state.extras import install_command, require

BATCH_TOKENS: Final = 512
"""Tokens that are computed together, or one text. More do not fit in the CPU cache."""
_PADDING: Final = 0

Ids = NDArray[np.int64]
"""Tokens, shape [n, t]."""

ReadT = TypeVar("ReadT")


class Encoder:
    """Layers with their weights. Any thread may use it."""

    def __init__(
        self,
        graph: Path,
        weights: Mapping[str, NDArray[Any]],
        word_vectors: Callable[[Ids], Vectors],
    ) -> None:
        """Load the layers.

        Args:
            graph: Their file, from `words` [n, t, d] and `mask` [n, t] to `vectors` [n, d].
            weights: The values of the weights in it, by name.
            word_vectors: The vectors of tokens before the first layer: [n, t, d].
        """
        import onnxruntime

        self._word_vectors = word_vectors
        # onnxruntime does not copy the arrays: they have to live as long as the session.
        self._weights = {
            name: onnxruntime.OrtValue.ortvalue_from_numpy(values)
            for name, values in weights.items()
        }
        options = onnxruntime.SessionOptions()
        options.add_external_initializers(list(self._weights), list(self._weights.values()))
        # With the default, 0, it binds threads to cores, also to those this process may not use.
        options.intra_op_num_threads = usable_cores()
        # Idle threads sleep: the built-in chat model needs the cores.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"]
        )

    def vectors(self, texts: Sequence[Sequence[int]], dimension: int) -> Vectors:
        """Embed texts, given as tokens: [n, d]. Texts of similar length are computed together."""
        vectors = np.empty((len(texts), dimension), dtype=np.float32)
        for places in _batches([len(text) for text in texts]):
            vectors[places] = self._batch([texts[place] for place in places])
        return vectors

    def _batch(self, texts: Sequence[Sequence[int]]) -> Vectors:
        """Embed texts of similar length, the longest last: [n, d]."""
        ids = np.full((len(texts), len(texts[-1])), _PADDING, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, text in enumerate(texts):
            ids[row, : len(text)] = text
            mask[row, : len(text)] = 1
        inputs = {"words": self._word_vectors(ids), "mask": mask}
        vectors: Vectors = self._session.run(["vectors"], inputs)[0]
        return vectors


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of texts that are computed together, the shortest first."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: lengths[place]):
        if batch and (len(batch) + 1) * lengths[place] > BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


class BuiltinEmbedder(ABC):
    """An embedding model of this process, loaded when first used. Any thread may use it."""

    name: ClassVar[str]
    dimension: ClassVar[int]
    window: ClassVar[int]
    model: ClassVar[PackagedModel]
    """The package of its weights."""
    instructions: ClassVar[Instructions] = Instructions()

    def __init__(self) -> None:
        self._loading = threading.Lock()
        self._encoder: Encoder | None = None

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The model's own tokenizer, without truncation and padding."""
        # With threads of their own, tokenizers would warn in a process that forks later.
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        return self._read(self._read_tokenizer)

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts: [n, d], each row of length 1."""
        with self._loading:
            self._encoder = encoder = self._encoder or self._read(self._read_encoder)
        found = self.tokenizer.encode_batch(texts)
        return encoder.vectors([self._fitting(text.ids) for text in found], self.dimension)

    def embed_query(self, text: str) -> Vector:
        """Embed a question: [d], of length 1."""
        vector: Vector = self.embed_documents([text])[0]
        return vector

    def _fitting(self, tokens: list[int]) -> list[int]:
        """The first tokens that the model reads, and the last, which ends every text."""
        most = self.window
        return tokens if len(tokens) <= most else [*tokens[: most - 1], tokens[-1]]

    def _read(self, reading: Callable[[Path], ReadT]) -> ReadT:
        """Read files of the model's folder.

        Raises:
            ModelUnreachableError: The folder is not there, or a file is damaged.
        """
        require("The built-in embedding model", "builtin", ModelUnreachableError)
        folder = files_of(self.model)
        try:
            return reading(folder)
        except Exception as error:  # tokenizers and onnxruntime raise `Exception` itself
            raise ModelUnreachableError(
                f"The built-in embedding model cannot be loaded ({first_line(error)}); install it "
                f"again with `{install_command('builtin')}`."
            ) from error

    @abstractmethod
    def _read_tokenizer(self, folder: Path) -> Tokenizer:
        """Read the tokenizer."""

    @abstractmethod
    def _read_encoder(self, folder: Path) -> Encoder:
        """Read the weights."""
