"""Statements that deny what their quote says, or the other way round: "did not open", "opened".

The rules pass them (`support.compare`). Here only the same word counts, negated on one side and not
on the other, in a statement of several words in English or German. Such a statement is a doubt,
which a model is asked about: one in 290 recorded answers has one (`benchmarks/support.py`).
"""

from __future__ import annotations

import re
from typing import Final

from hopyard.nodes.support.words import content_words

_NEGATION: Final = re.compile(
    r"\b(?:not|cannot|no|never|neither|nor|none|nobody|nothing|without|nicht|kein\w*|nie|niemals"
    r"|ohne|weder|nichts|niemand)\b|n['’]t\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"(?:\b(?:not|never|cannot|nicht|nie|niemals)|n['’]t)\s+(\w+(?:\s+\w+)?)"
    r"|\b(?:no|without|ohne|kein\w*)\s+(\w+)",
    re.IGNORECASE,
)
"""Negated words: up to two after the negation of a verb, one after that of a noun."""
_LEAST_WORDS: Final = 5


def is_denied(statement: str, quote: str) -> bool:
    """Whether a word is negated in one of two texts, and the other has it without a negation.

    Args:
        statement: A statement, or a question with its answer, which alone is compared.
        quote: The sentence or row that supports it most.
    """
    said = statement.rpartition("? ")[2]
    if len(said.split()) < _LEAST_WORDS:
        return False
    return _denies(said, quote) or _denies(quote, said)


def _denies(one: str, other: str) -> bool:
    negated = " ".join(word for found in _NEGATED.findall(one) for word in found).casefold()
    words = content_words(other.casefold())
    return not _NEGATION.search(other) and not words.isdisjoint(content_words(negated))
