"""The state of DRIFT search (GraphRAG): follow-up questions beside the points of global search."""

from __future__ import annotations

import operator
from typing import Annotated

from typing_extensions import TypedDict

from hopyard.state.global_search import PointState, WrittenReport

__all__ = (
    "DriftState",
    "FollowUp",
    "FollowUpTask",
    "Proposal",
    "follow_up_id",
)


class Proposal(TypedDict):
    """A follow-up question that a call proposed."""

    question: str
    score: int
    """How much its answer would add, 0 to 100."""
    parent: str
    """Id of the step that proposed it."""


class FollowUp(Proposal):
    """A follow-up question that is asked."""

    step: str
    """Id of its step."""


class DriftState(PointState):
    """The strategy's state."""

    chosen: list[str]
    """Communities whose reports are read, the nearest first."""
    missing: dict[str, int]
    """Those of them whose reports are to be written, and how many reports each of them takes."""
    proposals: Annotated[list[Proposal], operator.add]
    """All follow-up questions that calls have proposed."""
    asked: list[FollowUp]
    """All follow-up questions that have been asked, or are asked next."""
    following: list[FollowUp]
    """The follow-up questions of this round."""
    round: int
    """Its number, from 1."""
    primed: list[str]
    """Communities that the primer has read."""
    looked_at: Annotated[list[str], operator.add]
    """Passages whose text a follow-up question's call was shown."""


class FollowUpTask(TypedDict):
    """The input of the task that answers one follow-up question."""

    run: str
    question: str
    """The main question."""
    follow_up: FollowUp
    round: int
    asked: list[str]
    """The follow-up questions so far, with those of this round."""
    alone: bool
    """Whether the answer depends on this task alone: no other runs, and no point was found."""
    written: dict[str, WrittenReport]
    """Reports written for the main question, by community."""


def follow_up_id(round_: int, number: int) -> str:
    """The id of the step of a follow-up question.

    Args:
        round_: The round, from 1.
        number: Its place in the round, from 1.
    """
    return f"follow-up-{round_}-{number}"
