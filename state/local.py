"""The state of local search: the entities linked, the reports written, and what the prompt shows.

Rows of entities and facts hold for one generation of the index. `Selection` and `Linked` name it,
so that a run that is resumed after a build links and selects again.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import StrategyState
from hopyard.state.settings.fields import Group


class LocalSettings(Group):
    """Local search: one prompt about the surroundings of the question's entities."""

    group: ClassVar[str] = "local"

    tokens: int | None = Field(
        None,
        ge=1,
        le=1_000_000,
        description="Tokens of reports, facts and passages together: 8000 by default, or 1500 for "
        "the built-in model (published tool: 12000).",
    )


class Linked(TypedDict):
    """The entities that the search begins at."""

    generation: int
    entities: list[int]
    """Rows of the entity graph, the most important first."""


class Statement(TypedDict):
    """A line about entities, by its place in the graph."""

    kind: Literal["description", "fact", "sentence"]
    row: int
    """The row of the fact or the sentence, or of the entity that is described."""
    place: int
    """The place among the entity's descriptions; 0 for others."""
    passage: str
    """Id of the passage that states it."""


class Selection(TypedDict):
    """The content of the prompt. Its passages are those of the evidence, in its order."""

    generation: int
    reports: int
    """Number of lines of reports."""
    statements: list[Statement]
    texts: int
    """The first so many passages are shown with their text, the others only referred to."""


class LocalState(StrategyState):
    """The strategy's state."""

    linked: Linked
    selection: Selection
