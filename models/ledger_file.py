"""The ledger as an SQLite file: its tables, and how it is opened."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

from filelock import FileLock, Timeout

from hopyard.models.ledger_tables import Execute
from hopyard.state.errors import HopyardError
from hopyard.state.storage.patience import BUSY_SECONDS, patiently

T = TypeVar("T")

ASKING: Final = "asking"
"""The folder of the lock files of calls under way, beside the ledger."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS calls (
    key TEXT PRIMARY KEY,
    prompt TEXT NOT NULL,
    version INTEGER NOT NULL,
    model TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    output TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('parsed', 'repaired', 'failed')),
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    seconds REAL NOT NULL,
    estimated INTEGER NOT NULL DEFAULT 0,
    note TEXT NOT NULL DEFAULT '',
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS prompts (key TEXT PRIMARY KEY, messages BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uses (
    run TEXT NOT NULL,
    key TEXT NOT NULL,
    cached INTEGER NOT NULL,
    step TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS uses_of_run ON uses (run);
CREATE TABLE IF NOT EXISTS endings (
    run TEXT NOT NULL,
    step TEXT NOT NULL,
    prompt TEXT NOT NULL,
    ending TEXT NOT NULL,
    PRIMARY KEY (run, step, prompt)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, seconds REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent (day TEXT PRIMARY KEY, tokens INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turns (model TEXT PRIMARY KEY, free REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS questions (asker TEXT, run TEXT, question TEXT, at TEXT);
"""


class SqliteTables:
    """The ledger's tables in one file.

    Args:
        path: The file.

    Raises:
        HopyardError: The file cannot be opened.
    """

    listed = "SELECT value FROM json_each(:listed)"
    now = "((julianday('now') - 2440587.5) * 86400)"

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._path = path
        self._held: dict[str, FileLock] = {}
        try:
            self._db = _open(path)
        except sqlite3.Error as error:
            raise HopyardError(
                f"The ledger {str(path)!r} cannot be opened ({error}); move the file away, or set "
                "HOPYARD_HOME to another folder."
            ) from error

    def write(self, work: Callable[[Execute], T]) -> T:
        """Do all of some work or nothing."""
        try:
            with self._lock, self._db:
                return work(self._db.execute)
        except sqlite3.Error as error:
            raise HopyardError(
                f"The ledger {str(self._path)!r} cannot be written ({error}); fix the problem, "
                "then run the same command again or `hopyard resume`: finished calls are kept."
            ) from error

    def hold(self, key: str) -> bool:
        """Hold the key of a call by a lock file, unless somebody holds it already."""
        folder = self._path.parent / ASKING
        lock = FileLock(folder / f"{key}.lock", thread_local=False)
        try:
            folder.mkdir(exist_ok=True)
            lock.acquire(blocking=False)
        except Timeout:
            return False
        except OSError:  # a full disk: to ask twice is better than not to ask
            return True
        self._held[key] = lock
        return True

    def release(self, key: str) -> None:
        """Release a key that is held, and delete its file."""
        if lock := self._held.pop(key, None):
            with suppress(OSError):  # Windows: somebody looks at it just now
                Path(lock.lock_file).unlink(missing_ok=True)
            lock.release()

    def seal(self, text: str) -> str:
        """The text itself."""
        return text

    unseal = seal

    def scrub(self) -> None:
        """Empty the write-ahead log."""
        with self._lock:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


@patiently
def _open(path: Path) -> sqlite3.Connection:
    """Open the file, with its tables."""
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        # A killed process loses nothing at NORMAL; only a power cut may lose the last call.
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute("PRAGMA secure_delete=ON")
        db.executescript(_SCHEMA)
    except sqlite3.Error:
        db.close()
        raise
    return db
