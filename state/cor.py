"""The state of CoR-RAG: sub-questions that each know the answers to earlier sub-questions."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from hopyard.state.schemas import Citation, Evidence, StrategyState


class Link(TypedDict):
    """One sub-question with its answer."""

    question: str
    answer: str
    passages: list[Evidence]
    citations: NotRequired[list[Citation]]
    """The quotes that support the answer, if the whole question is the only link."""
    cut: NotRequired[bool]
    """Whether the answer reached its limit and ends there."""
    reason: NotRequired[str]
    """Why it has no answer, or what went wrong with its search."""


class CorState(StrategyState):
    """The strategy's state."""

    ended: str
    """Why nothing more is asked; "" until the chain ends."""
    links: list[Link]
    """The sub-questions answered so far."""
    pending: str
    """The sub-question to search for next; "" once the chain has ended."""
