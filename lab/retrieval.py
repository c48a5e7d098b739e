"""Distractors: the passages that a search for the question would bring along."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import bm25s
import numpy as np

from hopyard.nodes.answer import CHARACTERS_A_TOKEN, snippet
from hopyard.prompts.passages import passage_lines
from hopyard.state.settings import Context
from lab.sources import Guard, Passage, Source

__all__ = ("Shelf", "gold_or_near")

_EASY_READING = 0.2
"""Share of contexts that hold the gold passages alone, as the measurement's do."""


class Shelf:
    """The passages of a set that training may read, and a search over them."""

    def __init__(self, source: Source, guard: Guard) -> None:
        self.passages = [one for one in source.passages.values() if guard.allows(one)]
        self.by_id = {one.id: one for one in self.passages}
        self._index = bm25s.BM25()
        texts = [f"{one.title} {one.text}" for one in self.passages]
        self._index.index(_tokens(texts), show_progress=False)

    def near(self, question: str, count: int) -> list[Passage]:
        """The passages that a keyword search finds for the question, the best first."""
        count = min(count, len(self.passages))
        found, _ = self._index.retrieve(_tokens([question]), k=count, show_progress=False)
        return [self.passages[int(at)] for at in np.asarray(found)[0]]


def gold_or_near(
    question: str,
    gold: Sequence[Passage],
    shelf: Shelf,
    rng: random.Random,
    *,
    without: Iterable[str] = (),
    longest: int = 0,
    alone: float = _EASY_READING,
) -> str:
    """The passages of one reading prompt: the gold ones among others that a search brings.

    Args:
        question: What is searched for.
        gold: The passages to hold; none for a question that shall stay unanswered.
        shelf: Where the others come from.
        rng: Chooses how many there are and where the gold ones stand.
        without: Ids that must not appear.
        longest: Characters of a passage at most; 0 is the product's own snippet length.
        alone: How often the gold passages stand alone, 0 to 1.
    """
    settings = Context().retrieval
    kept = {one.id for one in gold} | set(without)
    others = [one for one in shelf.near(question, 3 * settings.k) if one.id not in kept]
    nothing_else = bool(gold) and rng.random() < alone
    # As many as the product shows, or fewer, and shorter ones: they cost less.
    count = 0 if nothing_else else rng.randint(1, max(settings.k - len(gold), 1))
    shown = [*gold, *others[:count]]
    # A search puts what it finds near the front more often than not, but not always first.
    places = {one.id: rng.random() * (0.7 if one.id in kept else 1.0) for one in shown}
    shown.sort(key=lambda one: places[one.id])
    whole = longest or settings.snippet_tokens * CHARACTERS_A_TOKEN
    return passage_lines(
        [
            (
                one.title,
                snippet(one.text, whole if one.id in kept else min(whole, rng.randint(200, 700))),
            )
            for one in shown
        ]
    )


def _tokens(texts: list[str]) -> object:
    return bm25s.tokenize(texts, stopwords="en", show_progress=False)
