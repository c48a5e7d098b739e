"""The measures of the report: exact match, token F1, AUROC."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ("auroc", "best", "exact_match", "normalized", "pair_f1", "token_f1")

_ARTICLES: Final = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION: Final = str.maketrans("", "", string.punctuation)


def normalized(text: str) -> str:
    """Lower case, without punctuation, articles and needless space (Rajpurkar et al. 2016)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, gold: str) -> float:
    """1 where the normalised texts are the same, else 0."""
    return float(normalized(answer) == normalized(gold))


def token_f1(answer: str, gold: str) -> float:
    """The harmonic mean of precision and recall over normalised words (Rajpurkar et al. 2016)."""
    given, wanted = normalized(answer).split(), normalized(gold).split()
    if not given or not wanted:
        return float(given == wanted)
    shared = (Counter(given) & Counter(wanted)).total()
    return 2 * shared / (len(given) + len(wanted))


def best(scores: Iterable[float]) -> float:
    """The best over several gold answers; 0 without any."""
    return max(scores, default=0.0)


def pair_f1(given: Sequence[str], wanted: Sequence[str]) -> float:
    """Mean token F1 of two sub-questions with the gold two, in the better order."""
    first, second = given
    one, other = wanted
    straight = token_f1(first, one) + token_f1(second, other)
    crossed = token_f1(first, other) + token_f1(second, one)
    return max(straight, crossed) / 2


def auroc(good: Sequence[float], bad: Sequence[float]) -> float:
    """The chance that a good one scores above a bad one; ties count half (Mann-Whitney U)."""
    if not good or not bad:
        return float("nan")
    wins = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    return wins / (len(good) * len(bad))
