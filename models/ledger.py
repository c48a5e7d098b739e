"""The ledger: every finished model call, written at once, so that none is paid for twice.

One SQLite file in the user's data folder. A row is one answer of a model under the key of all
that it depended on. Which run used which row is kept too: a run's usage is read from here, and
so survives a killed process.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hopyard.state.errors import HopyardError
from hopyard.state.patience import BUSY_SECONDS, patiently
from hopyard.state.usage import Usage

__all__ = ("NOWHERE", "Entry", "Ledger", "ParseRate", "Place", "Use", "ledger_key")

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
    at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uses (
    run TEXT NOT NULL,
    key TEXT NOT NULL,
    cached INTEGER NOT NULL,
    node TEXT NOT NULL DEFAULT '',
    about TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS uses_of_run ON uses (run);
CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, seconds REAL NOT NULL) WITHOUT ROWID;
"""

_ADDED_TO_USES: Final = ("node", "about")
"""Columns that the ledgers of the first version do not have."""

_USE: Final = "INSERT INTO uses (run, key, cached, node, about) VALUES (?, ?, ?, ?, ?)"


@dataclass(frozen=True)
class Entry:
    """One finished model call.

    Attributes:
        output: The model's text as it came.
        outcome: parsed, repaired (by rule, without a second call) or failed.
        attempt: 0 for the first, counted up by retries.
    """

    prompt: str
    version: int
    model: str
    attempt: int
    output: str
    outcome: str
    input_tokens: int
    output_tokens: int
    seconds: float


@dataclass(frozen=True)
class Place:
    """Where in a run a call was made.

    Attributes:
        node: The step of the graph; "" outside of one.
        about: The question, or the passage, that the step was about.
    """

    node: str = ""
    about: str = ""


NOWHERE: Final = Place()


@dataclass(frozen=True)
class Use:
    """One use of a finished call by a run: paid for, or answered by the ledger (`cached`)."""

    place: Place
    entry: Entry
    cached: bool


@dataclass(frozen=True)
class ParseRate:
    """How often one prompt's outputs, those of retries included, fitted its schema."""

    prompt: str
    version: int
    model: str
    calls: int
    parsed: int
    repaired: int
    failed: int
    input_tokens: int
    output_tokens: int
    seconds: float

    @property
    def rate(self) -> float:
        """Share of outputs that fitted, repaired ones included; 1.0 for no call."""
        return (self.parsed + self.repaired) / self.calls if self.calls else 1.0


