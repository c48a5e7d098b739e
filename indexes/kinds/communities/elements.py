"""The elements of communities: entities, relationships, and the sentences that support them.

An element has a letter and a row of the entity graph: `E12` is an entity, `R7` a fact, and `S3` a
sentence. A graph by rules has no facts. There, the sentences that name two or more entities of a
community are its relationships.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.communities.records import Finding, Source
from hopyard.indexes.kinds.entity_graph.extraction import NOWHERE
from hopyard.indexes.kinds.entity_graph.graph import EntityGraph
from hopyard.indexes.kinds.entity_graph.weights import together
from hopyard.indexes.ragged import Ragged
from hopyard.indexes.records import Passage
from hopyard.indexes.sentences import sentence_spans
from hopyard.prompts.passages import one_line, snippet
from hopyard.state.errors import UsageError

__all__ = ("QUOTES", "Element", "Elements", "Group", "ReadPassages", "quotes_of")

ReadPassages = Callable[[Sequence[str]], Sequence[Passage]]
"""Reads passages by their ids, in the same order, as `Index.passages` does."""

QUOTES: Final = 8
"""Quotes of a finding at most."""
_SENTENCES: Final = 2
"""Sentences that describe an entity at most."""
_LONGEST: Final = 1000
"""Characters of an element at most."""
_PASSAGES: Final = 2000
"""Passages whose sentences are kept in memory."""
_ID: Final = re.compile(r"([ERS])(\d+)")


@dataclass(frozen=True)
class Element:
    """One line about a community."""

    id: str
    text: str
    """Without the id; it has no line break."""


@dataclass(frozen=True)
class Group:
    """A relationship and the entities that it joins, or a single entity without relationships."""

    ends: tuple[Element, ...]
    relationship: Element | None = None

    @property
    def elements(self) -> tuple[Element, ...]:
        """Source and target first, then the relationship."""
        return self.ends if self.relationship is None else (*self.ends, self.relationship)


class Elements:
    """The elements of an entity graph as lines. Any thread may use it.

    Args:
        graph: The entity graph.
        read: Reads passages of the same generation. It may block.
    """

    def __init__(self, graph: EntityGraph, read: ReadPassages) -> None:
        self.graph: Final = graph
        self._read = read
        self._sentences_in = lru_cache(_PASSAGES)(self._sentences_of_passage)
        self._by_rules = not len(graph.files.facts)

    def groups(self, entities: Sequence[int], longest: int = _LONGEST) -> Iterator[Group]:
        """The elements of a community, the relationship of the highest combined degree first.

        The combined degree of a relationship is the sum of the degrees of its two ends; of a
        sentence, of the two best connected entities that it names. Relationships of the same
        degree keep the order of the corpus. Entities without relationships are last, by degree.

        Args:
            entities: Rows of the community's entities, ascending.
            longest: Characters of an element at most.
        """
        members = np.asarray(entities, np.int64)
        inside = self._sentences(members)
        relationships = self._shared(*inside) if self._by_rules else self._facts(members)
        described = self._described(*inside)
        lines: dict[int, Element] = {}

        def line(entity: int) -> Element:
            if entity not in lines:
                about = " ".join(map(self._sentence, described.get(entity, ())))
                label = self.graph.label(entity)
                text = one_line(f"{label}: {about}" if about else label)
                lines[entity] = Element(f"E{entity}", snippet(text, longest))
            return lines[entity]

        for _, row, ends in sorted(relationships):
            text = snippet(one_line(self._relationship_text(row)), longest)
            relationship = Element(f"{'S' if self._by_rules else 'R'}{row}", text)
            yield Group(tuple(map(line, ends)), relationship)
        alone = (entity for entity in members.tolist() if entity not in lines)
        for entity in sorted(alone, key=lambda entity: (-self._degrees[entity], entity)):
            yield Group((line(entity),))

    def sources(self, element_id: str) -> list[Source]:
        """The sentences that support an element, in the order of the corpus.

        Raises:
            UsageError: The graph has no such element.
        """
        return [
            Source(passage=self.graph.passage_ids[passage], sentence=place)
            for passage, place in self._places(element_id)
        ]

    def quotes(self, element_ids: Sequence[str], limit: int = QUOTES) -> list[tuple[str, str]]:
        """The sentences that support some elements best.

        Each element has a sentence among them, if the limit allows: that which supports most of the
        other elements too. The rest are ordered by the number of elements that they support.

        Args:
            element_ids: Ids of elements.
            limit: Number of quotes at most.

        Returns:
            Ids of passages, and a sentence of each. A name that only the title has is quoted by the
            title.

        Raises:
            UsageError: The graph has no such element.
        """
        ids = sorted(dict.fromkeys(element_ids), key=lambda name: name.startswith("E"))
        places = {name: self._places(name) for name in ids}
        support = Counter(place for found in places.values() for place in found)
        best = [max(found, key=lambda place: support[place]) for found in places.values() if found]
        ordered = [*best, *sorted(support, key=lambda place: -support[place])]
        labels = {place: name for name, found in reversed(places.items()) for place in found}
        return [
            (self.graph.passage_ids[passage], self._quote(passage, place, labels[passage, place]))
            for passage, place in list(dict.fromkeys(ordered))[:limit]
        ]

    @property
    def _degrees(self) -> NDArray[np.int64]:
        """[e] Number of entities that each is joined to."""
        return self.graph.kept.get(
            "degrees", lambda: np.diff(together(self.graph).indptr).astype(np.int64)
        )

    @property
    def _facts_of(self) -> Ragged:
        """[e] Rows of the facts with each entity as their subject, ascending."""

        def by_subject() -> Ragged:
            subjects = self.graph.files.facts["subject"]
            order = np.argsort(subjects, kind="stable")
            bounds = np.searchsorted(subjects[order], np.arange(self.graph.entities + 1))
            return Ragged(order, bounds.astype(np.int64))

        return self.graph.kept.get("facts by subject", by_subject)

    def _sentences(self, members: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
        """Pairs of an entity and a sentence that names it, by sentence, then by degree.

        Returns:
            The entity and the sentence of each pair, and where the pairs of each sentence begin.
        """
        part = self.graph.sentences_of[members]
        entities = np.repeat(members, np.diff(part.indptr))
        order = np.lexsort((-entities, self._degrees[entities], part.indices))
        sentences = part.indices[order].astype(np.int64)
        starts = np.flatnonzero(np.diff(sentences, prepend=-1))
        return entities[order], sentences, starts

    def _shared(
        self, entities: NDArray[np.int64], sentences: NDArray[np.int64], starts: NDArray[np.int64]
    ) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Sentences that name two or more entities: minus the combined degree, the row, the ends.

        The best connected entity is first.
        """
        for start, end in zip(starts.tolist(), [*starts[1:].tolist(), len(sentences)], strict=True):
            if end - start > 1:
                ends = tuple(entities[start:end][::-1].tolist())
                yield -int(self._degrees[list(ends[:2])].sum()), int(sentences[start]), ends

    def _facts(self, members: NDArray[np.int64]) -> Iterator[tuple[int, int, tuple[int, ...]]]:
        """Facts about two entities, each statement once: minus the combined degree, row, ends."""
        rows = np.concatenate([self._facts_of[entity] for entity in members.tolist()])
        facts = self.graph.files.facts[np.sort(rows)]
        inside = np.isin(facts["object"], members)
        triples = np.stack([facts[name] for name in ("subject", "relation", "object")], axis=1)
        _, first = np.unique(triples[inside], axis=0, return_index=True)
        for row in np.sort(rows)[inside][first].tolist():
            ends = [int(self.graph.files.facts[name][row]) for name in ("subject", "object")]
            yield -int(self._degrees[ends].sum()), row, tuple(dict.fromkeys(ends))

    def _described(
        self, entities: NDArray[np.int64], sentences: NDArray[np.int64], starts: NDArray[np.int64]
    ) -> dict[int, list[int]]:
        """The sentences that describe each entity, each sentence for one entity only.

        A sentence describes the least connected entity that it names, of which there is least to
        say. Sentences that are relationships describe no entity.
        """
        if self._by_rules:
            counts = np.diff(starts, append=len(sentences))
            starts = starts[counts == 1]
        found: dict[int, list[int]] = {}
        for entity, sentence in zip(entities[starts].tolist(), sentences[starts], strict=True):
            mine = found.setdefault(entity, [])
            if len(mine) < _SENTENCES:
                mine.append(int(sentence))
        return found

    def _relationship_text(self, row: int) -> str:
        if self._by_rules:
            return self._sentence(row)
        return " ".join(self.graph.fact(self.graph.files.facts[row]).values())

    def _sentence(self, row: int) -> str:
        passage, place = self.graph.files.sentences[row].tolist()
        return self._quote(passage, place, "")

    def _sentences_of_passage(self, passage: int) -> tuple[str, tuple[str, ...]]:
        """The title and the sentences of a passage, each on one line."""
        [found] = self._read([self.graph.passage_ids[passage]])
        spans = sentence_spans(found.text)
        return one_line(found.full_title), tuple(one_line(found.text[slice(*s)]) for s in spans)

    def _quote(self, passage: int, place: int, element_id: str) -> str:
        """A sentence. Without a place: that with most of the element's names, or the title."""
        title, sentences = self._sentences_in(passage)
        if place != NOWHERE:
            return sentences[place]
        names = [self.graph.label(entity).casefold() for entity in self._ends(element_id)]

        def named(sentence: str) -> int:
            return sum(name in sentence.casefold() for name in names)

        best = max(sentences, key=named, default="")
        return best if named(best) or not title else title

    def _ends(self, element_id: str) -> list[int]:
        """The entities that an entity or a fact is about."""
        letter, row = self._parsed(element_id)
        facts = self.graph.files.facts
        return [row] if letter == "E" else [int(facts[end][row]) for end in ("subject", "object")]

    def _places(self, element_id: str) -> list[tuple[int, int]]:
        """Rows of passages, and places of sentences, that support an element."""
        letter, row = self._parsed(element_id)
        graph, sentences = self.graph, self.graph.files.sentences
        if letter == "S":
            return [sentences[row].tolist()]
        if letter == "E":
            start, end = graph.sentences_of.indptr[row : row + 2]
            if found := sentences[np.sort(graph.sentences_of.indices[start:end])].tolist():
                return list(found)
            start, end = graph.counts.indptr[row : row + 2]
            return [(passage, NOWHERE) for passage in graph.counts.indices[start:end].tolist()]
        fact, same = graph.files.facts[row], self._facts_of[graph.files.facts["subject"][row]]
        facts = graph.files.facts[np.sort(same)]
        same_facts = facts[
            (facts["relation"] == fact["relation"]) & (facts["object"] == fact["object"])
        ]
        return list(
            dict.fromkeys(
                sentences[stated["sentence"]].tolist()
                if stated["sentence"] != NOWHERE
                else (int(stated["passage"]), NOWHERE)
                for stated in same_facts
            )
        )

    def _parsed(self, element_id: str) -> tuple[str, int]:
        files = self.graph.files
        rows = {"E": self.graph.entities, "R": len(files.facts), "S": len(files.sentences)}
        if (found := _ID.fullmatch(element_id)) and int(found[2]) < rows[found[1]]:
            return found[1], int(found[2])
        raise UsageError(f"The entity graph has no element {element_id!r}.")


def quotes_of(
    finding: Finding, graph: EntityGraph, read: ReadPassages, limit: int = QUOTES
) -> list[tuple[str, str]]:
    """The passages that support a finding, with the sentences that do (`Elements.quotes`)."""
    return Elements(graph, read).quotes(finding.elements, limit)
