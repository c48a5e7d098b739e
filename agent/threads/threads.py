"""The threads of one store: their settings, copies and deletion."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

from hopyard.agent.threads.history import CONTEXT_KEY, Turn, earlier_turns
from hopyard.agent.threads.summary import ThreadSummary, list_threads, summary_of
from hopyard.nodes.receive import settings_to_keep
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.errors import ThreadBusyError, ThreadMissingError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context, setting_changes
from hopyard.state.storage.stores import Holder, ThreadStore
from hopyard.state.storage.thread_names import checked_thread_name

Groups = Sequence[str] | None
"""Of a caller; None restricts nothing."""


class Threads:
    """The threads of one store.

    Args:
        resources: Indexes, models and the ledger of its runs.
    """

    def __init__(self, saver: ThreadStore, resources: Resources) -> None:
        self._resources = resources
        self._saver: Any = saver

    @property
    def resources(self) -> Resources:
        """Indexes, models and the ledger of its runs."""
        return self._resources

    async def context(self, thread_id: str) -> Context:
        """Return the settings of a thread's last run.

        If a program made the thread without a `Session`, the settings are in its state.
        """
        saved = await self._saver.aget_tuple(self._config(thread_id))
        if saved is None:
            raise thread_missing(thread_id)
        kept = saved.metadata.get(CONTEXT_KEY)
        if kept is not None:
            return change_context(Context(), json.loads(kept))
        settings = saved.checkpoint["channel_values"].get("settings", {})
        return change_context(Context(), settings)

    async def check_groups(self, thread_id: str, caller: Groups) -> None:
        """See that a caller may read what was said on a thread, if there is such a thread.

        Args:
            caller: The caller's groups; None restricts nothing.

        Raises:
            UsageError: The thread was asked with groups that the caller is not in.
        """
        if caller is None:
            return
        with suppress(ThreadMissingError):
            if not may_continue(caller, (await self.context(thread_id)).groups):
                raise UsageError(
                    f"The thread {thread_id!r} belongs to a caller with other groups: take another "
                    "thread."
                )

    async def changes(self, thread_id: str, context: Context) -> dict[str, tuple[Any, Any]]:
        """Return the settings that differ from the thread's: by name, the old and the new value.

        Raises:
            ThreadMissingError: There is no such thread.
        """
        lasting = change_context(Context(), await asyncio.to_thread(settings_to_keep, context))
        return setting_changes(await self.context(thread_id), lasting)

    async def running(self, thread_id: str) -> Holder | None:
        """Return the process that works on a thread now, or None."""
        name = checked_thread_name(thread_id)
        holder: Holder | None = await self._saver.locks.holder(name)
        return holder

    async def earlier(self, thread_id: str) -> list[Turn]:
        """Return the questions of a thread before the last question, oldest first."""
        return await earlier_turns(self._saver, checked_thread_name(thread_id))

    async def threads(self) -> list[ThreadSummary]:
        """Return all threads, most recently used first."""
        return await list_threads(self._saver)

    async def summary(self, thread_id: str) -> ThreadSummary:
        """Return a summary of one thread.

        Raises:
            ThreadMissingError: There is no such thread.
        """
        summary = await summary_of(self._saver, checked_thread_name(thread_id))
        if summary is None:
            raise thread_missing(thread_id)
        return summary

    async def fork(
        self, thread_id: str, new_id: str | None = None, *, before: int | None = None
    ) -> str:
        """Copy a thread with its history, and return the copy's name.

        Args:
            before: A question of the thread, from 2: the copy ends before it.

        Raises:
            ThreadMissingError: There is no such thread.
            UsageError: The new name is taken, or there is no such question.
        """
        thread_id = checked_thread_name(thread_id)
        new_id = checked_thread_name(new_id or new_thread_id())
        await self.context(thread_id)
        if new_id in dict(await self._saver.last_steps()):
            raise thread_taken(new_id)
        end = None
        if before is not None:
            earlier = await self.earlier(thread_id)
            if not 2 <= before <= len(earlier) + 1:
                raise UsageError(f"The thread {thread_id!r} has no earlier question {before}.")
            end = earlier[before - 2].checkpoint
        await self._saver.acopy_thread(thread_id, new_id, end)
        return new_id

    async def delete(self, thread_id: str) -> None:
        """Delete a thread with its whole history, and what only it was answered.

        Raises:
            ThreadMissingError: There is no such thread.
            ThreadBusyError: A run works on it.
            HopyardError: Another process keeps the deleted text in the store's log.
        """
        thread_id = checked_thread_name(thread_id)
        await self.context(thread_id)
        async with self._saver.locks.hold(thread_id):
            await _delete_threads(self._saver, [thread_id], self._resources)
            await self._saver.locks.forget(thread_id)

    async def prune(self, days: float, *, keep: str = "") -> list[str]:
        """Delete the threads that were not used for so many days.

        Args:
            days: Days since a thread's last step.
            keep: A thread that stays, however old.

        Returns:
            The threads deleted.
        """
        deleted = []
        for name in await self._saver.unused_threads(days):
            if name != keep:
                with suppress(ThreadBusyError):  # it has just been resumed
                    async with self._saver.locks.hold(name):
                        await _delete_threads(self._saver, [name], self._resources)
                        await self._saver.locks.forget(name)
                    deleted.append(name)
        return deleted

    def _config(self, thread_id: str, context: Context | None = None) -> RunnableConfig:
        config = RunnableConfig(configurable={"thread_id": checked_thread_name(thread_id)})
        if context is not None:
            # Without spaces: it is written with every checkpoint of the thread and its subgraphs.
            kept = json.dumps(settings_to_keep(context), separators=(",", ":"))
            config["metadata"] = {CONTEXT_KEY: kept}
        return config_with(self._resources, config)


def may_continue(caller: Groups, thread: Groups) -> bool:
    """Whether a caller's groups are all that a thread was asked with: it tells what they read."""
    return caller is None or (thread is not None and {*thread} <= {*caller})


def thread_taken(thread_id: str) -> UsageError:
    """The error for the name of a new thread that another thread has."""
    return UsageError(f"There is a thread {thread_id!r} already; choose another name.")


def thread_missing(thread_id: str) -> ThreadMissingError:
    """The error for a thread that does not exist."""
    return ThreadMissingError(
        f"There is no thread {thread_id!r}; `hopyard threads list` shows those there are."
    )


def new_thread_id() -> str:
    """A short name that can be typed."""
    return uuid4().hex[:8]


async def _delete_threads(saver: ThreadStore, threads: Sequence[str], resources: Resources) -> None:
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
        for thread_id, _ in await saver.last_steps():
            if saved_last := await saver.aget_tuple(_config(thread_id)):
                runs -= _run(saved_last)
        await asyncio.to_thread(lambda: resources.ledger.forget(runs))
    await saver.scrub()


def _run(saved: CheckpointTuple) -> set[str]:
    """The run that a checkpoint belongs to, if it has begun."""
    run = saved.checkpoint["channel_values"].get("run")
    return {run} if run else set()


def _config(thread_id: str) -> RunnableConfig:
    return RunnableConfig(configurable={"thread_id": thread_id})
