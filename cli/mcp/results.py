"""The typed results of the MCP tools. Clients read their schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from hopyard.agent.answer import is_supported
from hopyard.agent.texts import with_texts
from hopyard.state import strategy as registry
from hopyard.state.answer import Result


class ToolAnswer(Result):
    """An answer, or the approvals that the run waits for."""

    answer: str
    """The answer, [1] the first citation; empty while it waits."""
    strategy: str
    """How it was answered; empty while that is being asked about."""
    supported: bool
    """Whether there is an answer, and the documents support all of it that was checked."""
    thread_id: str
    """For continue_thread."""
    waiting: list[dict[str, Any]]
    """The approvals that the run waits for, each with its id, the action, and the decisions that
    continue_thread takes; empty if the run is finished."""


class StrategyInfo(BaseModel):
    """One way to answer."""

    name: str
    description: str


class Strategies(BaseModel):
    """All ways to answer."""

    strategies: list[StrategyInfo]


def answer_of(result: Mapping[str, Any], *, evidence: bool = False) -> ToolAnswer:
    """A thread's state as a tool gives it.

    Args:
        evidence: Whether to give the passages that the answer was read from, and all texts. It
            blocks then.
    """
    result = with_texts(result) if evidence else {**result, "evidence": []}
    undecided = any(asked["action_requests"][0]["name"] == "route" for asked in result["waiting"])
    strategy = "" if undecided else result["strategy"]
    given = {**result, "strategy": strategy, "supported": is_supported(result)}
    return ToolAnswer.model_validate(given)


def strategies() -> Strategies:
    """Every strategy but baselines, with its purpose."""
    return Strategies(
        strategies=[
            StrategyInfo(name=known.name, description=known.about)
            for known in registry.strategies()
            if not known.baseline
        ]
    )
