"""Thread stores and their locks as callers see them, and the code that all stores share."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol, TypeVar
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
)
from langgraph.checkpoint.serde.types import ERROR

from hopyard.state.errors import ThreadBusyError
from hopyard.state.storage.thread_names import resume_command

T = TypeVar("T")

_GREGORIAN_EPOCH: Final = 12_219_292_800
"""Seconds from the Gregorian calendar's first day, where a UUID's time begins, to 1970."""


_MOST_WRITING: Final = 10_000
"""Threads whose last run a store remembers."""


@dataclass(frozen=True)
class Holder:
    """The process that works on a thread.

    Attributes:
        pid: Its process id; 0 if unknown.
        host: The machine that it runs on.
        since: When it began, local time in ISO format.
    """

    pid: int = 0
    host: str = ""
    since: str = ""

    def __str__(self) -> str:
        if not self.pid:
            return "in an unknown process"
        return f"in process {self.pid} on {self.host} since {self.since.replace('T', ' ')}"


def thread_busy(thread_id: str, holder: Holder) -> ThreadBusyError:
    """The error for a thread that another run holds."""
    return ThreadBusyError(
        f"The thread {thread_id!r} is running {holder}; wait for it to end, or stop that process "
        f"and run `{resume_command(thread_id)}`."
    )


class ThreadLocks(Protocol):
    """One runner for each thread of a store."""

    def hold(self, thread_id: str) -> AbstractAsyncContextManager[None]:
        """Hold a thread while working on it.

        Raises:
            ThreadBusyError: Another run holds it; the message says which process.
            HopyardError: The locks cannot be used.
        """

    async def holder(self, thread_id: str) -> Holder | None:
        """Who works on a thread now; None where nobody does."""

    async def forget(self, thread_id: str) -> None:
        """Remove what is left of the lock of a thread that is deleted."""


@dataclass(frozen=True)
class Step:
    """A checkpoint to save, as LangGraph gives it to `aput`.

    Attributes:
        config: The thread, the namespace, and the checkpoint before this one.
        metadata: The number of the step and the run's settings.
        new_versions: The channels that have changed.
    """

    config: RunnableConfig
    checkpoint: Checkpoint
    metadata: CheckpointMetadata
    new_versions: ChannelVersions

    @property
    def key(self) -> tuple[str, str, str, str | None]:
        """Thread, namespace and checkpoint, and the checkpoint before it."""
        place = self.config["configurable"]
        thread_id, namespace = str(place["thread_id"]), place["checkpoint_ns"]
        return thread_id, namespace, self.checkpoint["id"], place.get("checkpoint_id")

    @property
    def saved(self) -> RunnableConfig:
        """Where the checkpoint is found."""
        place = self.config["configurable"]
        return RunnableConfig(
            configurable={
                "thread_id": place["thread_id"],
                "checkpoint_ns": place["checkpoint_ns"],
                "checkpoint_id": self.checkpoint["id"],
            }
        )


class ThreadStore(ABC, BaseCheckpointSaver[str]):
    """A LangGraph saver, and what else callers need of threads.

    It finishes writes that have started, even when they are cancelled. A cancelled run, as after
    Ctrl-C, would otherwise lose its last step.

    Attributes:
        locks: The locks of its threads.
    """

    locks: ThreadLocks

    def __init__(self, *values: Any, **named: Any) -> None:
        super().__init__(*values, **named)
        self._writes: set[asyncio.Future[Any]] = set()
        self._ended = False
        self._writing: dict[str, str] = {}
        self._gone: set[tuple[str, str]] = set()

    @abstractmethod
    async def last_steps(self) -> list[tuple[str, str]]:
        """All threads with their latest checkpoint's id, the one used last first."""

    @abstractmethod
    async def thread_size(self, thread_id: str) -> int:
        """Bytes of a thread's checkpoints, messages and pending writes."""

    @abstractmethod
    async def acopy_thread(
        self, source_thread_id: str, target_thread_id: str, end: str | None = None
    ) -> None:
        """Copy a thread with its history under another name, in one transaction.

        Args:
            end: The last checkpoint of the copy; None copies all.
        """

    @abstractmethod
    async def scrub(self) -> None:
        """Take what was deleted off the disk, where that is the store's to do.

        Raises:
            HopyardError: Another process holds on to it.
        """

    @abstractmethod
    async def _put(self, step: Step) -> None:
        """Save a checkpoint in one transaction."""

    async def _put_writes(self, thread_id: str, put: Callable[[], Awaitable[None]]) -> None:
        """Save writes of a thread in one transaction, by a method of LangGraph's saver."""
        del thread_id
        await put()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        step = Step(config, checkpoint, metadata, new_versions)
        if not self._is_gone(config):
            await self._whole(self._put(step))
        return step.saved

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Save what a task of an unfinished step has written."""
        if self._is_gone(config):
            return
        put = partial(super().aput_writes, config, whole_writes(writes), task_id, task_path)
        await self._whole(self._put_writes(str(config["configurable"]["thread_id"]), put))

    def _is_gone(self, config: RunnableConfig) -> bool:
        """Whether the thread of a run was deleted before the run had ended: it would come back."""
        place, known = config["configurable"], config.get("metadata") or {}
        thread_id, run = str(place["thread_id"]), place.get("run_id") or known.get("run_id")
        if run:
            self._writing[thread_id] = str(run)
            while len(self._writing) > _MOST_WRITING:
                del self._writing[next(iter(self._writing))]
        return (thread_id, str(run)) in self._gone

    async def _forget_run(self, thread_id: str) -> None:
        """A thread is deleted: save nothing more of the run that wrote to it last.

        LangGraph's server deletes a thread although a run of it has not ended.
        """
        if run := self._writing.pop(thread_id, ""):
            self._gone.add((thread_id, run))
            if self._writes:
                await asyncio.wait([*self._writes])

    async def unused_threads(self, days: float) -> list[str]:
        """The threads whose last step is more days ago than that."""
        limit = time.time() - days * 86_400
        return [thread for thread, last in await self.last_steps() if _made_at(last) < limit]

    async def end(self) -> None:
        """Wait for the writes that have started; no other starts after this call."""
        self._ended = True
        if self._writes:
            await asyncio.wait(self._writes)

    async def _whole(self, write: Coroutine[Any, Any, T]) -> T:
        """Wait for a write. If cancelled, finish waiting, then raise the cancellation."""
        if self._ended:  # by a run that is being cancelled, whose store is closed already
            write.close()
            raise asyncio.CancelledError
        task = asyncio.ensure_future(write)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            await asyncio.wait([task])
            raise


def whole_writes(writes: Sequence[tuple[str, Any]]) -> Sequence[tuple[str, Any]]:
    """The writes of a task, without the output of one that was cut off.

    LangGraph saves what a cancelled task has written so far, and takes any output for all of it: a
    resumed run would end where the task's edges are missing. So only its error and interrupts are
    kept, and it runs again; the ledger has its finished model calls.
    """
    if any(channel == ERROR for channel, _ in writes):
        return [write for write in writes if write[0] in WRITES_IDX_MAP]
    return writes


def _made_at(checkpoint_id: str) -> float:
    """Seconds since 1970: a checkpoint's id is a UUID of version 6, which begins with the time."""
    value = UUID(checkpoint_id).int
    ticks = value >> 80 << 12 | value >> 64 & 0xFFF
    return ticks / 1e7 - _GREGORIAN_EPOCH
