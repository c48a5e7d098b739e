"""The lines of a cluster, and their summary: by rule, the most central sentences, or by the model.

Summaries by the model are kept by the hash of what their prompts showed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from hopyard.indexes.build_context import ModelCall
from hopyard.indexes.corpus.records import text_hash
from hopyard.indexes.kinds.summary_tree.formulas import lexrank
from hopyard.indexes.kinds.summary_tree.tree import Sentence
from hopyard.indexes.text.language import stop_words
from hopyard.indexes.text.sentences import is_heading, is_row, sentence_spans
from hopyard.indexes.written.store import WrittenStore
from hopyard.indexes.written.writer import Writer
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.summary_tree import SUMMARY, ClusterSummary
from hopyard.prompts.passages import one_line, passage_lines, passage_snippet
from hopyard.state.errors import ModelOutputError
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


SUMMARISED: Final = "summarised"
"""The outcome of a cluster that the model summarised."""
PASSAGES: Final = 4
"""Passages that a sentence leads to, at most: those that share most of its words."""


class WrittenSentence(BaseModel, frozen=True):
    """A sentence with the numbers of its prompt, which stay true while ids change."""

    text: str
    lines: tuple[int, ...]


class WrittenSummary(BaseModel, frozen=True):
    """A summary; without sentences if the model wrote nothing usable."""

    sentences: tuple[WrittenSentence, ...] = ()


class SummaryStore(WrittenStore[WrittenSummary]):
    """The summaries of clusters, by the hash of what their prompts showed."""

    file_name: ClassVar[str] = "summaries.sqlite"
    content: ClassVar[type[BaseModel]] = WrittenSummary


class SummaryWriter(Writer[Material, WrittenSummary]):
    """Asks for the summary of a cluster."""

    prompt: ClassVar[Prompt[Any]] = SUMMARY
    written: ClassVar[str] = "summaries"
    sources: ClassVar[str] = "clusters"
    store: ClassVar[type[WrittenStore[Any]]] = SummaryStore

    async def write(self, material: Material, call: ModelCall) -> tuple[str, WrittenSummary]:
        """Ask once."""
        output = await call(SUMMARY, {"material": material.text}, step=material.id)
        written = cited_sentences(output, len(material.lines))
        if not written.sentences:
            raise ModelOutputError(f"No sentence about cluster {material.id} names a line shown.")
        return SUMMARISED, written

    def nothing(self, material: Material) -> WrittenSummary:
        """No sentence: the summary is made by rule."""
        del material
        return WrittenSummary()


def cited_sentences(output: ClusterSummary, lines: int) -> WrittenSummary:
    """The sentences that name a line which the prompt showed; other numbers are left out."""
    found = []
    for sentence in output.sentences:
        named = dict.fromkeys(number for number in sentence.lines if 1 <= number <= lines)
        if named and sentence.text:
            found.append(WrittenSentence(text=one_line(sentence.text), lines=tuple(named)))
    return WrittenSummary(sentences=tuple(found))


def sentences_of(written: WrittenSummary, material: Material) -> tuple[Sentence, ...]:
    """The sentences of a summary, with passages in place of the numbers of lines."""
    found = []
    for sentence in written.sentences:
        lines = [material.lines[number - 1] for number in sentence.lines]
        lines.sort(key=lambda line: -_shared(line, sentence.text))
        passages = dict.fromkeys(name for line in lines for name in line.passages)
        found.append(Sentence(text=sentence.text, passages=tuple(passages)[:PASSAGES]))
    return tuple(found)


def _shared(line: Line, text: str) -> int:
    own = _WORD.findall(f"{line.heading} {line.text}".casefold())
    return len({*own} & {*_WORD.findall(text.casefold())})
