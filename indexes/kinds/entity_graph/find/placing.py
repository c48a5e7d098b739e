"""From names and facts, as a model gives them, to the extraction of one passage."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Final

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import (
    NOWHERE,
    Described,
    Fact,
    Mention,
    StoredExtraction,
)
from hopyard.indexes.text.capitals import SIGNS
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.prompts.passages import one_line

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
_WORD: Final = re.compile(r"\w{3,}")


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
    after = "" if _TOUCHED_AFTER.match(name[-1]) else rf"(?!\w|{SIGNS}(?!\w))"
    case = re.NOFLAG if name.isupper() else re.IGNORECASE  # US is not us, WHO is not who
    return re.compile(before + r"\s+".join(words) + after, case)


def place_extraction(
    places: Places,
    names: Iterable[str],
    facts: Iterable[Fact],
    *,
    ends: int = 1,
    entities: Iterable[Described] = (),
) -> StoredExtraction:
    """Find the sentences of names and facts, and leave out what the passage does not support.

    A name is mentioned in each sentence in which it is written. A name that is not written in the
    passage or its title is dropped, unless a fact uses it: then it has the fact's sentence. A fact
    is dropped if a part of it is empty, or if it repeats another. It is dropped as well if fewer of
    its ends than `ends` are written in the passage or its title. HippoRAG asks for facts with at
    least one of the passage's names. The descriptions of a dropped name are dropped with it.

    Args:
        names: Names, possibly repeated.
        facts: A fact whose sentence is `NOWHERE`, is not there, or holds neither subject nor object
            gets the sentence that `Places.sentence_of` finds, if any.
        ends: 1, or 2: subject and object.
        entities: Descriptions of names, the first of each name counts. Their sentences are found.
    """
    kept, dropped_facts = _place_facts(places, facts, ends)
    sentences: dict[str, list[int]] = {}
    for fact in kept:
        for end in (fact.subject, fact.object):
            sentences.setdefault(normalise_keyword(end), []).append(fact.sentence)
    mentions: dict[tuple[str, int], Mention] = {}
    dropped_names = 0
    for name in dict.fromkeys(map(one_line, names)):
        normalised = normalise_keyword(name)
        used = dict.fromkeys(sentences.get(normalised, ()))
        found = places.mentions(name) or [Mention(name=name, sentence=place) for place in used]
        dropped_names += not found
        for mention in found:
            mentions.setdefault((normalised, mention.sentence), mention)
    in_order = sorted(mentions.values(), key=lambda mention: mention.sentence)
    held = {*sentences, *(name for name, _ in mentions)}
    return StoredExtraction(
        mentions=tuple(in_order),
        facts=kept,
        entities=_place_entities(places, entities, held),
        dropped_names=dropped_names,
        dropped_facts=dropped_facts,
    )


def _place_entities(
    places: Places, entities: Iterable[Described], held: Collection[str]
) -> tuple[Described, ...]:
    """The first description of each name that is held."""
    kept: dict[str, Described] = {}
    for each in entities:
        normalised, text = normalise_keyword(each.name), one_line(each.description)
        kind = one_line(each.type)
        if normalised in held and (text or kind):
            placed = Described(
                name=one_line(each.name),
                type=kind,
                description=text,
                sentence=_described_in(places, each.name, text),
            )
            kept.setdefault(normalised, placed)
    return tuple(kept.values())


def _described_in(places: Places, name: str, text: str) -> int:
    """The sentence with the name that shares most words with a text, the first of several."""
    wanted = set(_WORD.findall(text.casefold()))

    def shared(place: int) -> int:
        return len(wanted.intersection(_WORD.findall(places.sentences[place].casefold())))

    return max(places.sentences_with(name), key=shared, default=NOWHERE)


def _place_facts(places: Places, facts: Iterable[Fact], ends: int) -> tuple[tuple[Fact, ...], int]:
    """The facts that are kept, each with its sentence, and how many are not."""
    kept: dict[tuple[str, ...], Fact] = {}
    given = list(facts)
    for fact in given:
        subject, relation, object_ = map(one_line, (fact.subject, fact.relation, fact.object))
        normalised = normalise_keyword(subject), normalise_keyword(object_)
        written = places.has(subject) + places.has(object_)
        if relation and all(normalised) and written >= ends:
            placed = Fact(
                subject=subject,
                relation=relation,
                object=object_,
                sentence=_sentence(places, subject, object_, fact.sentence),
                description=one_line(fact.description),
                strength=fact.strength,
            )
            kept.setdefault((*normalised, relation.casefold()), placed)
    return tuple(kept.values()), len(given) - len(kept)


def _sentence(places: Places, subject: str, object_: str, stated: int) -> int:
    """The sentence of a fact: the stated sentence, if it is there and holds an end of the fact."""
    found = places.sentence_of(subject, object_)
    if stated not in range(len(places.sentences)):
        return found
    held = {*places.sentences_with(subject), *places.sentences_with(object_)}
    return stated if stated in held or found == NOWHERE else found
