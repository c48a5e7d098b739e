"""From the descriptions and claims of all passages to the rows of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.entity_graph.find.extraction import (
    NOWHERE,
    STATUSES,
    Claim,
    Extraction,
    Fact,
)
from hopyard.indexes.kinds.entity_graph.graph.assemble import PassageRow, whole_facts
from hopyard.indexes.kinds.entity_graph.graph.elements import CLAIM, DESCRIPTION, ElementFiles
from hopyard.indexes.text.keywords import normalise_keyword

__all__ = ("element_files",)


def element_files(
    passages: Sequence[PassageRow],
    extractions: Mapping[str, Extraction],
    entity_of: Callable[[str, int], int],
) -> ElementFiles:
    """Put the elements of all passages into rows.

    Args:
        passages: All passages, in order of id.
        extractions: By content hash.
        entity_of: The entity that a normalised name means in a passage, by the passage's row.
    """
    given = [
        (row, extractions[passage.content_hash])
        for row, passage in enumerate(passages)
        if passage.content_hash in extractions
    ]
    described = sorted(
        (
            (entity_of(normalise_keyword(one.name), row), row, one)
            for row, extraction in given
            for one in extraction.entities
            if normalise_keyword(one.name)
        ),
        key=lambda item: item[:2],
    )
    claims = list(_claims(given, entity_of))
    types = sorted({*(one.type for *_, one in described), *(one.type for *_, one in claims)})
    type_rows = {name: row for row, name in enumerate(types)}
    facts: list[Fact] = []
    if any(_is_described(fact) for _, extraction in given for fact in extraction.facts):
        facts = [fact for _, extraction in given for fact in whole_facts(extraction)]
    return ElementFiles(
        types=Ragged.of_texts(types),
        descriptions=np.array(
            [(entity, type_rows[one.type], row, one.sentence) for entity, row, one in described],
            DESCRIPTION,
        ),
        description_texts=Ragged.of_texts(one.description for *_, one in described),
        fact_descriptions=Ragged.of_texts(fact.description for fact in facts),
        fact_strengths=np.array([fact.strength for fact in facts], np.float32),
        claims=np.array(
            [
                (*ends, type_rows[one.type], STATUSES.index(one.status), row, one.sentence)
                for ends, row, one in claims
            ],
            CLAIM,
        ),
        claim_texts=Ragged.of_texts(one.description for *_, one in claims),
    )


def _claims(
    given: Sequence[tuple[int, Extraction]], entity_of: Callable[[str, int], int]
) -> Iterator[tuple[tuple[int, int], int, Claim]]:
    """The subject and the object of each claim, the row of its passage, and the claim."""
    for row, extraction in given:
        for claim in extraction.claims:
            subject, object_ = map(normalise_keyword, (claim.subject, claim.object))
            if subject:
                other = entity_of(object_, row) if object_ else NOWHERE
                yield (entity_of(subject, row), other), row, claim


def _is_described(fact: Fact) -> bool:
    return bool(fact.description) or fact.strength != 1
