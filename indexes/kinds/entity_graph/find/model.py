"""The chat model as a builder of the entity graph: the names and facts of a passage in one call.

With `entity_graph.descriptions` the call also describes them (`ElementWriter`), and gleanings ask
for what it missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Final

from hopyard.indexes.build_context import BuildOptions, ModelCall
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.entity_graph import EntityGraphSettings
from hopyard.indexes.kinds.entity_graph.find.asking import Asking
from hopyard.indexes.kinds.entity_graph.find.extraction import (
    EXTRACTED,
    IMPORTED,
    ExtractionStore,
    Fact,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.find.gleaning import FoundElements
from hopyard.indexes.kinds.entity_graph.find.places import Places
from hopyard.indexes.kinds.entity_graph.find.placing import place_extraction
from hopyard.indexes.written.estimate import estimate_writing
from hopyard.indexes.written.store import Author, WrittenStore
from hopyard.indexes.written.writer import Writer
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.elements import CLAIMS, ELEMENTS, element_values, elements_prompt
from hopyard.prompts.indexes.entity_graph import FACTS, PassageFacts, fact_values
from hopyard.prompts.passages import snippet
from hopyard.prompts.traits import traits_of
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import Context

__all__ = (
    "CHARACTERS",
    "ElementWriter",
    "FactWriter",
    "estimate",
    "extraction_of",
    "first_sentences",
    "writer_of",
)


CHARACTERS: Final = 2400
"""Characters of a passage in a prompt at most: some 600 tokens, the length of GraphRAG's chunks."""


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
    """Asks for the entities and facts of a passage with their descriptions, and for claims.

    Args:
        settings: The settings of the build.
        asking: With descriptions.
    """

    prompt: ClassVar[Prompt[Any]] = ELEMENTS

    def __init__(self, settings: Context, asking: Asking) -> None:
        super().__init__(settings)
        self.asking_for = asking
        self._worded = elements_prompt(asking.types, claims=asking.claims)

    def author(self, options: BuildOptions) -> Author:
        """The model and what it is asked for, so that another question is asked again."""
        version, model = super().author(options)
        return Author(version, f"{model} ({self.asking_for.words})")

    async def write(self, passage: Passage, call: ModelCall) -> tuple[str, StoredExtraction]:
        """Ask once, and again for what was missed until nothing new is found.

        A gleaning that fails ends them; what was found before is kept.
        """
        places = Places(passage)
        shown = first_sentences(places.sentences, CHARACTERS)
        found = FoundElements()
        for turn in range(1 + self.asking_for.gleanings):
            values = element_values(passage.full_title, shown, found.listing if turn else "")
            try:
                output = await call(self._worded, values, step=passage.id)
            except ModelOutputError:
                if not turn:
                    raise
                break
            if not found.add(output):
                break
        return EXTRACTED, found.placed(places, ends=traits_of(self.settings).fact_ends)


class ClaimWriter(ElementWriter):
    """The same with claims, whose prompt has versions of its own."""

    prompt: ClassVar[Prompt[Any]] = CLAIMS


def writer_of(settings: Context, asking: Asking) -> FactWriter:
    """The writer for what is asked."""
    if not asking.descriptions:
        return FactWriter(settings)
    return (ClaimWriter if asking.claims else ElementWriter)(settings, asking)


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


async def estimate(
    passages: Sequence[Passage],
    index_directory: Path,
    options: BuildOptions,
    asking: Asking | None = None,
) -> Estimate:
    """Estimate what a build with `entity_graph.builder=model` would cost (`estimate_writing`).

    Imported extractions count as written only after the build that imports them.

    Args:
        asking: The request to the model; by default as the settings describe it.
    """
    own = EntityGraphSettings.of(options.settings)
    writer = writer_of(options.settings, asking or Asking.of(own))
    accepted = (IMPORTED,) if own.extractions else ()
    return await estimate_writing(writer, passages, index_directory, options, accepted)


def first_sentences(sentences: Sequence[str], characters: int) -> list[str]:
    """The sentences that fit whole, and the beginning of the next sentence if it is the first."""
    lengths = accumulate(map(len, sentences))
    fitting = sum(length <= characters for length in lengths)
    return list(sentences[:fitting]) or [snippet(text, characters) for text in sentences[:1]]
