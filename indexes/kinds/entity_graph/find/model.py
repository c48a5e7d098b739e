"""The chat model as a builder of the entity graph: the names and facts of a passage in one call.

With `entity_graph.descriptions` the call also describes them (`ElementWriter`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, ClassVar, Final

from hopyard.indexes.build_context import BuildOptions, ModelCall
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph.find.extraction import (
    EXTRACTED,
    Described,
    ExtractionStore,
    Fact,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.find.placing import Places, place_extraction
from hopyard.indexes.written.store import Author, WrittenStore
from hopyard.indexes.written.writer import Writer
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.element_outputs import RelatedFact
from hopyard.prompts.indexes.elements import ELEMENTS
from hopyard.prompts.indexes.entity_graph import FACTS, PassageFacts, fact_values
from hopyard.prompts.passages import snippet
from hopyard.prompts.traits import traits_of
from hopyard.state.settings.fields import Context

CHARACTERS: Final = 2400
"""Characters of a passage in a prompt at most: some 600 tokens, the length of GraphRAG's chunks."""
_STRENGTHS = (1.0, 10.0)


class FactWriter(Writer[Passage, StoredExtraction]):
    """Asks for the names and facts of a passage."""

    prompt: ClassVar[Prompt[Any]] = FACTS
    written: ClassVar[str] = "facts"
    store: ClassVar[type[WrittenStore[Any]]] = ExtractionStore

    async def write(self, passage: Passage, call: ModelCall) -> tuple[str, StoredExtraction]:
        """Ask once. A passage may have neither names nor facts."""
        places = Places(passage)
        shown = first_sentences(places.sentences, CHARACTERS)
        output = await call(FACTS, fact_values(passage.full_title, shown), step=passage.id)
        return EXTRACTED, extraction_of(places, output, traits_of(self.settings).fact_ends)

    def nothing(self, passage: Passage) -> StoredExtraction:
        """An empty extraction."""
        del passage
        return StoredExtraction()


class ElementWriter(FactWriter):
    """Asks for the entities and facts of a passage with their descriptions."""

    prompt: ClassVar[Prompt[Any]] = ELEMENTS

    def author(self, options: BuildOptions) -> Author:
        """The model and what it is asked for, so that another question is asked again."""
        version, model = super().author(options)
        return Author(version, f"{model} (descriptions)")

    async def write(self, passage: Passage, call: ModelCall) -> tuple[str, StoredExtraction]:
        """Ask once. The first version of a repeated element counts."""
        places = Places(passage)
        shown = first_sentences(places.sentences, CHARACTERS)
        output = await call(ELEMENTS, fact_values(passage.full_title, shown), step=passage.id)
        return EXTRACTED, place_extraction(
            places,
            [each.name for each in output.entities],
            map(_fact, output.facts),
            ends=traits_of(self.settings).fact_ends,
            entities=[
                Described(name=each.name, type=each.type.lower(), description=each.description)
                for each in output.entities
            ],
        )


def writer_of(settings: Context, *, descriptions: bool) -> FactWriter:
    """The writer for what is asked."""
    return (ElementWriter if descriptions else FactWriter)(settings)


def extraction_of(places: Places, output: PassageFacts, ends: int) -> StoredExtraction:
    """The extraction that a model's output gives. The output counts sentences from 1.

    Args:
        places: The passage's sentences and names.
        ends: How many ends of a fact must be written in the passage (`Traits.fact_ends`).
    """
    facts = (
        Fact(
            subject=fact.subject,
            relation=fact.relation,
            object=fact.object,
            sentence=fact.sentence - 1,
        )
        for fact in output.facts
    )
    return place_extraction(places, output.entities, facts, ends=ends)


def first_sentences(sentences: Sequence[str], characters: int) -> list[str]:
    """The sentences that fit whole, and the beginning of the next sentence if it is the first."""
    lengths = accumulate(map(len, sentences))
    fitting = sum(length <= characters for length in lengths)
    return list(sentences[:fitting]) or [snippet(text, characters) for text in sentences[:1]]


def _fact(fact: RelatedFact) -> Fact:
    least, most = _STRENGTHS
    return Fact(
        subject=fact.subject,
        relation=fact.relation,
        object=fact.object,
        sentence=fact.sentence - 1,
        description=fact.description,
        strength=min(max(fact.strength, least), most),
    )
