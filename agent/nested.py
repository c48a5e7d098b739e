"""The agent as a part of a LangGraph run around it: a tool, a sub-agent, a node."""

from __future__ import annotations

from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import var_child_runnable_config

from hopyard.graphs import router
from hopyard.state.agent import AgentInput
from hopyard.state.settings.fields import Context

__all__ = ("answer_inside",)


async def answer_inside(given: AgentInput, config: RunnableConfig, context: Context) -> Any:
    """Run the agent in the thread of the run around it, under its callbacks and checkpointer.

    The limit of steps of the run around it counts that run's steps. The agent and its strategies
    keep their own limits.
    """
    around = var_child_runnable_config.get()
    token = var_child_runnable_config.set(_without_limit(around) if around else None)
    try:
        return await router.graph.ainvoke(given, _without_limit(config), context=context)
    finally:
        var_child_runnable_config.reset(token)


def _without_limit(config: RunnableConfig) -> RunnableConfig:
    kept = config.copy()
    kept.pop("recursion_limit", None)
    return kept
