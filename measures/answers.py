"""Measures of a short answer against gold answers."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

_ARTICLES: Final = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION: Final = frozenset(string.punctuation)
_UNKNOWN: Final = "unknown"
"""`hopyard.prompts.answer.UNKNOWN`, normalised."""
_NO_ANSWER: Final = "insufficient information"
"""MultiHop-RAG's gold answer to an unanswerable question, normalised; SQuAD 2.0's is empty."""


def normalize_answer(text: str) -> str:
    """Lower-case a text and remove punctuation, articles and extra white space.

    Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016,
    `normalize_answer` of the evaluation script.
    """
    bare = "".join(character for character in text.lower() if character not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def is_unanswered(answer: str) -> bool:
    """Whether the text is no answer: empty, or "Unknown"."""
    return not answer.strip() or normalize_answer(answer) == _UNKNOWN


def is_no_answer(gold: str) -> bool:
    """Whether a gold answer says that no answer exists: empty, or MultiHop-RAG's text."""
    return not gold.strip() or normalize_answer(gold) == _NO_ANSWER


def exact_match(answer: str, gold: str) -> float:
    """1 if the normalised texts are the same, else 0 (SQuAD).

    If the gold answer says that there is no answer, 1 for an answer that says the same.
    """
    if is_no_answer(gold) and is_unanswered(answer):
        return 1.0
    return float(normalize_answer(answer) == normalize_answer(gold))


def token_f1(answer: str, gold: str) -> float:
    """Harmonic mean of precision and recall over the normalised words (SQuAD), 0 to 1."""
    if exact_match(answer, gold):
        return 1.0
    given, wanted = normalize_answer(answer).split(), normalize_answer(gold).split()
    shared = (Counter(given) & Counter(wanted)).total()
    if not shared:
        return 0.0
    return 2 * shared / (len(given) + len(wanted))


def contains_answer(answer: str, gold: str) -> float:
    """1 if the answer contains the gold answer, word for word, else 0.

    The accuracy of Con-RAG and Self-RAG. Their substring test finds "no" in "unknown"; this
    compares whole normalised words.
    """
    if exact_match(answer, gold):
        return 1.0
    wanted = normalize_answer(gold)
    return float(bool(wanted) and f" {wanted} " in f" {normalize_answer(answer)} ")


def best(scores: Iterable[float]) -> float:
    """The best score over several gold answers; 0 without any."""
    return max(scores, default=0.0)


def score_answer(answer: str, answers: Sequence[str]) -> dict[str, float]:
    """All three measures against the gold answer that fits best.

    Args:
        answers: Gold answers, each right by itself; empty if there is no answer.
    """
    golds = answers or ("",)
    return {
        "em": best(exact_match(answer, gold) for gold in golds),
        "f1": best(token_f1(answer, gold) for gold in golds),
        "accuracy": best(contains_answer(answer, gold) for gold in golds),
    }
