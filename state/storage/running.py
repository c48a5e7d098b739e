"""Which process works on a thread: a lock for each, which the operating system frees on a kill."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import platform
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Final

from filelock import FileLock, Timeout

from hopyard.state.errors import HopyardError
from hopyard.state.storage.stores import Holder, thread_busy

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
