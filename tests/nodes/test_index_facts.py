"""How near a question is to an index."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from building import build

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.dense.flat import FlatIndex
from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.models.embeddings import embedder
from hopyard.nodes.index_facts import nearness

TEXTS = ("red boat harbour", "red boat", "blue sea", "green hill")


@pytest.fixture(scope="module")
def words() -> SparseIndex:
    return SparseIndex.build([f"p{n}" for n in range(len(TEXTS))], [(text,) for text in TEXTS])


def idf(count: int, texts: int = len(TEXTS)) -> float:
    return math.log(1 + (texts - count + 0.5) / (count + 0.5))


def test_shares_by_hand(words: SparseIndex) -> None:
    held, known = words.shares("harbour")
    [(_, score)] = words.search("harbour", 1)
    assert held == pytest.approx(score / idf(1))
    assert known == 1
    # "submarine" is in no text, and weighs as much as the rarest word that is
    held, known = words.shares("harbour submarine")
    assert held == pytest.approx(score / idf(1))
    assert known == pytest.approx(0.5)
    _, known = words.shares("boat submarine")
    assert known == pytest.approx(idf(2) / (idf(2) + idf(1)))


@pytest.mark.parametrize("text", ["", "the of", "submarine", "???"])
def test_nothing_is_shared_with_what_the_corpus_lacks(words: SparseIndex, text: str) -> None:
    assert words.shares(text) == (0.0, 0.0)


def test_a_word_twice_weighs_once(words: SparseIndex) -> None:
    assert words.shares("harbour harbour") == words.shares("harbour")


def test_the_background_is_the_mean_over_the_corpus() -> None:
    vectors = np.eye(4, dtype=np.float32)
    index = FlatIndex.build(list("abcd"), vectors)
    mean, deviation = index.background(np.array([1, 0, 0, 0], dtype=np.float32))
    assert mean == pytest.approx(0.25)
    assert deviation == pytest.approx(math.sqrt(0.1875))


def made(folder: Path, texts: Sequence[str], kinds: tuple[str, ...]) -> Index:
    documents = [Document(f"d{n}", "", text) for n, text in enumerate(texts)]
    build(documents, directory=folder, embedder=embedder("builtin"), kinds=kinds)
    return Index.open(folder)


def test_a_question_is_nearer_to_the_corpus_that_it_is_about(tmp_path: Path) -> None:
    question = "Which moons does Mars have?"
    vector = embedder("builtin").embed_query(question)
    planets = ["Mars has two moons, Phobos and Deimos.", "Venus has none.", "The Sun is a star."]
    recipes = ["Boil the pasta for nine minutes.", "Chop an onion.", "Bake at 180 degrees."]
    with made(tmp_path / "p", planets, ("dense", "sparse")) as index:
        near = nearness(question, vector, index)
    with made(tmp_path / "r", recipes, ("dense", "sparse")) as index:
        far = nearness(question, vector, index)
    assert None not in near
    for name in ("cosine", "words", "known"):
        assert getattr(near, name) > getattr(far, name), name


def test_a_part_that_is_missing_is_not_measured(tmp_path: Path) -> None:
    with made(tmp_path / "s", ["Mars has two moons."], ("sparse",)) as index:
        found = nearness("Mars?", None, index)
    assert (found.cosine, found.outstanding) == (None, None)
    assert found.words is not None
    assert found.known == 1
    assert Nearness() == UNMEASURED
