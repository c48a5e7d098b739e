"""The agent as a part of a LangGraph run around it: a tool, a sub-agent, a node."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from langchain_core.runnables import RunnableConfig, RunnableLambda
from langchain_core.runnables.config import var_child_runnable_config
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

from hopyard.agent.background import wait
from hopyard.graphs import router
from hopyard.state.agent import AgentInput
from hopyard.state.settings.fields import Context
from hopyard.state.storage.stores import whole_writes

T = TypeVar("T")

_CHECKPOINTER = "__pregel_checkpointer"
"""Where LangGraph gives a subgraph its parent's checkpointer."""


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


def part_of_run(
    answer: Callable[[Any, RunnableConfig], Coroutine[Any, Any, Any]], name: str
) -> RunnableLambda[Any, Any]:
    """A runnable of an async function, for sync runs too."""

    def answer_now(state: Any, config: RunnableConfig) -> Any:
        return wait(answer(state, with_async_saver(config)), nested=True)

    return RunnableLambda(answer_now, answer, name=name)


def with_async_saver(config: RunnableConfig) -> RunnableConfig:
    """A configuration whose checkpointer can be awaited, although it may be a sync one."""
    configurable = config.get("configurable", {})
    saver = configurable.get(_CHECKPOINTER)
    if not isinstance(saver, BaseCheckpointSaver):
        return config
    return {**config, "configurable": {**configurable, _CHECKPOINTER: _InThreads(saver)}}


class _InThreads(BaseCheckpointSaver[Any]):
    """Calls the sync methods of a checkpointer in threads, one at a time."""

    def __init__(self, saver: BaseCheckpointSaver[Any]) -> None:
        super().__init__(serde=saver.serde)
        self._saver = saver
        self._lock = asyncio.Lock()

    @property
    def config_specs(self) -> list[Any]:
        """As the checkpointer has them."""
        return self._saver.config_specs

    def get_next_version(self, current: Any, channel: None) -> Any:
        """As the checkpointer counts."""
        return self._saver.get_next_version(current, channel)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Read a checkpoint."""
        return await self._call(self._saver.get_tuple, config)

    async def alist(
        self, config: RunnableConfig | None, **options: Any
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints."""
        found = self._saver.list(config, **options)
        saved: list[CheckpointTuple] = await self._call(list, found)
        for checkpoint in saved:
            yield checkpoint

    async def aput(self, *values: Any, **named: Any) -> RunnableConfig:
        """Save a checkpoint."""
        return await self._call(self._saver.put, *values, **named)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], *values: Any, **named: Any
    ) -> None:
        """Save what a task of an unfinished step has written."""
        await self._call(self._saver.put_writes, config, whole_writes(writes), *values, **named)

    async def _call(self, function: Callable[..., T], *values: Any, **named: Any) -> T:
        async with self._lock:
            return await asyncio.to_thread(function, *values, **named)
