"""The outputs of the prompts for the elements of a passage: entities and facts, described."""

from __future__ import annotations

from typing import Any, Final

from pydantic import ConfigDict, Field, field_validator

from hopyard.models.prompt import Output, whole_items
from hopyard.prompts.indexes.entity_graph import LONGEST, StatedFact

MAX_ENTITIES: Final = 8
"""Entities of a passage at most, where the built-in model writes them."""
MAX_FACTS: Final = 5
"""Facts of a passage at most, where the built-in model writes them."""
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


class PassageElements(Output):
    """The entities and the facts of one passage."""

    entities: list[TypedEntity]
    facts: list[RelatedFact]

    _whole_entities = field_validator("entities", mode="before")(whole_items(TypedEntity))

    _whole_facts = field_validator("facts", mode="before")(whole_items(RelatedFact))


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


class FewElements(PassageElements):
    """A few entities and facts."""

    model_config = ConfigDict(title="PassageElements")

    entities: list[ShortEntity] = Field(json_schema_extra={"maxItems": MAX_ENTITIES})  # type: ignore[assignment]
    facts: list[ShortRelatedFact] = Field(json_schema_extra={"maxItems": MAX_FACTS})  # type: ignore[assignment]
