"""Where threads are kept: one SQLite file, or a Postgres database (`HOPYARD_THREADS`).

Beside the file is a lock for each thread that a process works on. The operating system frees it on
a kill.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import platform
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Final

from filelock import FileLock, Timeout

from hopyard.state.errors import HopyardError
from hopyard.state.settings.sources import home
from hopyard.state.storage.addresses import THREADS_VARIABLE, address_in
from hopyard.state.storage.connections import shared_connection
from hopyard.state.storage.patience import patiently
from hopyard.state.storage.serializer import checkpoint_key
from hopyard.state.storage.stores import Holder, ThreadStore, thread_busy
from hopyard.state.storage.thread_store import SqliteThreadStore

logger = logging.getLogger(__name__)

THREADS_FILE: Final = "threads.sqlite"
"""In the data folder."""
FOLDER: Final = "running"
"""The folder of the lock files, beside the thread store."""
PATIENCE: Final = 0.5
"""Seconds that a run waits for a lock whose holder is named: a run that was given up frees it when
the event loop gets to that."""
_LOOKING: Final = 10.0
"""Seconds that it waits for a lock that nobody names: who looks whether it is held holds it for a
moment, and many may look."""
_PAUSE: Final = 0.05
_DIGITS: Final = 32


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
        db, lock = await tried.enter_async_context(shared_connection(path))
        saver = SqliteThreadStore(db, FileLocks(path.parent / FOLDER), key, lock)
        tried.push_async_callback(saver.end)
        await saver.setup()
        await opened.enter_async_context(tried.pop_all())
    return saver


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


class FileLocks:
    """The locks of all threads of one store, as files.

    Args:
        folder: Where the lock files are. A file is named by a hash, which tells no thread's name.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @asynccontextmanager
    async def hold(self, thread_id: str) -> AsyncIterator[None]:
        """Hold a thread while working on it.

        Raises:
            ThreadBusyError: Another run holds it; the message says which process.
            HopyardError: The folder is not writable.
        """
        lock = await self._acquire(thread_id)
        try:
            yield
        finally:
            await asyncio.to_thread(self._free, thread_id, lock)

    def _free(self, thread_id: str, lock: FileLock) -> None:
        self._told(thread_id).unlink(missing_ok=True)
        lock.release()

    async def _acquire(self, thread_id: str) -> FileLock:
        begun = monotonic()
        while (lock := await asyncio.to_thread(self._try_to_hold, thread_id)) is None:
            named = self._told(thread_id).exists()
            if monotonic() > begun + (PATIENCE if named else _LOOKING):
                raise thread_busy(thread_id, self._read(thread_id))
            await asyncio.sleep(_PAUSE)
        return lock

    def _try_to_hold(self, thread_id: str) -> FileLock | None:
        if (lock := self._try(thread_id)) is not None:
            since = datetime.now().astimezone().replace(tzinfo=None).isoformat(timespec="seconds")
            holder = Holder(os.getpid(), platform.node(), since)
            with suppress(OSError):  # a full disk: the lock itself is held
                self._told(thread_id).write_text(json.dumps(asdict(holder)), encoding="utf-8")
        return lock

    async def holder(self, thread_id: str) -> Holder | None:
        """Who works on a thread now; None where nobody does."""
        return await asyncio.to_thread(self._holder, thread_id)

    def _holder(self, thread_id: str) -> Holder | None:
        if not self._file(thread_id).exists():
            return None
        if (lock := self._try(thread_id)) is not None:
            self._free(thread_id, lock)  # with the name of a process that was killed
            return None
        return self._read(thread_id)

    async def forget(self, thread_id: str) -> None:
        """Remove the lock file of a thread that is deleted."""
        await asyncio.to_thread(self._forget, thread_id)

    def _forget(self, thread_id: str) -> None:
        with suppress(OSError):  # Windows: somebody looks at it just now
            self._file(thread_id).unlink(missing_ok=True)

    def _try(self, thread_id: str) -> FileLock | None:
        # Another thread of this process may release it.
        lock = FileLock(self._file(thread_id), thread_local=False)
        try:
            self._folder.mkdir(exist_ok=True)
            lock.acquire(blocking=False)
        except Timeout:
            return None
        except OSError as error:
            raise HopyardError(
                f"The folder {str(self._folder)!r} cannot be written ({error}); check who owns it, "
                "or set HOPYARD_HOME to another folder."
            ) from error
        return lock

    def _read(self, thread_id: str) -> Holder:
        try:
            return Holder(**json.loads(self._told(thread_id).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return Holder()

    def _file(self, thread_id: str) -> Path:
        digest = hashlib.sha256(thread_id.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{digest[:_DIGITS]}.lock"

    def _told(self, thread_id: str) -> Path:
        """Beside the lock file: some platforms let nobody read a locked file."""
        return self._file(thread_id).with_suffix(".json")
