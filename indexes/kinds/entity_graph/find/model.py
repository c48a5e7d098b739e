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
    STATUSES,
    Claim,
    ClaimStatus,
    Described,
    ExtractionStore,
    Fact,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.find.placing import Places, place_extraction
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.indexes.written.estimate import estimate_writing
from hopyard.indexes.written.store import Author, WrittenStore
from hopyard.indexes.written.writer import Writer
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.element_outputs import PassageElements, RelatedFact, StatedClaim
from hopyard.prompts.indexes.elements import (
    CLAIMS,
    ELEMENTS,
    element_values,
    elements_prompt,
    found_before,
)
from hopyard.prompts.indexes.entity_graph import FACTS, PassageFacts, fact_values
from hopyard.prompts.passages import snippet
from hopyard.prompts.traits import traits_of
from hopyard.state.errors import ModelOutputError
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


class FoundElements:
    """All that was found in one passage so far; a gleaning adds what is new."""

    def __init__(self) -> None:
        self._entities: dict[str, Described] = {}
        self._facts: dict[tuple[str, str, str], Fact] = {}
        self._claims: dict[str, Claim] = {}

    def add(self, output: PassageElements) -> bool:
        """Add the new elements of an output. The first version of a repeated element stays.

        Returns:
            Whether there was any.
        """
        before = self._count
        for each in output.entities:
            described = Described(
                name=each.name, type=each.type.lower(), description=each.description
            )
            self._entities.setdefault(normalise_keyword(each.name), described)
        for fact in output.facts:
            ends = normalise_keyword(fact.subject), normalise_keyword(fact.object)
            self._facts.setdefault((ends[0], fact.relation.casefold(), ends[1]), _fact(fact))
        for claim in output.stated_claims:
            self._claims.setdefault(claim.description.casefold(), _claim(claim))
        return self._count > before

    @property
    def _count(self) -> int:
        return len(self._entities) + len(self._facts) + len(self._claims)

    @property
    def listing(self) -> str:
        """All that a gleaning shows the model of earlier finds."""
        return found_before(
            [each.name for each in self._entities.values()],
            [(fact.subject, fact.relation, fact.object) for fact in self._facts.values()],
            [claim.description for claim in self._claims.values()],
        )

    def placed(self, places: Places, *, ends: int) -> StoredExtraction:
        """The extraction of the passage, see `place_extraction`."""
        return place_extraction(
            places,
            [each.name for each in self._entities.values()],
            self._facts.values(),
            ends=ends,
            entities=self._entities.values(),
            claims=self._claims.values(),
        )


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


def _claim(claim: StatedClaim) -> Claim:
    return Claim(
        subject=claim.subject,
        object=claim.object,
        type=claim.type.lower(),
        status=_status(claim.status),
        description=claim.description,
        sentence=claim.sentence - 1,
    )


def _status(text: str) -> ClaimStatus:
    """The status that a model names. Another word leaves the claim open."""
    return next((status for status in STATUSES if status == text.lower()), "suspected")
