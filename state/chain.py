"""The settings and state of `chain`: searches that each know what was found before."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Annotated, ClassVar, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Evidence, Look, StrategyState
from hopyard.state.settings.fields import Group


class ChainSettings(Group):
    """One search after another."""

    group: ClassVar[str] = "chain"

    max_steps: int = Field(8, ge=1, le=20, description="Maximum number of steps.")


class Lookup(TypedDict):
    """One search of a step, or one look inside a document."""

    step: int
    """Number of the step that reads what was found, from 1."""
    text: str
    passages: list[Evidence]
    reason: NotRequired[str]
    """The error of the search."""


class LookupTask(TypedDict):
    """The input of one search."""

    run: str
    step: int
    text: str
    parts: int
    """Searches that share the step's places."""
    seen: list[str]
    """Ids of the passages that the model was shown."""
    look: NotRequired[Look]
    """The look inside a document, if it is no search."""


class Finding(TypedDict):
    """A fact that the model noted, with its passage."""

    fact: str
    passage_id: str


class Reading(TypedDict):
    """The result of one step."""

    searches: list[str]
    """Its searches and looks, as a reader sees them."""
    findings: list[Finding]
    kind: str
    """search, answer, direct, not_found, or failed."""
    new: list[Evidence]
    """The new passages of the step's searches."""
    cut: NotRequired[bool]
    """Whether the answer reached its limit and ends there."""
    reason: NotRequired[str]
    """The errors of its searches or its call."""


def findings_of(readings: Iterable[Reading]) -> list[Finding]:
    """The findings of all steps, in order."""
    return [finding for reading in readings for finding in reading["findings"]]


class ChainState(StrategyState):
    """The strategy's state."""

    truncated: Annotated[bool, operator.or_]
    ended: str
    """Why nothing more is asked; "" until the chain ends."""
    searches: list[str]
    """The next searches; empty once the chain has ended."""
    looks: NotRequired[list[Look]]
    """The next step's looks inside documents."""
    lookups: Annotated[list[Lookup], operator.add]
    readings: list[Reading]
    shown: list[str]
    """Ids of the passages that the model was shown. A passage's number is its place, from 1."""
