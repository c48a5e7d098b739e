"""The outputs of the prompts for the elements of a passage: descriptions, facts and claims."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ConfigDict, Field, field_validator

from hopyard.models.prompt import Output, whole_items
from hopyard.prompts.indexes.entity_graph import LONGEST, StatedFact

MAX_ENTITIES: Final = 8
"""Entities of a passage at most, where the built-in model writes them."""
MAX_FACTS: Final = 5
"""Facts of a passage at most, where the built-in model writes them."""
MAX_CLAIMS: Final = 2
"""Claims of a passage at most, where the built-in model writes them."""
DESCRIPTION: Final = 160
"""Characters of a description at most, where the built-in model writes it."""


class TypedEntity(Output):
    """An entity, and what the passage says about it."""

    name: str
    type: str
    description: str


class RelatedFact(StatedFact):
    """A fact, how its two ends are related, and how strongly."""

    description: str
    strength: float
    """1 to 10."""


class StatedClaim(Output):
    """Something that the passage says that an entity did, does or is."""

    sentence: int
    """The number of the sentence, from 1."""
    subject: str
    object: str
    """The other entity; "" for none."""
    type: str
    status: str
    """true, false or suspected."""
    description: str

    @field_validator("status", mode="before")
    @classmethod
    def _as_text(cls, status: Any) -> Any:
        """Some models write the truth value `true` in place of the word."""
        return str(status).lower() if isinstance(status, bool) else status


class PassageElements(Output):
    """The entities and the facts of one passage."""

    entities: list[TypedEntity]
    facts: list[RelatedFact]

    _whole_entities = field_validator("entities", mode="before")(whole_items(TypedEntity))

    _whole_facts = field_validator("facts", mode="before")(whole_items(RelatedFact))

    @property
    def stated_claims(self) -> list[StatedClaim]:
        """The claims; none where they are not asked for."""
        return []


class ElementsAndClaims(PassageElements):
    """The entities, facts and claims of one passage."""

    claims: list[StatedClaim]

    _whole_claims = field_validator("claims", mode="before")(whole_items(StatedClaim))

    @property
    def stated_claims(self) -> list[StatedClaim]:
        """The claims."""
        return self.claims


def _at_most(characters: int) -> Any:
    return Field(json_schema_extra={"maxLength": characters})


class ShortEntity(TypedEntity):
    """An entity with short texts."""

    model_config = ConfigDict(title="TypedEntity")

    name: str = _at_most(LONGEST)
    type: str = _at_most(LONGEST)
    description: str = _at_most(DESCRIPTION)


class ShortRelatedFact(RelatedFact):
    """A fact with short parts."""

    model_config = ConfigDict(title="RelatedFact")

    subject: str = _at_most(LONGEST)
    relation: str = _at_most(LONGEST)
    object: str = _at_most(LONGEST)
    description: str = _at_most(DESCRIPTION)


class ShortClaim(StatedClaim):
    """A claim with short texts."""

    model_config = ConfigDict(title="StatedClaim")

    subject: str = _at_most(LONGEST)
    object: str = _at_most(LONGEST)
    type: str = _at_most(LONGEST)
    description: str = _at_most(DESCRIPTION)


class FewElements(PassageElements):
    """A few entities and facts."""

    model_config = ConfigDict(title="PassageElements")

    entities: list[ShortEntity] = Field(json_schema_extra={"maxItems": MAX_ENTITIES})  # type: ignore[assignment]
    facts: list[ShortRelatedFact] = Field(json_schema_extra={"maxItems": MAX_FACTS})  # type: ignore[assignment]


class FewElementsAndClaims(ElementsAndClaims):
    """A few entities, facts and claims."""

    model_config = ConfigDict(title="ElementsAndClaims")

    entities: list[ShortEntity] = Field(json_schema_extra={"maxItems": MAX_ENTITIES})  # type: ignore[assignment]
    facts: list[ShortRelatedFact] = Field(json_schema_extra={"maxItems": MAX_FACTS})  # type: ignore[assignment]
    claims: list[ShortClaim] = Field(json_schema_extra={"maxItems": MAX_CLAIMS})  # type: ignore[assignment]
