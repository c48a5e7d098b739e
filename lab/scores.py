"""Measures of the report: those of the evaluation, and some for pairs and judges."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopyard.classifiers.evaluate import auroc as area
from hopyard.measures.answers import best, exact_match, token_f1
from hopyard.prompts.answer import UNKNOWN

__all__ = ("auroc", "best", "exact_match", "pair_f1", "short", "token_f1")


def pair_f1(given: Sequence[str], wanted: Sequence[str]) -> float:
    """Mean token F1 of two sub-questions with the gold two, in the better order."""
    first, second = given
    gold_first, gold_second = wanted
    straight = token_f1(first, gold_first) + token_f1(second, gold_second)
    crossed = token_f1(first, gold_second) + token_f1(second, gold_first)
    return max(straight, crossed) / 2


def auroc(good: Sequence[float], bad: Sequence[float]) -> float:
    """The chance that a good case scores above a bad case; ties count half."""
    return area([*good, *bad], [1] * len(good) + [0] * len(bad))


def short(answer: str) -> str:
    """An answer as the product wants it: yes and no in lower case, no article, no full stop."""
    text = " ".join(answer.split()).strip()
    if text.lower().rstrip(".") in {"yes", "no"}:
        return text.lower().rstrip(".")
    if text.startswith("Insufficient information"):
        return UNKNOWN
    return re.sub(r"^the (?=[a-z])", "", text)
