"""The elements that one or more outputs of the chat model gave for one passage."""

from __future__ import annotations

from hopyard.indexes.kinds.entity_graph.find.extraction import (
    STATUSES,
    Claim,
    ClaimStatus,
    Described,
    Fact,
    StoredExtraction,
)
from hopyard.indexes.kinds.entity_graph.find.places import Places
from hopyard.indexes.kinds.entity_graph.find.placing import place_extraction
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.prompts.indexes.element_outputs import PassageElements, RelatedFact, StatedClaim
from hopyard.prompts.indexes.elements import found_before

__all__ = ("FoundElements",)

_STRENGTHS = (1.0, 10.0)


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
