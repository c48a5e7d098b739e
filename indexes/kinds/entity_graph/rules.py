"""What is found in a passage by rules: its names, without a model. Rules find no facts."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from hopyard.indexes.kinds.entity_graph.extraction import NOWHERE, Extraction, Mention
from hopyard.indexes.names import names_in
from hopyard.indexes.records import Passage
from hopyard.indexes.sentences import sentence_spans

__all__ = ("RULES_VERSION", "extract")

RULES_VERSION: Final = 1
"""Counted up when the rules find other names: then an index is read again."""

_QUALIFIED: Final = re.compile(r"(.*\S)\s*\([^()]+\)")
_HEADLINE: Final = 8
"""A title of more words is a headline, with names inside it."""


def extract(passage: Passage, language: str) -> Extraction:
    """The names of a passage: first its title, then those in its text, each as often as it occurs.

    A title with a qualifier, `Mercury (planet)`, is a name with it and without it. The headings
    above a passage and its metadata name what many passages share, so they are left out.

    Args:
        passage: Any passage; one without a title and names gives an empty extraction.
        language: A key of `LANGUAGES`.
    """
    titles = _title_names(passage.title.strip(), language)
    starts = [start for start, _ in sentence_spans(passage.text)]
    mentions = [Mention(name=title, sentence=NOWHERE) for title in titles]
    for start, _, name in names_in(passage.text, language, known=titles):
        mentions.append(Mention(name=name, sentence=bisect_right(starts, start) - 1))
    return Extraction(mentions=tuple(mentions))


def _title_names(title: str, language: str) -> list[str]:
    """The title, the title without its qualifier, and the names in a headline."""
    if not title:
        return []
    names = [title]
    if qualified := _QUALIFIED.fullmatch(title):
        names.append(qualified[1])
    if len(title.split()) > _HEADLINE:
        names.extend(name.text for name in names_in(title, language))
    return list(dict.fromkeys(names))
