"""How many model calls run at once, and in which order the waiting ones go."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

__all__ = ("Scheduler",)

LONGEST_STREAK: Final = 32
"""Calls with one prefix in a row before another prefix is let in, so that none waits for ever."""


class Scheduler:
    """A semaphore that can keep calls with a shared prompt prefix together.

    On a CPU the engine computes a prompt's prefix once and reuses it while calls with the same
    prefix follow one another; a server with a GPU wants plain first come, first served.

    Args:
        limit: Calls that run at once.
        keep_prefixes: Whether a freed place goes first to a waiting call with the same prefix.
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
        """Hold one place while a call runs."""
        if self._free and not self._waiting:
            self._free -= 1
        else:
            await self._wait(prefix)
        self._streak = self._streak + 1 if prefix == self._last else 1
        self._last = prefix
        try:
            yield
        finally:
            self._hand_on()

    async def _wait(self, prefix: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((prefix, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._hand_on()
            raise

    def _hand_on(self) -> None:
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
