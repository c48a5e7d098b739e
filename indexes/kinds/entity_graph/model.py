"""The chat model as a builder of the entity graph: the names and facts of a passage in one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar

from hopyard.indexes.build_context import BuildOptions, ModelCall
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.entity_graph import EntityGraphSettings
from hopyard.indexes.kinds.entity_graph.extraction import Fact
from hopyard.indexes.kinds.entity_graph.extraction_store import (
    EXTRACTED,
    IMPORTED,
    ExtractionStore,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.places import Places
from hopyard.indexes.kinds.entity_graph.placing import place_extraction
from hopyard.indexes.records import Passage
from hopyard.indexes.writing import Writer
from hopyard.indexes.writing_estimate import estimate_writing
from hopyard.indexes.written_store import WrittenStore
from hopyard.models.prompt import Prompt
from hopyard.prompts.entity_graph import FACTS, PassageFacts, fact_values
from hopyard.prompts.passages import snippet
from hopyard.state.settings import Profile, profile_of

__all__ = ("FactWriter", "estimate", "extraction_of")


class FactWriter(Writer[Passage, StoredExtraction]):
    """Asks for the names and facts of a passage."""

    prompt: ClassVar[Prompt[Any]] = FACTS
    written: ClassVar[str] = "facts"
    store: ClassVar[type[WrittenStore[Any]]] = ExtractionStore
    group: ClassVar[str] = EntityGraphSettings.group

    @property
    def _own(self) -> EntityGraphSettings:
        return EntityGraphSettings.of(self.settings)

    @property
    def max_failure_rate(self) -> float:
        """As it is set."""
        return self._own.max_failure_rate

    @property
    def sampling(self) -> Mapping[str, float]:
        """As it is set."""
        return {"temperature": self._own.temperature}

    async def write(self, passage: Passage, call: ModelCall) -> tuple[str, StoredExtraction]:
        """Ask once. A passage may have neither names nor facts."""
        places = Places(passage)
        shown = _first_sentences(places.sentences, self._own.passage_characters)
        output = await call(FACTS, fact_values(passage.full_title, shown), step=passage.id)
        return EXTRACTED, extraction_of(places, output, profile_of(self.settings))

    def nothing(self, passage: Passage) -> StoredExtraction:
        """An empty extraction."""
        del passage
        return StoredExtraction()


def extraction_of(places: Places, output: PassageFacts, profile: Profile) -> StoredExtraction:
    """The extraction that a model's output gives. The output counts sentences from 1.

    The built-in model writes names of the prompt's examples into facts, so both ends of its facts
    must be in the passage.
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
    ends = 2 if profile == "builtin" else 1
    return place_extraction(places, output.entities, facts, ends=ends)


async def estimate(
    passages: Sequence[Passage], index_directory: Path, options: BuildOptions
) -> Estimate:
    """Estimate what a build with `graph.builder=model` would cost (`estimate_writing`).

    Imported extractions count as written only after the build that imports them.
    """
    writer = FactWriter(options.settings)
    own = EntityGraphSettings.of(options.settings)
    accepted = (IMPORTED,) if own.extractions else ()
    return await estimate_writing(writer, passages, index_directory, options, accepted)


def _first_sentences(sentences: Sequence[str], characters: int) -> list[str]:
    """The sentences that fit whole, and the beginning of the next sentence if it is the first."""
    lengths = accumulate(map(len, sentences))
    fitting = sum(length <= characters for length in lengths)
    return list(sentences[:fitting]) or [snippet(text, characters) for text in sentences[:1]]
