"""The interface of embedding models, and the prefixes that some of them expect before a text.

A model that was trained with a prefix finds less without. The wordings are those of the models' own
documentation. The implementations are in `models.embeddings`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

Vector = NDArray[np.float32]
"""An embedding, shape [d]."""
Vectors = NDArray[np.float32]
"""Embeddings, shape [n, d]: each row is an embedding."""


@runtime_checkable
class Embedder(Protocol):
    """An embedding model."""

    @property
    def name(self) -> str:
        """A spec that selects this model, such as `ollama:NAME`. Indexes store it."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def window(self) -> int:
        """Maximum number of tokens that the model reads, including its special tokens."""

    @property
    def tokenizer(self) -> Tokenizer | None:
        """The model's tokenizer, or None if the model is remote and does not share it."""

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Embed texts for the index.

        Returns:
            [n, d] float32, each row of length 1, so that inner products are cosines.
        """

    def embed_query(self, text: str) -> Vector:
        """Embed a question: [d] float32, of length 1."""


@dataclass(frozen=True)
class Instructions:
    """The prefixes of embedded texts.

    Attributes:
        query: Before a question.
        passage: Before a passage, and whatever else an index holds.
    """

    query: str = ""
    passage: str = ""


_TASK: Final = "Given a web search query, retrieve relevant passages that answer the query"
_ENGLISH: Final = "Represent this sentence for searching relevant passages: "
_CHINESE: Final = "为这个句子生成表示以用于检索相关文章："

_BY_NAME: Final = tuple(
    (re.compile(name, re.IGNORECASE), instructions)
    for name, instructions in (
        (r"qwen3[-_]embedding", Instructions(f"Instruct: {_TASK}\nQuery:")),
        (r"\be5[-_](mistral|.*instruct)", Instructions(f"Instruct: {_TASK}\nQuery: ")),
        (r"\be5[-_]", Instructions("query: ", "passage: ")),
        (r"\bbge[-_](small|base|large)[-_]zh", Instructions(_CHINESE)),
        (r"\bbge[-_](small|base|large)", Instructions(_ENGLISH)),
        (r"mxbai[-_]embed", Instructions(_ENGLISH)),
        (r"arctic[-_]embed(2|.*v2)", Instructions("query: ")),
        (r"arctic[-_]embed", Instructions(_ENGLISH)),
        (r"nomic[-_]embed[-_]text", Instructions("search_query: ", "search_document: ")),
        (
            r"embedding[-_]?gemma",
            Instructions("task: search result | query: ", "title: none | text: "),
        ),
    )
)


def instructions_for(name: str) -> Instructions:
    """The instructions of the model of a name, such as `ollama:nomic-embed-text`; mostly none."""
    return next((found for pattern, found in _BY_NAME if pattern.search(name)), Instructions())
