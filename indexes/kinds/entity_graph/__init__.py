"""The entity graph."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from hopyard.state.settings import Group

__all__ = ("EntityGraphSettings",)


class EntityGraphSettings(Group):
    """The entity graph, while it is built. An index keeps the settings of its last build."""

    group: ClassVar[str] = "graph"

    builder: Literal["rules", "model"] = Field(
        "rules",
        description="What finds names and facts in passages: rules (names only, no model calls) or "
        "model (one call a passage).",
    )
    extractions: str = Field(
        "",
        description="A JSONL file with names and facts of passages, used in place of the builder.",
    )
    max_failure_rate: float = Field(
        0.2,
        ge=0,
        le=1,
        description="Maximum share of passages that the model may fail on before a build fails.",
    )
    passage_characters: int = Field(
        2400, ge=200, description="Maximum characters of a passage in a prompt."
    )
    temperature: float = Field(
        0.0, ge=0, le=2, description="Sampling temperature for writing names and facts."
    )
