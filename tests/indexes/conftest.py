"""A deterministic embedding model and a small corpus, for every test of the indexes."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from hopyard.indexes.corpus.records import Document
from hopyard.models.embedder import Embedder, Vector, Vectors


class FakeEmbedder:
    """Adds up one random direction a word, so texts that share words lie close together."""

    def __init__(
        self,
        name: str = "fake",
        *,
        dimension: int = 32,
        window: int = 64,
        remote: bool = False,
        log: Path | None = None,
        seconds: float = 0.0,
        before: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.window = window
        self.tokenizer = None if remote else word_tokenizer()
        self.embedded: list[str] = []
        self._log = log
        self._seconds = seconds
        self._before = before

    def embed_documents(self, texts: list[str]) -> Vectors:
        if self._before:
            self._before()
        time.sleep(self._seconds)
        self.embedded += texts
        if self._log:
            with self._log.open("a") as log:
                log.writelines(f"{hashlib.sha256(text.encode()).hexdigest()}\n" for text in texts)
        return np.stack([self._embed(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        return self._embed(text)

    def _embed(self, text: str) -> Vector:
        words = text.lower().split()
        directions = (direction(self.name, word, self.dimension) for word in words)
        total = sum(directions, np.zeros(self.dimension))
        return (total / np.linalg.norm(total)).astype(np.float32)


@lru_cache(maxsize=4096)
def direction(name: str, word: str, dimension: int) -> np.ndarray:
    """A random direction of a word, another one under each embedder's name."""
    seed = int.from_bytes(hashlib.sha256(f"{name} {word}".encode()).digest()[:8])
    return np.random.default_rng(seed).normal(size=dimension)


def word_tokenizer() -> Tokenizer:
    """One token a word or a run of punctuation."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def numbered_documents(count: int) -> list[Document]:
    """Documents that share some words and not others."""
    names = ("river", "mountain", "singer", "album", "king", "castle", "physics")
    return [
        Document(
            id=f"d{number:04d}",
            title=f"Page {number}",
            text=f"The {names[number % 7]} of {names[number % 5]} number {number} was first.",
            metadata={"number": number},
            source="corpus.jsonl",
        )
        for number in range(count)
    ]


@pytest.fixture
def make_embedder() -> type[FakeEmbedder]:
    return FakeEmbedder


@pytest.fixture
def embedder() -> Embedder:
    return FakeEmbedder()


@pytest.fixture
def make_documents() -> Callable[[int], list[Document]]:
    return numbered_documents


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture(autouse=True)
def attempts(one_attempt: None) -> None:
    """Every call has one attempt, unless a test sets `retries`."""
