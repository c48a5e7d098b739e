"""Limits of concurrency: model calls, clients of event loops, loading into PyTorch."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Final, Generic, TypeVar

__all__ = ("LOADING", "PerLoop", "Scheduler", "usable_cores")

KeyT = TypeVar("KeyT", bound=Hashable)
ClientT = TypeVar("ClientT")

LOADING: Final = threading.RLock()
"""Held while transformers builds a model.

Building changes state of the whole process. When several threads loaded models at the same time,
some loads failed ("Cannot copy out of meta tensor"), and some models silently got random weights.
"""

LONGEST_STREAK: Final = 32
"""Calls with one prefix in a row before a call with another prefix goes first."""


def usable_cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS and Windows
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Scheduler:
    """A semaphore that can keep calls with the same prompt prefix together.

    On a CPU the engine computes a prompt's prefix once and reuses it while consecutive calls have
    the same prefix. A server with a GPU works best in order of arrival.

    Args:
        limit: Maximum number of calls at once.
        keep_prefixes: Whether a free place goes first to a waiting call with the same prefix.
    """

    def __init__(self, limit: int, *, keep_prefixes: bool = False) -> None:
        self.limit = limit
        self._keep_prefixes = keep_prefixes
        self._free = limit
        self._waiting: deque[tuple[str, asyncio.Future[None]]] = deque()
        self._last = ""
        self._streak = 0

    @asynccontextmanager
    async def place(self, prefix: str) -> AsyncIterator[None]:
        """Hold a place while a call runs."""
        if self._free and not self._waiting:
            self._free -= 1
        else:
            await self._wait(prefix)
        self._streak = self._streak + 1 if prefix == self._last else 1
        self._last = prefix
        try:
            yield
        finally:
            self._release()

    async def _wait(self, prefix: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((prefix, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()
            raise

    def _release(self) -> None:
        while self._waiting:
            _, turn = self._next()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def _next(self) -> tuple[str, asyncio.Future[None]]:
        if self._keep_prefixes and self._streak < LONGEST_STREAK:
            for position, (prefix, _) in enumerate(self._waiting):
                if prefix == self._last:
                    chosen = self._waiting[position]
                    del self._waiting[position]
                    return chosen
        return self._waiting.popleft()


class PerLoop(Generic[KeyT, ClientT]):
    """Makes one client for each key in each event loop.

    A process may run several loops in turn, for example a script that calls `asyncio.run` for each
    question. A connection that a closed loop left open cannot be used in the next loop.

    Args:
        make: Makes the client of a key.
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
