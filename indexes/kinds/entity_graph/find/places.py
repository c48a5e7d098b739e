"""Where the names of an extraction are written in their passage."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE, Mention
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.indexes.text.sentences import sentence_spans

__all__ = ("Places",)

_VARIANTS: Final = {
    **dict.fromkeys("'’ʼ‘`", "['’ʼ‘`]"),
    **dict.fromkeys('"“”', '["“”]'),
    **dict.fromkeys("-‐‑–", " ?[-‐‑–] ?"),
}
"""Patterns of signs that are written in several ways."""
_JOINED: Final = "\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Thai and Lao, kana and Han: written without spaces, so another word may touch a name."""
_HANGUL: Final = "\uac00-\ud7af"
"""A particle may follow a Korean name without a space."""
_TOUCHED_BEFORE: Final = re.compile(f"[{_JOINED}]|\\W")
_TOUCHED_AFTER: Final = re.compile(f"[{_JOINED}{_HANGUL}]|\\W")


class Places:
    """The sentences of one passage, and the names that are written in them.

    A name is written where its words are, as whole words and in any case. A name in capitals is
    written in capitals. If it is nowhere, forms that `normalise_keyword` makes equal count too,
    such as `U.S.` for `US`.
    """

    def __init__(self, passage: Passage) -> None:
        self._text = passage.text
        self._title = passage.full_title
        spans = sentence_spans(passage.text)
        self._starts = [start for start, _ in spans]
        self.sentences: Final = [passage.text[start:end] for start, end in spans]
        """The text of each, in order: an extraction names sentences by their places here."""
        self._found: dict[str, list[int]] = {}

    def has(self, name: str) -> bool:
        """Whether a name is written in the passage or in its title."""
        return bool(self._places_of(name))

    def sentences_with(self, name: str) -> list[int]:
        """The places of the sentences in which a name is written, or begins, ascending."""
        return [place for place in self._places_of(name) if place != NOWHERE]

    def mentions(self, name: str) -> list[Mention]:
        """A mention in each sentence with the name, or in none where only the title has it."""
        places = self.sentences_with(name) or self._places_of(name)
        return [Mention(name=name, sentence=place) for place in places]

    def sentence_of(self, subject: str, object_: str) -> int:
        """The sentence of a fact: the first with both ends, else with either, else `NOWHERE`."""
        ends = self.sentences_with(subject), self.sentences_with(object_)
        both = set(ends[0]).intersection(ends[1])
        return min(both or {*ends[0], *ends[1]}, default=NOWHERE)

    def _places_of(self, name: str) -> list[int]:
        """Ascending. `NOWHERE` stands for the title, and for text outside all sentences."""
        if name not in self._found:
            normalised = normalise_keyword(name)
            self._found[name] = sorted(
                self._written(name) or self._written_otherwise(normalised) if normalised else ()
            )
        return self._found[name]

    def _written(self, name: str) -> set[int]:
        pattern = _pattern(name)
        starts = (found.start() for found in pattern.finditer(self._text))
        # A full stop inside a name may have ended a sentence, so the start decides.
        places = {bisect_right(self._starts, start) - 1 for start in starts}
        return places | {NOWHERE} if pattern.search(self._title) else places

    def _written_otherwise(self, normalised: str) -> set[int]:
        texts = enumerate(self._normalised_texts, NOWHERE)
        return {place for place, text in texts if f" {normalised} " in text}

    @cached_property
    def _normalised_texts(self) -> list[str]:
        return [f" {normalise_keyword(text)} " for text in (self._title, *self.sentences)]


def _pattern(name: str) -> re.Pattern[str]:
    """Finds a name as whole words, whatever its spaces and the form of its quotes."""
    words = (
        "".join(_VARIANTS.get(sign) or re.escape(sign) for sign in word) for word in name.split()
    )
    before = "" if _TOUCHED_BEFORE.match(name[0]) else r"(?<!\w)"
    after = "" if _TOUCHED_AFTER.match(name[-1]) else r"(?!\w)"
    case = re.NOFLAG if name.isupper() else re.IGNORECASE  # US is not us, WHO is not who
    return re.compile(before + r"\s+".join(words) + after, case)