def ledger_key(parts: Mapping[str, object]) -> str:
    """A key of everything that a call's answer depends on."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@patiently
def _open(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode=WAL")
        # A killed process loses nothing at NORMAL; only a power cut may lose the last call.
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute("PRAGMA secure_delete=ON")
        db.executescript(_SCHEMA)
        if _missing_columns(db):
            with db:
                db.execute("BEGIN IMMEDIATE")  # of many processes, one adds them
                for name in _missing_columns(db):
                    db.execute(f"ALTER TABLE uses ADD COLUMN {name} TEXT NOT NULL DEFAULT ''")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _missing_columns(db: sqlite3.Connection) -> list[str]:
    there = {row[1] for row in db.execute("PRAGMA table_info(uses)")}
    return [name for name in _ADDED_TO_USES if name not in there]


class Ledger:
    """The SQLite file of finished calls. Safe to use from several threads and processes.

    Raises:
        HopyardError: The file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.Lock()
        self._path = path
        try:
            self._db = _open(path)
        except sqlite3.Error as error:
            raise HopyardError(
                f"The ledger {str(path)!r} cannot be opened ({error}); move the file away, or set "
                "HOPYARD_HOME to another folder."
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """All of the block's writes, or none of them."""
        try:
            with self._db:
                yield
        except sqlite3.Error as error:
            raise HopyardError(
                f"The ledger {str(self._path)!r} cannot be written ({error}): mend the cause and "
                "go on with the same command or `hopyard resume`; what it holds is kept."
            ) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def find(self, key: str, run: str, place: Place = NOWHERE) -> Entry | None:
        """The finished call of that key, counted as used by the run.

        A failed output is given back only to the run that paid for it: another run may try anew.
        """
        with self._lock, self._writing():
            row = self._db.execute(
                "SELECT prompt, version, model, attempt, output, outcome, input_tokens, "
                "output_tokens, seconds FROM calls WHERE key = ? AND (outcome != 'failed' OR "
                "EXISTS (SELECT 1 FROM uses WHERE uses.run = ? AND uses.key = calls.key))",
                (key, run),
            ).fetchone()
            if row is None:
                return None
            self._db.execute(_USE, (run, key, 1, place.node, place.about))
        return Entry(*row)

    def record(
        self, key: str, entry: Entry, *, run: str, run_seconds: float, place: Place = NOWHERE
    ) -> None:
        """Write a finished call and the run's working time, in one transaction."""
        with self._lock, self._writing():
            self._db.execute(
                "INSERT OR REPLACE INTO calls (key, prompt, version, model, attempt, output, "
                "outcome, input_tokens, output_tokens, seconds) VALUES (?,?,?,?,?,?,?,?,?,?)",
                (
                    key,
                    entry.prompt,
                    entry.version,
                    entry.model,
                    entry.attempt,
                    entry.output,
                    entry.outcome,
                    entry.input_tokens,
                    entry.output_tokens,
                    entry.seconds,
                ),
            )
            self._db.execute(_USE, (run, key, 0, place.node, place.about))
            self._db.execute(
                "INSERT INTO runs VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET seconds = ?",
                (run, run_seconds, run_seconds),
            )

    def forget(self, runs: Iterable[str]) -> None:
        """Delete what these runs were answered, unless another run was answered it too."""
        gone = json.dumps(list(runs))
        mine = "run IN (SELECT value FROM json_each(?1))"
        with self._lock:
            with self._writing():
                self._db.execute(
                    f"DELETE FROM calls WHERE key IN (SELECT key FROM uses WHERE {mine}) "
                    f"AND key NOT IN (SELECT key FROM uses WHERE NOT {mine})",
                    (gone,),
                )
                for table in ("uses", "runs"):
                    self._db.execute(f"DELETE FROM {table} WHERE {mine}", (gone,))
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def usage(self, run: str) -> Usage:
        """What a run has spent so far, over all processes that worked on it."""
        with self._lock:
            calls, cached, tokens_in, tokens_out = self._db.execute(
                "SELECT COALESCE(SUM(1 - u.cached), 0), COALESCE(SUM(u.cached), 0), "
                "COALESCE(SUM((1 - u.cached) * c.input_tokens), 0), "
                "COALESCE(SUM((1 - u.cached) * c.output_tokens), 0) "
                "FROM uses u JOIN calls c USING (key) WHERE u.run = ?",
                (run,),
            ).fetchone()
            seconds = self._db.execute("SELECT seconds FROM runs WHERE run = ?", (run,)).fetchone()
        return Usage(
            model_calls=calls,
            cached_calls=cached,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            seconds=seconds[0] if seconds else 0.0,
        )

    def uses(self, run: str) -> list[Use]:
        """Every use that a run made of finished calls, in the order of their end."""
        with self._lock:
            rows = self._db.execute(
                "SELECT u.node, u.about, u.cached, c.prompt, c.version, c.model, c.attempt, "
                "c.output, c.outcome, c.input_tokens, c.output_tokens, c.seconds "
                "FROM uses u JOIN calls c USING (key) WHERE u.run = ? ORDER BY u.rowid",
                (run,),
            ).fetchall()
        return [Use(Place(row[0], row[1]), Entry(*row[3:]), bool(row[2])) for row in rows]

    def calls_of(self, run: str) -> list[tuple[Entry, bool]]:
        """Every finished call that a run used, once each, and whether others had paid for it.

        Together they are what the run would have cost by itself.
        """
        with self._lock:
            rows = self._db.execute(
                "SELECT MIN(u.cached), c.prompt, c.version, c.model, c.attempt, c.output, "
                "c.outcome, c.input_tokens, c.output_tokens, c.seconds FROM uses u "
                "JOIN calls c USING (key) WHERE u.run = ? GROUP BY key ORDER BY MIN(u.rowid)",
                (run,),
            ).fetchall()
        return [(Entry(*row[1:]), bool(row[0])) for row in rows]

    def parse_rates(self, run: str | None = None) -> list[ParseRate]:
        """Per prompt, version and model: how many outputs fitted their schema.

        Args:
            run: Only the calls that this run paid for; None for all that are recorded.
        """
        paid = "WHERE key IN (SELECT key FROM uses WHERE run = ? AND cached = 0)"
        where = paid if run is not None else ""
        with self._lock:
            rows = self._db.execute(
                "SELECT prompt, version, model, COUNT(*), SUM(outcome = 'parsed'), "
                "SUM(outcome = 'repaired'), SUM(outcome = 'failed'), SUM(input_tokens), "
                f"SUM(output_tokens), SUM(seconds) FROM calls {where} "
                "GROUP BY prompt, version, model ORDER BY prompt, version, model",
                () if run is None else (run,),
            ).fetchall()
        return [ParseRate(*row) for row in rows]
