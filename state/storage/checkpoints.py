"""Where threads are kept: one SQLite file, or a Postgres database (`HOPYARD_THREADS`)."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Final

import aiosqlite

from hopyard.state.errors import HopyardError
from hopyard.state.settings.sources import home
from hopyard.state.storage.addresses import THREADS_VARIABLE, address_in
from hopyard.state.storage.patience import BUSY_SECONDS, patiently
from hopyard.state.storage.running import FOLDER, FileLocks
from hopyard.state.storage.serializer import checkpoint_key
from hopyard.state.storage.stores import ThreadStore
from hopyard.state.storage.thread_store import SqliteThreadStore

logger = logging.getLogger(__name__)

THREADS_FILE: Final = "threads.sqlite"
"""In the data folder."""


@asynccontextmanager
async def open_saver(path: Path | None = None) -> AsyncIterator[ThreadStore]:
    """The saver of the user's threads. Always used under `async with`: open, it blocks the exit.

    Args:
        path: An SQLite file; None is the user's own store.

    Raises:
        HopyardError: The store cannot be opened.
        UsageError: The key that checkpoints are encrypted with is invalid.
    """
    key = checkpoint_key()
    if path is None and (address := await asyncio.to_thread(address_in, THREADS_VARIABLE)):
        from hopyard.state.storage.postgres.threads import open_threads

        async with open_threads(address, key) as store:
            yield store
        return
    path = path or await asyncio.to_thread(home) / THREADS_FILE
    async with AsyncExitStack() as opened:
        try:
            saver = await _open(path, key, opened)
        except sqlite3.Error as error:
            raise HopyardError(
                f"The thread store {str(path)!r} cannot be opened ({error}); move the file away, "
                "or set HOPYARD_HOME to another folder."
            ) from error
        yield saver


@patiently
async def _open(path: Path, key: bytes, opened: AsyncExitStack) -> SqliteThreadStore:
    async with AsyncExitStack() as tried:
        await asyncio.to_thread(_prepare, path)
        db = await tried.enter_async_context(aiosqlite.connect(path, timeout=BUSY_SECONDS))
        # Deleted is deleted: zeroes on the disk, and later the pages given back, see `scrub`.
        await db.execute("PRAGMA secure_delete=ON")
        saver = SqliteThreadStore(db, FileLocks(path.parent / FOLDER), key)
        tried.push_async_callback(saver.end)
        await saver.setup()
        # A killed process loses nothing at NORMAL; only a power cut may lose the last step.
        await db.execute("PRAGMA synchronous=NORMAL")
        await opened.enter_async_context(tried.pop_all())
    return saver


def _prepare(path: Path) -> None:
    """Make the file; and fail here where it fails: aiosqlite's thread would outlive its failure."""
    with closing(sqlite3.connect(path, timeout=BUSY_SECONDS)) as db:
        db.execute("PRAGMA auto_vacuum=INCREMENTAL")  # heard by a new file only
        db.execute("PRAGMA journal_mode=WAL")


@asynccontextmanager
async def create() -> AsyncIterator[ThreadStore]:
    """The saver for LangGraph's server (`langgraph.json` names this function).

    LangGraph's development server finds the place of a thread in its list, waits for
    `adelete_thread`, then removes whatever has that place by then: of two runs that end at once,
    one loses its thread, and its client waits forever. So this saver deletes after it has
    returned.
    """
    deletions: set[asyncio.Task[None]] = set()
    async with open_saver() as saver:
        delete = saver.adelete_thread

        async def adelete_thread(thread_id: str) -> None:
            task = asyncio.create_task(delete(thread_id))
            deletions.add(task)
            task.add_done_callback(ended)

        def ended(task: asyncio.Task[None]) -> None:
            deletions.discard(task)
            if not task.cancelled() and (error := task.exception()):
                logger.error("A deleted thread is still in the thread store: %s", error)

        saver.adelete_thread = adelete_thread  # type: ignore[method-assign]
        try:
            yield saver
        finally:
            await asyncio.gather(*deletions, return_exceptions=True)


def store_error(error: sqlite3.Error) -> HopyardError:
    """The error for a thread store that cannot be read or written any more."""
    return HopyardError(
        f"The thread store cannot be used ({error}): fix the problem, then run `hopyard resume`; "
        f"finished steps are kept."
    )
