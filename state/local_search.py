"""The state of local search: the entities linked, the reports written, and what the prompt shows.

Rows of entities and facts hold for one generation of the index. `Selection` and `Linked` name it,
so that a run that is resumed after a build links and selects again.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from typing_extensions import TypedDict

from hopyard.state.schemas import StrategyState
from hopyard.state.settings.fields import Group, Profile

__all__ = ("Linked", "LocalSearchSettings", "LocalState", "Selection", "Statement")


class LocalSearchSettings(Group):
    """Local search: one prompt about the surroundings of the question's entities."""

    group: ClassVar[str] = "local_search"

    tokens: int = Field(
        0,
        ge=0,
        le=1_000_000,
        description="Tokens of reports, facts and passages together; 0 means 8000, or 1500 for "
        "the built-in model (published tool: 12000).",
    )
    share_reports: float = Field(
        0.15, ge=0, le=1, description="Share of the tokens for reports (published tool: 0.15)."
    )
    share_facts: float = Field(
        0.35,
        ge=0,
        le=1,
        description="Share of the tokens for facts; passages get the rest (published tool: 0.35, "
        "0.5). Unused tokens go to the next part: reports, facts, passages.",
    )
    entities: int = Field(
        10, ge=1, le=1000, description="Entities of the question at most (published tool: 10)."
    )
    neighbours: int = Field(
        10,
        ge=0,
        le=1000,
        description="Entities at most that share a fact or a sentence with those of the question.",
    )
    passages: int = Field(
        20,
        ge=1,
        le=1000,
        description="Passages at most. Beyond some twenty, the walk hardly tells them apart.",
    )
    reports: bool = Field(
        False,
        description="Whether missing reports are written: one call for each of the three "
        "communities that hold most entities of the question.",
    )

    @model_validator(mode="after")
    def _shares_fit(self) -> Self:
        if self.share_reports + self.share_facts > 1:
            raise ValueError("share_reports and share_facts are more than 1 together: lower one.")
        return self

    def for_profile(self, profile: Profile) -> LocalSearchSettings:
        """These settings with 0 tokens filled in.

        Args:
            profile: The run's. The built-in model reads as much as it does elsewhere: five
                passages of 300 tokens.
        """
        tokens = self.tokens or (1500 if profile == "builtin" else 8000)
        return self.model_copy(update={"tokens": tokens})


class Linked(TypedDict):
    """The entities that the search begins at."""

    generation: int
    entities: list[int]
    """Rows of the entity graph, the most important first."""
    missing: list[str]
    """Ids of communities whose report is to be written."""


class Statement(TypedDict):
    """A line about entities, by its place in the graph."""

    kind: Literal["description", "fact", "sentence", "claim"]
    row: int
    """The row of the fact or the sentence, or of the entity that is described."""
    place: int
    """The place among the entity's descriptions or claims; 0 for others."""
    passage: str
    """Id of the passage that states it."""


class Selection(TypedDict):
    """What the prompt shows. The passages are those of the evidence, in its order."""

    generation: int
    reports: int
    """Number of lines of reports."""
    statements: list[Statement]
    texts: int
    """The first so many passages are shown with their text, the others only referred to."""


class LocalState(StrategyState):
    """The strategy's state."""

    linked: Linked
    written: list[dict[str, Any]]
    """The reports that this run had written."""
    selection: Selection
