"""Counts of a question's words as features, without a model."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ("QuestionWords", "count_words")

_WORD: Final = re.compile(r"\w+(?:['’-]\w+)*")
_NAME: Final = re.compile(r"\b[A-Z][\w'’-]*\b(?:[ ]+(?:(?:of|the|de|von)[ ]+){0,2}[A-Z][\w'’-]*)*")
_LINK: Final = re.compile(r"\b(?:of|that|which|who|whose|whom|where|when)\b|['’]s\b", re.IGNORECASE)
_CHOICE: Final = re.compile(
    r"\b(?:or|both|same|than|either|between|difference|compared?|earlier|later|more|less|first)\b",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(r"\d+")


class QuestionWords(NamedTuple):
    """Counts over a question. Links and choices are English words; elsewhere they count 0.

    Attributes:
        words: All words.
        names: Runs of capitalised words after the first word.
        numbers: Numbers in digits.
        commas: Commas and semicolons.
        links: Words that tie one thing to another: of, whose, that, 's.
        choices: Words of a comparison: or, both, same, than.
    """

    words: float
    names: float
    numbers: float
    commas: float
    links: float
    choices: float


def count_words(question: str) -> QuestionWords:
    """Count what a question holds."""
    first, _, rest = question.strip().partition(" ")
    return QuestionWords(
        words=float(len(_WORD.findall(question))),
        names=float(len(_NAME.findall(rest))),
        numbers=float(len(_NUMBER.findall(question))),
        commas=float(question.count(",") + question.count(";")),
        links=float(len(_LINK.findall(rest)) + len(re.findall(r"['’]s\b", first))),
        choices=float(len(_CHOICE.findall(rest))),
    )
