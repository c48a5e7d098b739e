"""Distractors: passages that a search for the question finds besides the gold ones."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import bm25s
import numpy as np

from hopyard.prompts.passages import passage_lines, snippet
from hopyard.state.settings.fields import Context
from hopyard.state.text.tokens import characters_within
from lab.sources import Guard, Passage, Source

__all__ = ("Shelf", "gold_or_near")

_EASY_READING = 0.2
"""Share of contexts with only the gold passages, as in the measurement."""


class Shelf:
    """The passages of a set that training may read, and a search over them."""

    def __init__(self, source: Source, guard: Guard) -> None:
        self.passages = [passage for passage in source.passages.values() if guard.allows(passage)]
        self.by_id = {passage.id: passage for passage in self.passages}
        self._index = bm25s.BM25()
        texts = [f"{passage.title} {passage.text}" for passage in self.passages]
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
    """The passages of a reading prompt: the gold ones among others that a search finds.

    Args:
        question: The question to search for.
        gold: The passages to include; none for a question without an answer.
        shelf: Where the others come from.
        rng: Chooses how many there are and where the gold ones stand.
        without: Ids that must not appear.
        longest: Characters of a passage at most; 0 is the product's own snippet length.
        alone: How often the gold passages stand alone, 0 to 1.
    """
    settings = Context().retrieval
    kept = {passage.id for passage in gold} | set(without)
    others = [passage for passage in shelf.near(question, 3 * settings.k) if passage.id not in kept]
    nothing_else = bool(gold) and rng.random() < alone
    # As many as the product shows, or fewer, and shorter ones: they cost less.
    count = 0 if nothing_else else rng.randint(1, max(settings.k - len(gold), 1))
    shown = [*gold, *others[:count]]
    # A search ranks gold passages near the front, but not always first.
    places = {passage.id: rng.random() * (0.7 if passage.id in kept else 1.0) for passage in shown}
    shown.sort(key=lambda passage: places[passage.id])

    def room(passage: Passage) -> int:
        whole = longest or characters_within(passage.text, settings.snippet_tokens)
        return whole if passage.id in kept else min(whole, rng.randint(200, 700))

    return passage_lines(
        [(passage.title, snippet(passage.text, room(passage))) for passage in shown]
    )


def _tokens(texts: list[str]) -> object:
    return bm25s.tokenize(texts, stopwords="en", show_progress=False)
