"""From what was found in each passage to the rows of the graph."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE, Extraction, Fact, Mention
from hopyard.indexes.kinds.entity_graph.graph.files import FACT, MENTION, SENTENCE
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.indexes.text.terms import choose_terms, term_of


class PassageRow(NamedTuple):
    """The parts of a passage that the graph needs."""

    id: str
    content_hash: str
    document_id: str
    title: str


@dataclass(frozen=True, eq=False)
class Found:
    """All names and facts of a corpus in rows, before names become entities."""

    names: list[str]
    """[n] Normalised names, sorted by their UTF-8."""
    written: list[str]
    """[w] Names as they are written, sorted by their UTF-8."""
    mentions: NDArray[Any]
    """[m] `files.MENTION` without entities, sorted by passage, then by sentence."""
    form: NDArray[np.int32]
    """[m] How each mention is written, a row of `written`."""
    sentences: NDArray[Any]
    """[s] `files.SENTENCE`."""
    relations: list[str]
    """The relations of facts, sorted by their UTF-8."""
    facts: NDArray[Any]
    """[f] `files.FACT`, with rows of names in place of entities."""
    fact_texts: list[str]
    """[f] What is embedded of each fact."""


def collect(passages: Sequence[PassageRow], extractions: Mapping[str, Extraction]) -> Found:
    """Put the extractions of all passages into rows.

    The names in facts and descriptions are names of their passages too. A name without a
    letter or digit is left out, and so are the facts about it.

    Args:
        passages: All passages, in order of id.
        extractions: By content hash; a passage without one has no names. Of their phrases, those
            are names that are terms of the corpus.
    """
    normalised = _Normalised()
    terms = choose_terms(
        [tuple(phrase.name.split()) for phrase in extraction.phrases]
        for passage in passages
        if (extraction := extractions.get(passage.content_hash)) is not None
    )
    mentions: list[tuple[int, int, str, str]] = []  # passage, place, name, written
    facts: list[tuple[int, int, str, str, str, str]] = []  # passage, place, three parts, text
    for row, passage in enumerate(passages):
        extraction = extractions.get(passage.content_hash)
        if extraction is None:
            continue
        here = {mention.name for mention in extraction.mentions}
        mentions += [
            (row, mention.sentence, normalised[mention.name], mention.name)
            for mention in (*extraction.mentions, *_terms(extraction, terms))
        ]
        whole = whole_facts(extraction, normalised.__getitem__)
        for fact in whole:
            ends = normalised[fact.subject], normalised[fact.object]
            facts.append((row, fact.sentence, ends[0], fact.relation, ends[1], fact.text))
        for sentence, name in _named(extraction, whole):
            if name not in here:
                here.add(name)
                mentions.append((row, sentence, normalised[name], name))
    mentions = sorted((mention for mention in mentions if mention[2]), key=lambda m: m[:2])
    names = _sorted(mention[2] for mention in mentions)
    written = _sorted(mention[3] for mention in mentions)
    relations = _sorted(fact[3] for fact in facts)
    places = sorted({found[:2] for found in (*mentions, *facts) if found[1] != NOWHERE})
    sentence_rows = {place: row for row, place in enumerate(places)}
    name_rows, form_rows, relation_rows = map(_rows, (names, written, relations))

    def sentence_of(found: Sequence[Any]) -> int:
        return sentence_rows.get((found[0], found[1]), NOWHERE)

    return Found(
        names=names,
        written=written,
        mentions=np.array(
            [(0, name_rows[each[2]], each[0], sentence_of(each)) for each in mentions], MENTION
        ),
        form=np.array([form_rows[mention[3]] for mention in mentions], np.int32),
        sentences=np.array(places, SENTENCE),
        relations=relations,
        facts=np.array(
            [
                (name_rows[fact[2]], relation_rows[fact[3]], name_rows[fact[4]], fact[0],
                 sentence_of(fact))
                for fact in facts
            ],
            FACT,
        ),
        fact_texts=[fact[5] for fact in facts],
    )  # fmt: skip


def whole_facts(
    extraction: Extraction, normalise: Callable[[str], str] = normalise_keyword
) -> list[Fact]:
    """The facts whose subject and object both have a letter or digit."""
    return [fact for fact in extraction.facts if normalise(fact.subject) and normalise(fact.object)]


def _terms(extraction: Extraction, terms: frozenset[tuple[str, ...]]) -> Iterator[Mention]:
    """The phrases of a passage that are terms, or end with one."""
    for phrase in extraction.phrases:
        if term := term_of(tuple(phrase.name.split()), terms):
            yield phrase.model_copy(update={"name": " ".join(term)})


def _named(extraction: Extraction, facts: Iterable[Fact]) -> Iterator[tuple[int, str]]:
    """The sentence and the name of all that is said about names."""
    for fact in facts:
        yield from ((fact.sentence, end) for end in (fact.subject, fact.object))
    yield from ((each.sentence, each.name) for each in extraction.entities)


def labels_of(found: Found, entities: NDArray[np.int32], senses: Sequence[str]) -> Ragged:
    """The label of each entity: its sense, or the way in which it is written most often.

    Args:
        entities: [m] The entity of each mention.
        senses: [e] The sense of each entity; "" where its name has one sense.
    """
    forms: list[Counter[int]] = [Counter() for _ in senses]
    for entity, form in zip(entities.tolist(), found.form.tolist(), strict=True):
        forms[entity][form] += 1
    return Ragged.of_texts(
        sense or found.written[min(counter, key=lambda form: (-counter[form], form))]
        for sense, counter in zip(senses, forms, strict=True)
    )


class _Normalised(dict[str, str]):
    """Normalised names by how they are written: many passages write a name in one way."""

    def __missing__(self, written: str) -> str:
        self[written] = name = normalise_keyword(written)
        return name


def _sorted(texts: Iterable[str]) -> list[str]:
    return sorted(set(texts), key=str.encode)


def _rows(texts: Sequence[str]) -> dict[str, int]:
    return {text: row for row, text in enumerate(texts)}
