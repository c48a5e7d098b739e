"""Deleting threads: their checkpoints, and what only they were answered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from hopyard.nodes.resources import Resources
from hopyard.state.storage.checkpoints import scrub, thread_ids

__all__ = ("delete_threads",)


async def delete_threads(
    saver: AsyncSqliteSaver, threads: Sequence[str], resources: Resources
) -> None:
    """Delete threads with their whole history, from the file and from its log.

    The ledger forgets the answers that no other run was given, nor a copy that may be under way.

    Raises:
        HopyardError: Another process keeps the deleted text in the store's log.
    """
    runs: set[str] = set()
    for thread_id in threads:
        async for saved in saver.alist(_config(thread_id)):
            runs |= _run(saved)
        await saver.adelete_thread(thread_id)
    if runs:
        for thread_id in await thread_ids(saver):
            if saved_last := await saver.aget_tuple(_config(thread_id)):
                runs -= _run(saved_last)
        await asyncio.to_thread(lambda: resources.ledger.forget(runs))
    await scrub(saver)


def _run(saved: CheckpointTuple) -> set[str]:
    """The run that a checkpoint belongs to, if it has begun."""
    run = saved.checkpoint["channel_values"].get("run")
    return {run} if run else set()


def _config(thread_id: str) -> RunnableConfig:
    return RunnableConfig(configurable={"thread_id": thread_id})
