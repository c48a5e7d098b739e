"""Clients that keep connections open: one an event loop, to which its connections belong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ("PerLoop",)

KeyT = TypeVar("KeyT", bound=Hashable)
ClientT = TypeVar("ClientT")


class PerLoop(Generic[KeyT, ClientT]):
    """Makes a client when an event loop first asks for it, and gives the same one from then on.

    A process may run several loops in turn, as a script does that calls `asyncio.run` for each
    question. A connection that a closed loop has left open cannot be used in the next.

    Args:
        make: Makes the client of a key.
        most: Clients kept a loop; when there are more, all are made anew.
    """

    def __init__(self, make: Callable[[KeyT], ClientT], *, most: int = 64) -> None:
        self._make = make
        self._most = most
        self._clients: dict[asyncio.AbstractEventLoop, dict[KeyT, ClientT]] = {}

    def __call__(self, key: KeyT) -> ClientT:
        """The client of a key in the running loop; outside of any, a new one."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._make(key)
        for closed in [one for one in self._clients if one.is_closed()]:
            del self._clients[closed]
        clients = self._clients.setdefault(loop, {})
        if key not in clients:
            if len(clients) >= self._most:
                clients.clear()
            clients[key] = self._make(key)
        return clients[key]
