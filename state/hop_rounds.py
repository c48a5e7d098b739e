"""The state of `hop-rounds`: the hops made so far, and what the call of each round found."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from hopyard.state.hop import Hop
from hopyard.state.schemas import StrategyState


class RoundNote(TypedDict):
    """The output of a round's call."""

    round: int
    useful: list[str]
    """The passages read so far whose facts the question needs, in the order of need."""
    verdict: NotRequired[str]
    """enough (nothing is missing any more), fallback (the call gave nothing usable), or budget."""
    reason: NotRequired[str]


class HopRoundsState(StrategyState):
    """The strategy's state."""

    round: int
    """The round that the queue is for."""
    queue: list[str]
    """The passages reached in the last round."""
    hops: Annotated[list[Hop], operator.add]
    rounds: Annotated[list[RoundNote], operator.add]
    truncated: Annotated[bool, operator.or_]


def useful_so_far(notes: Iterable[RoundNote]) -> list[str]:
    """The passages that a round found useful, those of the first rounds first."""
    return list(dict.fromkeys(name for note in notes for name in note["useful"]))
