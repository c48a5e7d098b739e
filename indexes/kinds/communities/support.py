"""From elements back to the sentences that support them.

An element has a letter and a row of the entity graph: `E12` is an entity, `R7` a fact, and
`S3` a sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.communities.records import Source
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.prompts.passages import heading, one_line
from hopyard.state.errors import UsageError

ReadPassages = Callable[[Sequence[str]], Sequence[Passage]]
"""Reads passages by their ids, in the same order, as `Index.passages` does."""

QUOTES: Final = 8
"""Quotes of a finding at most."""
_PASSAGES: Final = 2000
"""Passages whose sentences are kept in memory."""
_ID: Final = re.compile(r"([ERSC])(\d+)")


class _Read(NamedTuple):
    """A passage as elements show it; each text is one line."""

    title: str
    heading: str
    """The title with source, date and author."""
    sentences: tuple[str, ...]


class Support:
    """The sentences that support the elements of an entity graph. Any thread may use it.

    Args:
        read: Reads passages of the same generation. It may block.
    """

    def __init__(self, graph: EntityGraph, read: ReadPassages) -> None:
        self.graph: Final = graph
        self._read = read
        self._passage = lru_cache(_PASSAGES)(self._read_passage)

    def sources(self, element_id: str) -> list[Source]:
        """The sentences that support an element, in the order of the corpus."""
        return [
            Source(passage=self.graph.passage_ids[passage], sentence=place)
            for passage, place in self._places(element_id)
        ]

    def quotes(self, element_ids: Sequence[str], limit: int = QUOTES) -> list[tuple[str, str]]:
        """The sentences that support some elements best.

        Each element has a sentence among them, if the limit allows: that which supports most of the
        other elements too. The rest are ordered by the number of elements that they support.

        Returns:
            Ids of passages, and a sentence of each. A name that only the title has is quoted by the
            title.
        """
        ids = sorted(dict.fromkeys(element_ids), key=lambda name: name.startswith("E"))
        places = {name: self._places(name) for name in ids}
        support = Counter(place for found in places.values() for place in found)
        best = [max(found, key=lambda place: support[place]) for found in places.values() if found]
        ordered = [*best, *sorted(support, key=lambda place: -support[place])]
        names = {place: name for name, found in reversed(places.items()) for place in found}
        return [
            (self.graph.passage_ids[passage], self._quote(passage, place, names[passage, place]))
            for passage, place in list(dict.fromkeys(ordered))[:limit]
        ]

    @property
    def _facts_of(self) -> Ragged:
        """[e] Rows of the facts with each entity as their subject, ascending."""

        def by_subject() -> Ragged:
            subjects = self.graph.files.facts["subject"]
            order = np.argsort(subjects, kind="stable")
            bounds = np.searchsorted(subjects[order], np.arange(self.graph.entities + 1))
            return Ragged(order, bounds.astype(np.int64))

        return self.graph.kept.get("facts by subject", by_subject)

    def _same_facts(self, row: int) -> list[int]:
        """The rows of the facts that state the same as one of them, ascending."""
        facts = self.graph.files.facts
        rows = self._facts_of[facts["subject"][row]]
        same = [facts[name][rows] == facts[name][row] for name in ("relation", "object")]
        found: list[int] = rows[np.logical_and(*same)].tolist()
        return found

    def _sentence(self, row: int) -> str:
        passage, place = self.graph.files.sentences[row].tolist()
        text: str = self._passage(passage).sentences[place]
        return text

    def _source(self, row: int) -> str:
        """The heading of the passage that a sentence is from."""
        passage: int = self.graph.files.sentences[row]["passage"]
        return self._passage(int(passage)).heading

    def _read_passage(self, passage: int) -> _Read:
        [found] = self._read([self.graph.passage_ids[passage]])
        spans = sentence_spans(found.text)
        return _Read(
            title=one_line(found.full_title),
            heading=one_line(heading(found.full_title, found.about)),
            sentences=tuple(one_line(found.text[slice(*span)]) for span in spans),
        )

    def _quote(self, passage: int, place: int, element_id: str) -> str:
        """A sentence. Without a place: that with most of the element's names, or the title."""
        read = self._passage(passage)
        if place != NOWHERE:
            return read.sentences[place]
        names = [self.graph.label(entity).casefold() for entity in self._ends(element_id)]

        def named(sentence: str) -> int:
            return sum(name in sentence.casefold() for name in names)

        best = max(read.sentences, key=named, default="")
        return best if named(best) or not read.title else read.title

    def _ends(self, element_id: str) -> list[int]:
        """The entities that an entity or a fact is about."""
        letter, row = self._parsed(element_id)
        if letter == "E":
            return [row]
        fact = self.graph.files.facts[row]
        return [int(fact["subject"]), int(fact["object"])]

    def _places(self, element_id: str) -> list[tuple[int, int]]:
        """Rows of passages, and places of sentences, that support an element."""
        letter, row = self._parsed(element_id)
        files = self.graph.files
        if letter == "E":
            return self._places_of_entity(row)
        if letter == "S":
            return [files.sentences[row].tolist()]
        return list(dict.fromkeys(map(self._place_of_fact, self._same_facts(row))))

    def _places_of_entity(self, entity: int) -> list[tuple[int, int]]:
        """Its sentences, or its passages if it is in no single sentence."""
        graph = self.graph
        start, end = graph.sentences_of.indptr[entity : entity + 2]
        rows = np.sort(graph.sentences_of.indices[start:end])
        if found := graph.files.sentences[rows].tolist():
            return list(found)
        start, end = graph.counts.indptr[entity : entity + 2]
        return [(passage, NOWHERE) for passage in graph.counts.indices[start:end].tolist()]

    def _place_of_fact(self, row: int) -> tuple[int, int]:
        fact = self.graph.files.facts[row]
        if fact["sentence"] == NOWHERE:
            return int(fact["passage"]), NOWHERE
        passage, place = self.graph.files.sentences[fact["sentence"]].tolist()
        return passage, place

    def _parsed(self, element_id: str) -> tuple[str, int]:
        files = self.graph.files
        rows = {
            "E": self.graph.entities,
            "R": len(files.facts),
            "S": len(files.sentences),
        }
        if (found := _ID.fullmatch(element_id)) and int(found[2]) < rows[found[1]]:
            return found[1], int(found[2])
        raise UsageError(f"The entity graph has no element {element_id!r}.")
