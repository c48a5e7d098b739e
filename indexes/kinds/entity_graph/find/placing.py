"""From names and facts, as a model or a file gives them, to the extraction of one passage."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

from hopyard.indexes.kinds.entity_graph.find.extraction import (
    NOWHERE,
    Claim,
    Described,
    Fact,
    Mention,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.find.places import Places
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.prompts.passages import one_line

__all__ = ("place_extraction",)

_WORD: Final = re.compile(r"\w{3,}")


def place_extraction(
    places: Places,
    names: Iterable[str],
    facts: Iterable[Fact],
    *,
    ends: int = 1,
    entities: Iterable[Described] = (),
    claims: Iterable[Claim] = (),
) -> StoredExtraction:
    """Find the sentences of names and facts, and leave out what the passage does not support.

    A name is mentioned in each sentence in which it is written. A name that is not written in the
    passage or its title is dropped, unless a fact uses it: then it has the fact's sentence. A fact
    is dropped if a part of it is empty, or if it repeats another. It is dropped as well if fewer of
    its ends than `ends` are written in the passage or its title. HippoRAG asks for facts with at
    least one of the passage's names. The descriptions of a dropped name are dropped with it, and so
    are the claims about it; a claim about a kept name loses an object that is not kept.

    Args:
        names: Names, possibly repeated.
        facts: A fact whose sentence is `NOWHERE`, is not there, or holds neither subject nor object
            gets the sentence that `Places.sentence_of` finds, if any.
        ends: 1, or 2: subject and object.
        entities: Descriptions of names, the first of each name counts. Their sentences are found.
        claims: The sentence of each is found as that of a fact.
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
    kept_claims, dropped_claims = _place_claims(places, claims, held)
    return StoredExtraction(
        mentions=tuple(in_order),
        facts=kept,
        entities=_place_entities(places, entities, held),
        claims=kept_claims,
        dropped_names=dropped_names,
        dropped_facts=dropped_facts,
        dropped_claims=dropped_claims,
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


def _place_claims(
    places: Places, claims: Iterable[Claim], held: Collection[str]
) -> tuple[tuple[Claim, ...], int]:
    """The claims that are kept, each with its sentence, and how many are not."""
    kept: dict[str, Claim] = {}
    given = list(claims)
    for claim in given:
        subject, object_, text = map(one_line, (claim.subject, claim.object, claim.description))
        if normalise_keyword(object_) not in held:
            object_ = ""
        if text and normalise_keyword(subject) in held:
            placed = Claim(
                subject=subject,
                object=object_,
                type=one_line(claim.type),
                status=claim.status,
                description=text,
                sentence=_sentence(places, subject, object_ or subject, claim.sentence),
            )
            kept.setdefault(text.casefold(), placed)
    return tuple(kept.values()), len(given) - len(kept)


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
