"""What is found in a passage by rules: its names and phrases, without a model.

Rules find no facts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

from hopyard.indexes.kinds.entity_graph.extraction import NOWHERE, Extraction, Mention
from hopyard.indexes.names import names_in
from hopyard.indexes.records import Passage
from hopyard.indexes.sentences import sentence_spans
from hopyard.indexes.terms import is_common_word, terms_in

__all__ = ("RULES_VERSION", "extract", "extract_with_phrases")

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


def extract_with_phrases(passage: Passage, language: str) -> Extraction:
    """The names of a passage, and in English the phrases that may be terms of its domain.

    A common word with a capital is no name here, as in a heading: it may be a term.

    Raises:
        UsageError: TextBlob is not installed.
    """
    found = extract(passage, language)
    if language != "en":
        return found
    names = tuple(mention for mention in found.mentions if not _is_heading_word(mention.name))
    starts = [start for start, _ in sentence_spans(passage.text)]
    phrases = tuple(
        Mention(name=" ".join(term.words), sentence=bisect_right(starts, term.start) - 1)
        for term in terms_in(passage.text)
    )
    return Extraction(mentions=names, phrases=phrases)


def _is_heading_word(name: str) -> bool:
    """Whether a name is a common word, or a number and a common word: `Treatment`, `14 Key`."""
    words = [word for word in name.split() if not word.isdigit()]
    return len(words) == 1 and words[0].istitle() and is_common_word(words[0])


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
