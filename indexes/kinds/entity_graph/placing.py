"""From names and facts, as a model or a file gives them, to the extraction of one passage."""

from __future__ import annotations

from collections.abc import Iterable

from hopyard.indexes.keywords import normalise_keyword
from hopyard.indexes.kinds.entity_graph.extraction import NOWHERE, Fact, Mention
from hopyard.indexes.kinds.entity_graph.extraction_store import StoredExtraction
from hopyard.indexes.kinds.entity_graph.places import Places
from hopyard.prompts.passages import one_line

__all__ = ("place_extraction",)


def place_extraction(
    places: Places, names: Iterable[str], facts: Iterable[Fact], *, ends: int = 1
) -> StoredExtraction:
    """Find the sentences of names and facts, and leave out what the passage does not support.

    A name is mentioned in each sentence in which it is written. A name that is not written in the
    passage or its title is dropped, unless a fact uses it: then it has the fact's sentence. A fact
    is dropped if one of its parts is empty, if it repeats another, or if fewer of its ends than
    `ends` are written in the passage or its title. HippoRAG asks for facts with at least one of the
    passage's names.

    Args:
        places: The passage.
        names: Names, possibly repeated.
        facts: A fact whose sentence is `NOWHERE`, is not there, or holds neither subject nor object
            gets the sentence that `Places.sentence_of` finds, if any.
        ends: 1, or 2: subject and object.
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
    return StoredExtraction(
        mentions=tuple(in_order),
        facts=kept,
        dropped_names=dropped_names,
        dropped_facts=dropped_facts,
    )


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
