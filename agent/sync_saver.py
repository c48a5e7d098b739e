"""A sync agent's checkpointer, used by Hopyard's graph, whose nodes are async."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)

from hopyard.state.storage.thread_store import whole_writes

__all__ = ("with_async_saver",)

_CHECKPOINTER = "__pregel_checkpointer"
"""Where LangGraph gives a subgraph its parent's checkpointer."""


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
        async with self._lock:
            return await asyncio.to_thread(self._saver.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,  # noqa: A002  (LangGraph's name)
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """List checkpoints."""
        found = self._saver.list(config, filter=filter, before=before, limit=limit)
        async with self._lock:
            saved = await asyncio.to_thread(list, found)
        for checkpoint in saved:
            yield checkpoint

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        put = self._saver.put
        async with self._lock:
            return await asyncio.to_thread(put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save what a task of an unfinished step has written."""
        async with self._lock:
            kept = whole_writes(writes)
            await asyncio.to_thread(self._saver.put_writes, config, kept, task_id, task_path)
