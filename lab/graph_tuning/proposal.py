"""Entity types and worked examples for a corpus, which the chat model proposes from a sample."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar
from uuid import uuid4

from hopyard.indexes.build_context import BuildOptions, ModelCall
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.kinds.entity_graph import EntityGraphSettings
from hopyard.indexes.kinds.entity_graph.find.asking import (
    Asking,
    Tuning,
    WorkedExample,
    entity_types,
)
from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction
from hopyard.indexes.kinds.entity_graph.find.model import first_sentences, writer_of
from hopyard.indexes.kinds.entity_graph.find.places import Places
from hopyard.indexes.kinds.entity_graph.find.rules import extract
from hopyard.prompts.indexes.element_outputs import (
    ElementsAndClaims,
    RelatedFact,
    StatedClaim,
    TypedEntity,
)
from hopyard.prompts.passages import passage_lines, snippet
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import profile_of
from lab.graph_tuning.prompt import MAX_TYPES, TUNE

__all__ = ("choose_evenly", "propose_tuning")

EXAMPLES: Final = 2
"""Worked examples that are proposed."""
_TRIES: Final = 4
"""Passages that are asked about for them at most."""
_CHARACTERS: Final = {"builtin": 300, "small": 1200, "capable": 1200}
"""Of each passage of the sample."""

ItemT = TypeVar("ItemT")


def choose_evenly(items: Sequence[ItemT], count: int) -> list[ItemT]:
    """The items in the middle of `count` equal parts of a list, or all if there are fewer."""
    count = min(count, len(items))
    return [items[(2 * part + 1) * len(items) // (2 * count)] for part in range(count)]


async def propose_tuning(
    sample: Sequence[Passage], options: BuildOptions, *, examples: bool
) -> Tuning:
    """Ask for the domain and entity types of a corpus, and for two worked examples of them.

    An example is a passage of the sample with the elements that the model finds in it and the
    passage supports. The passages that name most things are taken.

    Args:
        sample: Passages from all over the corpus, at least one.
        options: Model, settings and language.
        examples: Whether to ask for examples, one call each.

    Raises:
        ModelOutputError: The model names no types.
        ModelUnreachableError: The model does not answer.
        BudgetExceededError: The budget does not allow the calls.
    """
    run = f"{TUNE.name}/{uuid4().hex}"
    longest = _CHARACTERS[profile_of(options.settings)]
    lines = passage_lines([(one.full_title, snippet(one.text, longest)) for one in sample])
    found = await options.calls_of(run)(TUNE, {"passages": lines}, step=TUNE.name)
    types = entity_types(",".join(found.types))[:MAX_TYPES]
    worked = await _examples(sample, types, options, run) if examples else []
    return Tuning(domain=found.domain, types=types, examples=tuple(worked))


async def _examples(
    sample: Sequence[Passage], types: tuple[str, ...], options: BuildOptions, run: str
) -> list[WorkedExample]:
    """The elements of the passages that name most things. A failure takes the next passage."""
    writer = writer_of(options.settings, Asking(descriptions=True, types=types, claims=True))
    call: ModelCall = options.calls_of(run, writer.asking)
    longest = EntityGraphSettings.of(options.settings).passage_characters
    worked: list[WorkedExample] = []
    ranked = sorted(sample, key=lambda one: -_names_in(one, options.language))
    for passage in ranked[:_TRIES]:
        try:
            _, extraction = await writer.write(passage, call)
        except ModelOutputError:
            continue
        sentences = first_sentences(Places(passage).sentences, longest)
        example = _worked(passage.full_title, sentences, extraction)
        if example.output.entities and example.output.facts:
            worked.append(example)
        if len(worked) == EXAMPLES:
            break
    return worked


def _names_in(passage: Passage, language: str) -> int:
    return len({mention.name for mention in extract(passage, language).mentions})


def _worked(title: str, sentences: Sequence[str], found: Extraction) -> WorkedExample:
    """An extraction as the model should have written it. What no shown sentence states is out."""
    shown = range(len(sentences))
    return WorkedExample(
        title=title,
        sentences=tuple(sentences),
        output=ElementsAndClaims(
            entities=[
                TypedEntity(name=one.name, type=one.type, description=one.description)
                for one in found.entities
            ],
            facts=[
                RelatedFact(
                    sentence=fact.sentence + 1,
                    subject=fact.subject,
                    relation=fact.relation,
                    object=fact.object,
                    description=fact.description,
                    strength=fact.strength,
                )
                for fact in found.facts
                if fact.sentence in shown
            ],
            claims=[
                StatedClaim(
                    sentence=claim.sentence + 1,
                    subject=claim.subject,
                    object=claim.object,
                    type=claim.type,
                    status=claim.status,
                    description=claim.description,
                )
                for claim in found.claims
                if claim.sentence in shown
            ],
        ),
    )
