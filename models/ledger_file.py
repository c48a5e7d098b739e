"""The file of the ledger: its tables, and how it is opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from hopyard.state.storage.patience import BUSY_SECONDS, patiently

__all__ = ("open_ledger",)

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
"""


@patiently
def open_ledger(path: Path) -> sqlite3.Connection:
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
