"""Sharing among calls at the same time: work, clients of event loops, loading into PyTorch."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Hashable, Iterable
from contextlib import suppress
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

KeyT = TypeVar("KeyT", bound=Hashable)
ClientT = TypeVar("ClientT")
ValueT = TypeVar("ValueT")

LOADING: Final = threading.RLock()
"""Held while transformers builds a model.

Building changes state of the whole process. When several threads loaded models at the same time,
some loads failed ("Cannot copy out of meta tensor"), and some models silently got random weights.
"""


def usable_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Twins(Generic[ValueT]):
    """Runs the work of each key once at a time: the second finds what the first has done.

    Work that has begun is finished, even if nobody waits any more, unless it is stopped.

    Args:
        of_others: An error that does not count for the others who wait: they try themselves.
    """

    def __init__(self, of_others: type[Exception]) -> None:
        self._of_others = of_others
        # A future belongs to the event loop that made it; a process may run several in turn.
        self._loops: WeakKeyDictionary[
            asyncio.AbstractEventLoop, dict[str, asyncio.Task[ValueT]]
        ] = WeakKeyDictionary()

    @property
    def _running(self) -> dict[str, asyncio.Task[ValueT]]:
        return self._loops.setdefault(asyncio.get_running_loop(), {})

    async def share(self, key: str, work: Callable[[], Coroutine[Any, Any, ValueT]]) -> ValueT:
        """The result of the work, which begins when the same work of others has ended."""
        running = self._running
        while (others := running.get(key)) is not None:
            await asyncio.wait([others])
            if not others.cancelled():  # else it was stopped: this one tries itself
                with suppress(self._of_others):
                    others.result()
            await asyncio.sleep(0)  # lets the callback run that forgets finished work

        def forget(done: asyncio.Task[ValueT]) -> None:
            running.pop(key, None)
            if not done.cancelled():
                done.exception()  # marks it as retrieved, even if nobody waits any more

        running[key] = asyncio.create_task(work())
        running[key].add_done_callback(forget)
        return await asyncio.shield(running[key])

    def stop(self, keys: Iterable[str]) -> None:
        """Stop work of this event loop."""
        for key in keys:
            if work := self._running.get(key):
                work.cancel()

    async def drain(self) -> None:
        """Wait until all work that has begun is finished."""
        while running := self._running:
            await asyncio.wait(list(running.values()))


class PerLoop(Generic[KeyT, ClientT]):
    """Makes one client for each key in each event loop.

    A process may run several loops in turn, for example a script that calls `asyncio.run` for each
    question. A connection that a closed loop left open cannot be used in the next loop.

    Args:
        most: Maximum number of clients in a loop; beyond it, all are made again.
    """

    def __init__(self, make: Callable[[KeyT], ClientT], *, most: int = 64) -> None:
        self._make = make
        self._most = most
        self._clients: dict[asyncio.AbstractEventLoop, dict[KeyT, ClientT]] = {}

    def __call__(self, key: KeyT) -> ClientT:
        """The client of a key in the running loop; a new client outside a loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._make(key)
        for known in list(self._clients):
            if known.is_closed():
                del self._clients[known]
        clients = self._clients.setdefault(loop, {})
        if key not in clients:
            if len(clients) >= self._most:
                clients.clear()
            clients[key] = self._make(key)
        return clients[key]
