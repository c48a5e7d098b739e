"""The last step: what was spent, and the agent's answer as a message."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from hopyard.models.call import usage_of
from hopyard.nodes.resources import context_of
from hopyard.state.schemas import AgentState
from hopyard.state.settings import Context

__all__ = ("finish", "spent")


async def spent(run: str, context: Context) -> dict[str, Any]:
    """A strategy's last update: what its run spent.

    The run's name is let go, so that the next question on the same thread is a run of its own.
    """
    return {"usage": await asyncio.to_thread(usage_of, run, context), "run": ""}


def _cut_short(state: AgentState) -> bool:
    """Whether the budget was used up before a strategy began."""
    own = state["steps"][:1]
    return state["route"]["by"] == "budget" or any(one.get("verdict") == "budget" for one in own)


async def finish(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Close the run."""
    return {
        "usage": await asyncio.to_thread(usage_of, state["run"], context_of(runtime)),
        "truncated": state["truncated"] or _cut_short(state),
        "messages": [AIMessage(state["answer"])],
    }
