"""One build at a time for each index directory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from hopyard.state.errors import HopyardError, IndexBusyError

LOCK_FILE: Final = "build.lock"
OWNER_FILE: Final = "build.pid"
"""Not in the lock file itself: some platforms let nobody read a locked file."""


@contextmanager
def hold_lock(directory: Path) -> Iterator[None]:
    """Hold the build lock of an index directory; the operating system frees it on a kill.

    Raises:
        IndexBusyError: Another build holds it; the message has that process's id.
        HopyardError: The directory is not writable.
    """
    lock = FileLock(directory / LOCK_FILE, thread_local=False)  # another thread may release it
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise IndexBusyError(
            f"The index {str(directory)!r} is being built by process {_owner(directory)}: "
            "wait for it to end, then run the same command again."
        ) from error
    except OSError as error:
        raise HopyardError(
            f"The index {str(directory)!r} cannot be written ({error}): check who owns it."
        ) from error
    try:
        (directory / OWNER_FILE).write_text(str(os.getpid()))
        yield
    finally:
        (directory / OWNER_FILE).unlink(missing_ok=True)
        lock.release()


def builder_of(directory: Path) -> str:
    """The id of the process that builds an index now; "" where none does."""
    if not (directory / OWNER_FILE).exists():  # no lock to try: a build might just want it
        return ""
    try:
        with FileLock(directory / LOCK_FILE, blocking=False):
            return ""
    except (Timeout, OSError):
        return _owner(directory)


def _owner(directory: Path) -> str:
    try:
        return (directory / OWNER_FILE).read_text()
    except OSError:
        return "(just started)"
