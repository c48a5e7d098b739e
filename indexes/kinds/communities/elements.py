"""The elements of communities as lines: entities and relationships.

The words of the model describe an entity, if `entity_graph.descriptions` asked for them. Otherwise
sentences that name it describe it. A graph by rules has no facts. There, the sentences that name
two or more entities of a community are its relationships.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.communities.support import Support
from hopyard.indexes.kinds.entity_graph.graph.graph import join_descriptions
from hopyard.indexes.kinds.entity_graph.graph.weights import together
from hopyard.prompts.passages import one_line, passage_snippet

_SENTENCES: Final = 2
"""Sentences that describe an entity before its relationships."""
_LONGEST: Final = 250
"""Tokens of an element at most."""

_Ranked = tuple[int, int, tuple[int, ...]]
"""A relationship: minus its combined degree, its row, and the entities that it joins."""


@dataclass(frozen=True)
class Element:
    """One line about a community."""

    id: str
    text: str
    """Without the id; it has no line break."""
    source: str = ""
    """The heading of the passage that a sentence is from: it says what "it" is, and when."""
    names: tuple[str, ...] = ()
    """The labels of the entities that it is about."""

    @property
    def is_name(self) -> bool:
        """Whether it is the name of an entity and says nothing about it."""
        return (self.text,) == self.names


@dataclass(frozen=True)
class Group:
    """A relationship and the entities that it joins, or a single entity without relationships."""

    ends: tuple[Element, ...]
    relationship: Element | None = None

    @property
    def elements(self) -> tuple[Element, ...]:
        """Source, target, and the relationship."""
        return self.ends if self.relationship is None else (*self.ends, self.relationship)


class Elements(Support):
    """The elements of an entity graph. Any thread may use it.

    Args:
        read: Reads passages of the same generation. It may block.
    """

    def groups(self, entities: Sequence[int], longest: int = _LONGEST) -> Iterator[Group]:
        """The elements of a community, the relationship of the highest combined degree first.

        Two sentences that describe an entity come before its first relationship. In a graph by
        rules, where nothing else says what they say, its other sentences are last.

        The combined degree of a relationship is the sum of the degrees of its two ends; of a
        sentence, of the two best connected entities that it names. Relationships of the same
        degree keep the order of the corpus. Entities without relationships are last, by degree.

        Args:
            entities: Rows of the community's entities, ascending.
            longest: Tokens of an element at most.
        """
        members = np.asarray(entities, np.int64)
        inside = self._sentences(members)
        relationships = self._shared(*inside) if self._by_rules else self._facts(members)
        described = self._described(*inside)
        lines: dict[int, Element] = {}

        def element(name: str, text: str, about: Sequence[int], source: str = "") -> Element:
            names = tuple(one_line(self.graph.label(entity)) for entity in about)
            return Element(name, passage_snippet(one_line(text), longest), source, names)

        def line(entity: int) -> Element:
            if entity not in lines:
                lines[entity] = element(f"E{entity}", self._entity_text(entity), [entity])
            return lines[entity]

        def sentence(row: int, about: Sequence[int]) -> Element:
            return element(f"S{row}", self._sentence(row), about, self._source(row))

        def descriptions(ends: Sequence[int]) -> Iterator[Group]:
            for entity in ends:
                if entity not in lines and not self.graph.descriptions(entity):
                    for row in described.get(entity, ())[:_SENTENCES]:
                        yield Group((line(entity),), sentence(row, [entity]))

        for _, row, ends in sorted(relationships):
            yield from descriptions(ends)
            relationship = (
                sentence(row, ends)
                if self._by_rules
                else element(f"R{row}", self._fact_text(row), ends)
            )
            yield Group(tuple(map(line, ends)), relationship)
        by_degree = sorted(members.tolist(), key=lambda member: (-self._degrees[member], member))
        for entity in [member for member in by_degree if member not in lines]:
            yield from descriptions([entity])
            yield Group((line(entity),))
        for entity in by_degree if self._by_rules else ():
            for row in described.get(entity, ())[_SENTENCES:]:
                yield Group((line(entity),), sentence(row, [entity]))

    @property
    def _by_rules(self) -> bool:
        return not len(self.graph.files.facts)

    @property
    def _degrees(self) -> NDArray[np.int64]:
        """[e] Number of entities that each is joined to."""
        return self.graph.kept.get(
            "degrees", lambda: np.diff(together(self.graph).indptr).astype(np.int64)
        )

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
    ) -> Iterator[_Ranked]:
        """Sentences that name two or more entities, the best connected entity first."""
        for start, end in pairwise([*starts.tolist(), len(sentences)]):
            if end - start > 1:
                ends = tuple(entities[start:end][::-1].tolist())
                yield -int(self._degrees[list(ends[:2])].sum()), int(sentences[start]), ends

    def _facts(self, members: NDArray[np.int64]) -> Iterator[_Ranked]:
        """Facts about two entities, each statement once."""
        rows = np.sort(np.concatenate([self._facts_of[entity] for entity in members.tolist()]))
        facts = self.graph.files.facts[rows]
        inside = np.isin(facts["object"], members)
        triples = np.stack([facts[name] for name in ("subject", "relation", "object")], axis=1)
        _, first = np.unique(triples[inside], axis=0, return_index=True)
        for row in rows[inside][first].tolist():
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
            starts = starts[np.diff(starts, append=len(sentences)) == 1]
        found: dict[int, list[int]] = {}
        for entity, sentence in zip(entities[starts].tolist(), sentences[starts], strict=True):
            found.setdefault(entity, []).append(int(sentence))
        return found

    def _entity_text(self, entity: int) -> str:
        """Label and type, and the descriptions of the model."""
        kind, label = self.graph.type_of(entity), self.graph.label(entity)
        about = join_descriptions(self.graph.descriptions(entity))
        name = f"{label} ({kind})" if kind else label
        return f"{name}: {about}" if about else name

    def _fact_text(self, row: int) -> str:
        return " ".join(dict.fromkeys(map(self.graph.fact_text, self._same_facts(row))))
