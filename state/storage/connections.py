"""One connection to an SQLite file for all who use it at once on one event loop.

SQLite gives the right to write to any connection that asks, not to the first. Of fifty questions
with a connection each, some waited until they failed. Here they wait in a queue.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

import aiosqlite

from hopyard.state.storage.patience import BUSY_SECONDS


@dataclass
class _Shared:
    users: int = 0
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    opened: AsyncExitStack = field(default_factory=AsyncExitStack)
    db: aiosqlite.Connection | None = None


_SHARED: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Path, _Shared]]] = (
    WeakKeyDictionary()
)


@asynccontextmanager
async def shared_connection(path: Path) -> AsyncIterator[tuple[aiosqlite.Connection, asyncio.Lock]]:
    """The connection to a file, and the lock that its users hold in turn. The last user closes it.

    Args:
        path: The file. Another way to write its path gives another connection.

    Raises:
        sqlite3.Error: The file cannot be opened.
    """
    files = _SHARED.setdefault(asyncio.get_running_loop(), {})
    shared = files.setdefault(path, _Shared())
    shared.users += 1
    try:
        if shared.db is None:  # all wait for another process's lock together
            await asyncio.to_thread(_prepare, path)
        async with shared.opening:
            if shared.db is None:
                shared.db = await _connect(path, shared.opened)
        yield shared.db, shared.turn
    finally:
        shared.users -= 1
        if not shared.users:
            del files[path]
            await shared.opened.aclose()


async def _connect(path: Path, opened: AsyncExitStack) -> aiosqlite.Connection:
    async with AsyncExitStack() as tried:
        db = await tried.enter_async_context(aiosqlite.connect(path, timeout=BUSY_SECONDS))
        # Deleted is deleted: zeroes on the disk, and later the pages given back, see `scrub`.
        await db.execute("PRAGMA secure_delete=ON")
        # A killed process loses nothing at NORMAL; only a power cut may lose the last step.
        await db.execute("PRAGMA synchronous=NORMAL")
        await opened.enter_async_context(tried.pop_all())
    return db


def _prepare(path: Path) -> None:
    """Make the file; and fail here where it fails: aiosqlite's thread would outlive its failure."""
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as db:
        db.execute("PRAGMA auto_vacuum=INCREMENTAL")  # heard by a new file only
        db.execute("PRAGMA journal_mode=WAL")
