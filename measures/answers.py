"""Measures of a short answer against gold answers."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from hopyard.prompts.answer import UNKNOWN

__all__ = (
    "best",
    "contains_answer",
    "exact_match",
    "is_unanswered",
    "measured",
    "normalized",
    "token_f1",
)

_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION: Final = frozenset(string.punctuation)
_NO_ANSWER: Final = "insufficient information"
"""MultiHop-RAG's gold answer where there is none, normalised; SQuAD 2.0's is an empty text."""


def normalized(text: str) -> str:
    """Lower case, without punctuation, articles and needless space.

    Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016,
    `normalize_answer` of the evaluation script.
    """
    bare = "".join(character for character in text.lower() if character not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def is_unanswered(answer: str) -> bool:
    """Whether the answer is none: empty, or the word that stands for it."""
    return not answer.strip() or normalized(answer) == normalized(UNKNOWN)


def exact_match(answer: str, gold: str) -> float:
    """1 where the normalised texts are the same, else 0 (SQuAD).

    Where the gold answer says that there is none, 1 for an answer that says so too.
    """
    no_answer = not gold.strip() or normalized(gold) == _NO_ANSWER
    if no_answer and is_unanswered(answer):
        return 1.0
    return float(normalized(answer) == normalized(gold))


def token_f1(answer: str, gold: str) -> float:
    """Harmonic mean of precision and recall over the normalised words (SQuAD), 0 to 1."""
    if exact_match(answer, gold):
        return 1.0
    given, wanted = normalized(answer).split(), normalized(gold).split()
    shared = (Counter(given) & Counter(wanted)).total()
    if not shared:
        return 0.0
    return 2 * shared / (len(given) + len(wanted))


def contains_answer(answer: str, gold: str) -> float:
    """1 where the answer contains the gold answer, word for word, else 0.

    The accuracy of Con-RAG and of Self-RAG, whose substring test finds "no" in "unknown"; here
    whole words are compared, normalised.
    """
    if exact_match(answer, gold):
        return 1.0
    wanted = normalized(gold)
    return float(bool(wanted) and f" {wanted} " in f" {normalized(answer)} ")


def best(scores: Iterable[float]) -> float:
    """The best over several gold answers; 0 without any."""
    return max(scores, default=0.0)


def measured(answer: str, answers: Sequence[str]) -> dict[str, float]:
    """All three measures against the gold answer that fits best.

    Args:
        answer: What was answered.
        answers: Gold answers, each right by itself; none says that there is no answer.
    """
    golds = answers or ("",)
    return {
        "em": best(exact_match(answer, gold) for gold in golds),
        "f1": best(token_f1(answer, gold) for gold in golds),
        "accuracy": best(contains_answer(answer, gold) for gold in golds),
    }
