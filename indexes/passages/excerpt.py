"""The part of a passage that a search result shows: the sentence that shares most words with it."""

from __future__ import annotations

import re
from typing import Final

from hopyard.indexes.text.english import FUNCTION_WORDS
from hopyard.indexes.text.sentences import context_of_row, sentence_spans

_LONGEST: Final = 240
"""Characters of an excerpt, about."""
_STEM: Final = 4
"""Letters that two words must share at least, for one to be a form of the other."""
_WORD: Final = re.compile(r"\w+")


def excerpt(text: str, asked: str) -> str:
    """The beginning of a passage, or of the sentence or row that matches a text best.

    A row of a table follows the table's header.

    Returns:
        One line; "…" stands for what is left out.
    """
    if len(whole := " ".join(text.split())) <= _LONGEST:
        return whole
    start, _ = best_sentence(text, asked)
    header = " ".join(context_of_row(text, start).split())
    shown = " ".join(text[start:].split())
    before = f"{header} … " if header else "… " if text[:start].strip() else ""
    if len(shown) > _LONGEST:
        shown = f"{shown[:_LONGEST].rsplit(None, 1)[0]} …"
    return f"{before}{shown}"


def best_sentence(text: str, asked: str) -> tuple[int, int]:
    """Where the sentence or row is that shares most words with a text; (0, 0) if none does."""
    wanted = _words(asked) - FUNCTION_WORDS
    spans = [(_shared(wanted, text[slice(*span)]), span) for span in sentence_spans(text)]
    shared, best = max(spans, key=lambda found: found[0], default=(0, (0, 0)))
    return best if shared else (0, 0)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _shared(wanted: set[str], text: str) -> int:
    """How many of the words the text has, in any form."""
    found = _words(text)
    return sum(any(_same(word, other) for other in found) for word in wanted)


def _same(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return word == other or (len(short) >= _STEM and long.startswith(short))
