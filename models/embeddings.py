"""Embedding models by name: the built-in model, Ollama's, and every model that LangChain knows."""

from __future__ import annotations

import os
from functools import cache, cached_property
from typing import Any, Final, NoReturn

import numpy as np
from langchain_core.embeddings import Embeddings
from tokenizers import Tokenizer

from hopyard.models.embedder import Embedder, Instructions, Vector, Vectors, instructions_for
from hopyard.models.names import (
    BUILTIN_EMBEDDING,
    BUILTIN_MINILM,
    NO_EMBEDDING,
    check_provider,
    embedding_name,
)
from hopyard.models.servers.advice import first_line, unreachable_at
from hopyard.models.servers.failures import Failure, classify
from hopyard.state.errors import ModelUnreachableError, UsageError
from hopyard.state.settings.fields import AUTO

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
    """The embedding model of a name: registered, built in (one a process), or new.

    Args:
        spec: `builtin` or `auto`, `builtin:minilm`, `none` for no model, `ollama:NAME`, a
            registered name, or `provider:NAME` as LangChain's `init_embeddings` takes it.

    Raises:
        UsageError: The name has no provider, or the provider's package is missing.
    """
    if (registered := registered_embedder(spec)) is not None:
        return registered
    spec = embedding_name(spec)
    if spec in {AUTO, BUILTIN_EMBEDDING, BUILTIN_MINILM}:
        return _builtin(
            BUILTIN_MINILM if spec == BUILTIN_MINILM else BUILTIN_EMBEDDING, os.getpid()
        )
    if spec == NO_EMBEDDING:
        return NoEmbedder()
    provider, separator, name = spec.partition(":")
    if not separator or not name or not provider:
        raise UsageError(
            f"The embedding {spec!r} has no provider; use builtin, ollama:NAME or provider:NAME."
        )
    if provider == "ollama":
        from hopyard.models.ollama import connect_embedding

        cure = f"start it with `ollama serve` and fetch the model with `ollama pull {name}`"
        return LangChainEmbedder(spec, connect_embedding(name), cure)
    from langchain.embeddings import base

    check_provider("embedding", spec, base)
    # Passages fit the window. To count their tokens, LangChain would fetch OpenAI's tokenizer.
    options: dict[str, Any] = {"check_embedding_ctx_length": False} if provider == "openai" else {}
    try:
        model = base.init_embeddings(spec, **options)
    except Exception as error:  # no package, no key: many classes
        raise UsageError(f"The embedding {spec!r} cannot be used: {first_line(error)}.") from error
    return LangChainEmbedder(spec, model, f"check the address and the API key of {provider!r}")


@cache
def _builtin(name: str, process: int) -> Embedder:
    """A built-in model, which all that a process opens share: its weights take 300 MB.

    Memory that one thread has loaded weights into is not free for the next thread that loads them.
    A process that was forked loads its own.
    """
    del process
    if name == BUILTIN_MINILM:
        from hopyard.models.builtin.minilm import MiniLMEmbedder

        return MiniLMEmbedder()
    from hopyard.models.builtin.e5 import E5Embedder

    return E5Embedder()


class NoEmbedder:
    """The model of an index that embeds nothing. It has a window, and no vectors."""

    name = NO_EMBEDDING
    dimension = 1
    window = REMOTE_WINDOW
    tokenizer: Tokenizer | None = None

    def embed_documents(self, texts: list[str]) -> NoReturn:
        """Fail with a `UsageError`: there is no model."""
        del texts
        raise UsageError(
            "The index has no embedding model, because none of its kinds needs one: search it "
            "with --search sparse, or build it again with --with dense,sparse."
        )

    def embed_query(self, text: str) -> NoReturn:
        """Fail with a `UsageError`: there is no model."""
        self.embed_documents([text])


class LangChainEmbedder:
    """Any LangChain embedding model, with vectors scaled to length 1.

    It embeds texts as they are. `instructions` has the prefixes that the model wants, and an index
    keeps those that it was built with.
    """

    window = REMOTE_WINDOW
    tokenizer: Tokenizer | None = None

    def __init__(self, name: str, model: Embeddings, cure: str) -> None:
        self.name = name
        self._model = model
        self._cure = cure

    @property
    def instructions(self) -> Instructions:
        """The prefixes for questions and passages."""
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
            raise ModelUnreachableError(
                f"The embedding model {self.name} {_what_failed(error)}: {self._cure}."
            ) from error


def _what_failed(error: Exception) -> str:
    failure = classify(error)
    if failure is Failure.MISSING:
        return "was not found"
    if failure is Failure.REFUSED:
        return f"failed ({first_line(error)})"
    return f"does not answer{unreachable_at(error) or f' ({first_line(error)})'}"


def _unit(vectors: list[list[float]]) -> Vectors:
    array = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    return np.asarray(array / np.maximum(lengths, np.finfo(np.float32).tiny), dtype=np.float32)
