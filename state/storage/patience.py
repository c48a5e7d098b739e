"""Opening and writing an SQLite file that other processes use at the same moment."""

from __future__ import annotations

import sqlite3
from typing import Final

from tenacity import retry, retry_if_exception, stop_after_delay, wait_fixed

BUSY_SECONDS: Final = 30.0
"""How long a process waits for another one to end its writing."""
_CROWD_SECONDS: Final = 120.0
"""How long a write waits for its turn among many: SQLite gives it to anybody, not to the first."""
_PAUSE: Final = 0.02
_PRIMARY: Final = 0xFF
"""The bits of an error code that say what it is; the others say of which kind."""


def is_busy(error: BaseException) -> bool:
    """Whether somebody else's lock is the reason, in one of its kinds (recovery, snapshot, …)."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return isinstance(error, sqlite3.Error) and code & _PRIMARY == sqlite3.SQLITE_BUSY


patiently: Final = retry(
    retry=retry_if_exception(is_busy),
    wait=wait_fixed(_PAUSE),
    stop=stop_after_delay(BUSY_SECONDS),
    reraise=True,
)
"""Decorates a function that opens a file, async or not: it is called again while others lock it.

SQLite's own timeout does not wait for everything. If several connections switch a new file to a
write-ahead log, some fail with "database is locked" at once (measured: 4 of 6,400 with 32 threads),
and sometimes a connection that opens a file while its last user closes it.

The function closes what it opened before it lets the error through.
"""

in_turn: Final = retry(
    retry=retry_if_exception(is_busy), stop=stop_after_delay(_CROWD_SECONDS), reraise=True
)
"""Decorates the beginning of a write: it is tried again while other processes write."""
