"""The state of CoR-RAG: a chain of sub-questions, each asked knowing the answers before it."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from hopyard.state.schemas import Evidence, StrategyState

__all__ = ("ChainState", "Link")


class Link(TypedDict):
    """One sub-question with its answer."""

    question: str
    answer: str
    passages: list[Evidence]
    reason: NotRequired[str]
    """Why it has no answer, where asking for one failed."""


class ChainState(StrategyState):
    """The strategy's state."""

    links: list[Link]
    pending: str
    """The sub-question that is searched for next; "" once the chain has ended."""
    ended: str
    """Why no further sub-question is asked; "" while the chain goes on."""
