"""The state of CoR-RAG: a chain of searches, each asked knowing what was found before it."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Citation, Evidence, StrategyState
from hopyard.state.settings.fields import Context, Group, profile_of

__all__ = (
    "ChainSettings",
    "ChainState",
    "Finding",
    "Link",
    "Lookup",
    "LookupTask",
    "Reading",
    "findings_of",
)

_MOST_LINKS = 4
_MOST_READINGS = 8


class ChainSettings(Group):
    """CoR-RAG: one search after another."""

    group: ClassVar[str] = "chain"

    form: Literal["auto", "one-call", "paper"] = Field(
        "auto",
        description="one-call: one model call for each step reads, notes findings, and answers "
        "or names the next searches; paper: one call asks the next question, one answers it; "
        "auto: one-call for capable models, paper for others.",
    )
    max_steps: int | None = Field(
        None,
        ge=1,
        le=20,
        description=f"Maximum number of steps; empty means {_MOST_READINGS}, or {_MOST_LINKS} in "
        "the paper's form.",
    )
    max_empty: int = Field(
        3, ge=1, le=20, description="Stop after this many steps in a row without a finding."
    )
    evidence_k: int = Field(
        5, ge=1, le=50, description="Passages for the final answer in the paper's form."
    )

    @property
    def links(self) -> int:
        """Sub-questions at most in the paper's form; MuSiQue's longest questions need 4."""
        return self.max_steps or _MOST_LINKS

    @property
    def readings(self) -> int:
        """Maximum number of steps in the one-call form."""
        return self.max_steps or _MOST_READINGS

    def as_paper(self, context: Context) -> bool:
        """Whether a run takes the paper's form."""
        if self.form == "auto":
            return profile_of(context) != "capable"
        return self.form == "paper"


class Link(TypedDict):
    """One sub-question with its answer, in the paper's form."""

    question: str
    answer: str
    passages: list[Evidence]
    citations: NotRequired[list[Citation]]
    """What supports the answer to the whole question, where that is the only link."""
    cut: NotRequired[bool]
    """Whether the answer reached its limit and ends there."""
    reason: NotRequired[str]
    """Why it has no answer, or what went wrong with the search for it."""


class Lookup(TypedDict):
    """One search of a step."""

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


class Finding(TypedDict):
    """A fact that the model noted, with its passage."""

    fact: str
    passage_id: str


class Reading(TypedDict):
    """The result of one step."""

    searches: list[str]
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
    links: list[Link]
    """The paper's form: the sub-questions answered so far."""
    pending: str
    """The paper's form: the sub-question to search for next; "" once the chain has ended."""
    searches: list[str]
    """The next searches; empty once the chain has ended."""
    lookups: Annotated[list[Lookup], operator.add]
    readings: list[Reading]
    shown: list[str]
    """Ids of the passages that the model was shown. A passage's number is its place, from 1."""
