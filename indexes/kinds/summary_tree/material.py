"""The lines of a cluster, and their summary by rule: the most central sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.corpus.records import text_hash
from hopyard.indexes.kinds.summary_tree.formulas import lexrank
from hopyard.indexes.kinds.summary_tree.tree import Sentence
from hopyard.indexes.text.language import stop_words
from hopyard.indexes.text.sentences import is_heading, is_row, sentence_spans
from hopyard.prompts.passages import one_line, passage_lines, passage_snippet
from hopyard.state.text.tokens import tokens_of

LENGTH: Final = 130
"""Tokens of a summary by rule: the mean length of RAPTOR's summaries (appendix C)."""
_LONGEST: Final = 65
"""Tokens of a sentence that is chosen, at most, if any sentence has so few."""
_SHORTEST: Final = 5
"""Words of a sentence that is chosen, at least, if any sentence has so many."""
_ALIKE: Final = 0.5
"""A sentence is left out if its cosine with one that is chosen is higher."""
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Line:
    """A passage, or a sentence of a summary."""

    heading: str
    text: str
    passages: tuple[str, ...]
    """The passages that it rests on."""


@dataclass(frozen=True)
class Material:
    """The lines of one cluster, in the order of its members."""

    id: str
    """The id of the cluster."""
    lines: Sequence[Line]
    tokens: int
    """Tokens of all lines in a prompt, at most."""

    @cached_property
    def text(self) -> str:
        """The lines as a prompt shows them, with numbers from 1."""
        each = self.tokens // max(1, len(self.lines))
        return passage_lines([
            (line.heading, passage_snippet(line.text, each)) for line in self.lines
        ])  # fmt: skip

    @cached_property
    def content_hash(self) -> str:
        """The key of its summary."""
        return text_hash("\n".join(f"{line.heading}: {line.text}" for line in self.lines))


def summary_by_rule(material: Material, language: str) -> tuple[Sentence, ...]:
    """The most central sentences of a cluster, in the order of its lines.

    Args:
        language: The language of the stop words.
    """
    found = [*_sentences(material.lines)]
    fit = [each for each in found if _is_fit(each.text)] or found
    chosen = most_central([each.text for each in fit], LENGTH, stop_words(language))
    return tuple(fit[place] for place in sorted(chosen))


def _sentences(lines: Sequence[Line]) -> Iterator[Sentence]:
    """The sentences of all lines. Rows of tables and headings count only where all else is none."""
    for plain in (True, False):
        there = False
        for line in lines:
            for start, end in sentence_spans(line.text):
                special = is_row(line.text, start) or is_heading(line.text, start)
                if special != plain:
                    there = True
                    yield Sentence(text=one_line(line.text[start:end]), passages=line.passages)
        if there:
            return
    yield Sentence(text=one_line(lines[0].heading), passages=lines[0].passages)


def _is_fit(text: str) -> bool:
    return tokens_of(text) <= _LONGEST and len(_WORD.findall(text)) >= _SHORTEST


def most_central(texts: Sequence[str], tokens: int, stops: frozenset[str]) -> list[int]:
    """The sentences with the highest LexRank that do not repeat each other.

    The similarity of two sentences is the cosine of their words, weighted by TF-IDF.

    Args:
        texts: The sentences, at least one.
        tokens: Tokens of all chosen sentences; the first is chosen also if it has more.
        stops: Words that do not count, in small letters.

    Returns:
        The places of the sentences, the most central first.
    """
    alike = _similarities(texts, stops)
    chosen: list[int] = []
    for place in np.argsort(-lexrank(alike).round(9), kind="stable").tolist():
        size = tokens_of(texts[place])
        if chosen and (size > tokens or alike[place, chosen].max() > _ALIKE):
            continue
        chosen.append(place)
        tokens -= size
    return chosen


def _similarities(texts: Sequence[str], stops: frozenset[str]) -> NDArray[np.float64]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    def words(text: str) -> list[str]:
        return [word for word in _WORD.findall(text.casefold()) if word not in stops]

    if not any(map(words, texts)):
        return np.eye(len(texts))
    table = TfidfVectorizer(analyzer=words).fit_transform(texts)
    alike: NDArray[np.float64] = np.clip((table @ table.T).toarray(), 0, 1)
    np.fill_diagonal(alike, 1)
    return alike
