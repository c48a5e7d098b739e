"""The surroundings of one entity in the graph: where it is named, and what it is joined to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE
from hopyard.indexes.kinds.entity_graph.graph.graph import Description, EntityGraph
from hopyard.indexes.kinds.entity_graph.read.lookup import Entity
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.state.references import name_sources


@dataclass(frozen=True)
class Place:
    """A passage that names the entity.

    Attributes:
        name: Its name for readers.
        mentions: How often it names the entity.
        spans: Where its sentences with the entity begin and end.
    """

    passage: Passage
    name: str
    mentions: int
    spans: tuple[tuple[int, int], ...]

    @property
    def sentences(self) -> list[str]:
        """The sentences that name the entity, each on one line."""
        return [" ".join(self.passage.text[slice(*span)].split()) for span in self.spans]


@dataclass(frozen=True)
class Neighbour:
    """An entity that is named beside the entity, and in how many sentences and passages."""

    entity: Entity
    sentences: int
    passages: int


@dataclass(frozen=True)
class Statement:
    """A fact with the entity as its subject or object, and the ids of the passages with it.

    Attributes:
        description: The longest of the model's descriptions; "" if it wrote none.
        strength: The highest strength that a passage gives it, 1 to 10; None without
            `entity_graph.descriptions`.
    """

    subject: Entity
    relation: str
    object: Entity
    passages: tuple[str, ...]
    description: str = ""
    strength: float | None = None


@dataclass(frozen=True)
class Synonym:
    """An entity with a similar name, and the cosine of the two names."""

    entity: Entity
    cosine: float


@dataclass(frozen=True)
class Neighbourhood:
    """An entity with all that it is joined to. Each list has the first and most important part.

    Attributes:
        names: Its names, normalised.
        totals: The full length of each list, and the number of `mentions`.
        places: Passages, those with most mentions first.
        neighbours: Entities named beside it, by shared sentences, then by shared passages.
        facts: Facts about it, those of most passages first.
        synonyms: Entities with similar names, the nearest first.
        titles: Names of all these passages by id.
        type: The kind of thing that it is; "" if the model described nothing.
        descriptions: Those of its passages, in the words of the model.
    """

    entity: Entity
    names: tuple[str, ...]
    totals: Mapping[str, int]
    places: tuple[Place, ...]
    neighbours: tuple[Neighbour, ...]
    facts: tuple[Statement, ...]
    synonyms: tuple[Synonym, ...]
    titles: Mapping[str, str]
    type: str = ""
    descriptions: tuple[Description, ...] = ()

    def plain(self) -> dict[str, Any]:
        """The neighbourhood as plain values, with labels and ids instead of rows."""
        return {
            "entity": self.entity.label,
            "names": list(self.names),
            "type": self.type,
            "descriptions": [
                {"type": told.type, "text": told.text, "passage": told.passage}
                for told in self.descriptions
            ],
            "totals": dict(self.totals),
            "passages": [
                {
                    "id": place.passage.id,
                    "title": place.passage.title,
                    "name": place.name,
                    "mentions": place.mentions,
                    "sentences": place.sentences,
                }
                for place in self.places
            ],
            "neighbours": [{**vars(near), "entity": near.entity.label} for near in self.neighbours],
            "facts": [
                {**vars(fact), "subject": fact.subject.label, "object": fact.object.label}
                for fact in self.facts
            ],
            "synonyms": [
                {"entity": synonym.entity.label, "cosine": round(synonym.cosine, 4)}
                for synonym in self.synonyms
            ],
        }


def neighbourhood(
    graph: EntityGraph,
    entity: int,
    read: Callable[[Sequence[str]], Sequence[Passage]],
    limit: int = 10,
) -> Neighbourhood:
    """Look around an entity.

    Args:
        entity: A row of its entities.
        read: Reads passages by their ids, in the same order, as `Index.passages` does.
        limit: Length of each list at most, at least 1.
    """
    files = graph.files
    own = files.mentions[files.mentions["entity"] == entity]
    neighbours = _neighbours(graph, entity)
    facts, synonyms = _facts(graph, entity), _synonyms(graph, entity)
    mentions = Counter(own["passage"].tolist())
    chosen = [row for row, _ in sorted(mentions.items(), key=lambda item: (-item[1], item[0]))]
    ids = [graph.passage_ids[row] for row in chosen[:limit]]
    descriptions = graph.descriptions(entity)[:limit]
    stated = [fact.passages[0] for fact in facts[:limit]]
    stated += [each.passage for each in descriptions]
    passages = {each.id: each for each in read(list(dict.fromkeys([*ids, *stated])))}
    titles = name_sources(passage.as_source() for passage in passages.values())
    return Neighbourhood(
        entity=Entity.of(graph, entity),
        names=tuple(graph.names_of(entity)),
        totals={
            "mentions": len(own),
            "passages": len(mentions),
            "neighbours": len(neighbours),
            "facts": len(facts),
            "synonyms": len(synonyms),
        },
        places=tuple(
            Place(
                passage=passages[name],
                name=titles[name],
                mentions=mentions[row],
                spans=_spans(graph, own[own["passage"] == row], passages[name]),
            )
            for row, name in zip(chosen, ids, strict=False)
        ),
        neighbours=tuple(neighbours[:limit]),
        facts=tuple(facts[:limit]),
        synonyms=tuple(synonyms[:limit]),
        titles=titles,
        type=graph.type_of(entity),
        descriptions=tuple(descriptions),
    )


def _shared(mentions: NDArray[Any], entity: int, unit: str, entities: int) -> NDArray[np.int64]:
    """[e] How many sentences, or passages, of an entity name each entity."""
    known = mentions[mentions[unit] != NOWHERE]
    units = np.unique(known[unit][known["entity"] == entity])
    beside = known[np.isin(known[unit], units)]
    pairs = np.unique(np.stack((beside["entity"], beside[unit])), axis=1)
    return np.bincount(pairs[0], minlength=entities)


def _neighbours(graph: EntityGraph, entity: int) -> list[Neighbour]:
    sentences, passages = (
        _shared(graph.files.mentions, entity, unit, graph.entities)
        for unit in ("sentence", "passage")
    )
    rows = [int(row) for row in np.lexsort((-passages, -sentences)) if passages[row]]
    return [
        Neighbour(Entity.of(graph, row), int(sentences[row]), int(passages[row]))
        for row in rows
        if row != entity
    ]


def _facts(graph: EntityGraph, entity: int) -> list[Statement]:
    facts = graph.files.facts
    about = np.flatnonzero((facts["subject"] == entity) | (facts["object"] == entity))
    found: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for row in about.tolist():
        subject, relation, object_, _, _ = facts[row].tolist()
        found[subject, relation, object_].append(row)
    made = [_statement(graph, rows) for rows in found.values()]
    return sorted(made, key=lambda fact: -len(fact.passages))


def _statement(graph: EntityGraph, rows: Sequence[int]) -> Statement:
    """The rows of facts with the same subject, relation and object as one."""
    subject, relation, object_, _, _ = graph.files.facts[rows[0]].tolist()
    passages = dict.fromkeys(graph.files.facts["passage"][rows].tolist())
    has_strengths = len(graph.files.fact_strengths) > 0
    return Statement(
        Entity.of(graph, subject),
        graph.files.relations.text(relation),
        Entity.of(graph, object_),
        tuple(graph.passage_ids[row] for row in passages),
        description=max(map(graph.fact_description, rows), key=len),
        strength=float(graph.fact_strengths[rows].max()) if has_strengths else None,
    )


def _synonyms(graph: EntityGraph, entity: int) -> list[Synonym]:
    pairs = graph.files.synonyms
    found = [
        (second if first == entity else first, cosine)
        for first, second, cosine in pairs[
            (pairs["first"] == entity) | (pairs["second"] == entity)
        ].tolist()
    ]
    ordered = sorted(found, key=lambda item: (-item[1], item[0]))
    return [Synonym(Entity.of(graph, row), cosine) for row, cosine in ordered]


def _spans(
    graph: EntityGraph, mentions: NDArray[Any], passage: Passage
) -> tuple[tuple[int, int], ...]:
    """The sentences of some mentions in a passage, or those with the label if none is known."""
    spans = sentence_spans(passage.text)
    rows = {row for row in mentions["sentence"].tolist() if row != NOWHERE}
    places = {int(graph.files.sentences["place"][row]) for row in rows}
    if not places:
        label = graph.label(int(mentions["entity"][0])).casefold()
        texts = [passage.text[slice(*span)].casefold() for span in spans]
        places = {place for place, text in enumerate(texts) if label in text}
    return tuple(spans[place] for place in sorted(places) if place < len(spans))
