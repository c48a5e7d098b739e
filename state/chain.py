"""The state of CoR-RAG: a chain of sub-questions, each asked knowing the answers before it."""

from __future__ import annotations

from typing import ClassVar, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from hopyard.state.schemas import Evidence, StrategyState
from hopyard.state.settings import Group

__all__ = ("ChainSettings", "ChainState", "Link")


class ChainSettings(Group):
    """CoR-RAG: sequential sub-questions."""

    group: ClassVar[str] = "chain"

    max_steps: int = Field(
        4, ge=1, le=20, description="Sub-questions at most; MuSiQue's longest questions need 4."
    )
    evidence_k: int = Field(5, ge=1, le=50, description="Snippets kept for the final answer.")


class Link(TypedDict):
    """One sub-question with its answer."""

    question: str
    answer: str
    passages: list[Evidence]
    cut: NotRequired[bool]
    """Whether the answer reached its limit and ends there."""
    reason: NotRequired[str]
    """Why it has no answer, or what went wrong with the search for it."""


class ChainState(StrategyState):
    """The strategy's state."""

    links: list[Link]
    pending: str
    """The sub-question that is searched for next; "" once the chain has ended."""
    ended: str
    """Why no further sub-question is asked; "" while the chain goes on."""
