"""The ledger: every finished model call, written at once, so that none is paid for twice.

One SQLite file in the user's data folder. A row is one answer of a model, under a key of
everything that the answer depends on. The ledger also records which run used which row: a run's
usage is read from here, and so survives a killed process. It also stores the compressed messages of
a call, so that a trace can show them.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from hopyard.state.errors import HopyardError
from hopyard.state.storage.patience import BUSY_SECONDS, patiently
from hopyard.state.usage import Usage

__all__ = ("LEDGER_FILE", "Entry", "Ledger", "ParseRate", "Use", "ledger_key")

LEDGER_FILE: Final = "ledger.sqlite"
"""In the data folder."""

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

_ADDED: Final = (
    ("uses", "step", "TEXT NOT NULL DEFAULT ''"),
    ("calls", "estimated", "INTEGER NOT NULL DEFAULT 0"),
)
"""Columns that were added to tables of an earlier version."""
_USE: Final = "INSERT INTO uses (run, key, cached, step) VALUES (?, ?, ?, ?)"


@dataclass(frozen=True)
class Entry:
    """One finished model call.

    Attributes:
        attempt: 0 for the first; each retry adds 1.
        output: The model's text, unchanged.
        outcome: parsed, repaired (by rule, without a second call) or failed.
        estimated: Whether the server sent no count of tokens, so that they are estimated.
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
    estimated: bool = False


_ENTRY: Final = ", ".join(field.name for field in fields(Entry))


@dataclass(frozen=True)
class Use:
    """One use of a finished call by a run.

    Attributes:
        entry: The call.
        cached: Whether the ledger answered it; otherwise the run paid for it.
        step: The id of the step that the call belongs to.
        key: The call's key, under which `Ledger.asked` has what was asked.
        at: When the call ended, in ISO format and UTC; "" where it is not known.
    """

    entry: Entry
    cached: bool
    step: str = ""
    key: str = ""
    at: str = ""


@dataclass(frozen=True)
class ParseRate:
    """How often the outputs of one prompt, including those of retries, fitted its schema."""

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
        """Share of outputs that fitted, including repaired outputs; 1.0 for no call."""
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
        if _missing(db):  # an older version made it
            with db:
                db.execute("BEGIN IMMEDIATE")  # many processes may be here at once
                for table, column, kind in _missing(db):
                    db.execute(f"ALTER TABLE {table} ADD COLUMN {column} {kind}")
    except sqlite3.Error:
        db.close()
        raise
    return db


def _missing(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """The columns that an older version did not make."""
    return [
        (table, column, kind)
        for table, column, kind in _ADDED
        if column not in {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
    ]


def _entry(row: Sequence[Any]) -> Entry:
    return replace(Entry(*row), estimated=bool(row[-1]))


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
        """Write all of the block or nothing."""
        try:
            with self._db:
                yield
        except sqlite3.Error as error:
            raise HopyardError(
                f"The ledger {str(self._path)!r} cannot be written ({error}); fix the problem, "
                "then run the same command again or `hopyard resume`: finished calls are kept."
            ) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def find(self, key: str, run: str, *, step: str = "") -> Entry | None:
        """The finished call of that key, counted as used by a step of the run.

        Only the run that paid for a failed output gets it back: another run may try again.
        """
        with self._lock, self._writing():
            row = self._db.execute(
                f"SELECT {_ENTRY} FROM calls WHERE key = ? AND (outcome != 'failed' OR "
                "EXISTS (SELECT 1 FROM uses WHERE uses.run = ? AND uses.key = calls.key))",
                (key, run),
            ).fetchone()
            if row is None:
                return None
            self._db.execute(_USE, (run, key, 1, step))
        return _entry(row)

    def entry(self, key: str) -> Entry | None:
        """The finished call of that key, whoever paid for it. No use is counted."""
        with self._lock:
            row = self._db.execute(f"SELECT {_ENTRY} FROM calls WHERE key = ?", (key,)).fetchone()
        return None if row is None else _entry(row)

    def models_of(self, prompt: str) -> list[tuple[int, str]]:
        """Each version of a prompt that a model was asked, with the model; the latest call first.

        Args:
            prompt: The name of the prompt.
        """
        with self._lock:
            rows = self._db.execute(
                "SELECT version, model FROM calls WHERE prompt = ? "
                "GROUP BY version, model ORDER BY MAX(at) DESC, version, model",
                (prompt,),
            ).fetchall()
        return [(version, model) for version, model in rows]

    def record(
        self,
        key: str,
        entry: Entry,
        *,
        run: str,
        run_seconds: float,
        step: str = "",
        asked: str = "",
    ) -> None:
        """Write a finished call and the run's working time, in one transaction.

        Args:
            key: Of everything that the answer depends on.
            entry: The call.
            run: The run that paid for it.
            run_seconds: Its working time so far.
            step: The id of the step that the call belongs to.
            asked: The messages of the call for traces, or "" to store none.
        """
        with self._lock, self._writing():
            self._db.execute(
                f"INSERT OR REPLACE INTO calls (key, {_ENTRY}) VALUES (?,?,?,?,?,?,?,?,?,?,?)",
                (key, *astuple(entry)),
            )
            self._db.execute(_USE, (run, key, 0, step))
            if asked:
                packed = zlib.compress(asked.encode("utf-8", "surrogatepass"))
                self._db.execute("INSERT OR REPLACE INTO prompts VALUES (?, ?)", (key, packed))
            self._db.execute(
                "INSERT INTO runs VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET seconds = ?",
                (run, run_seconds, run_seconds),
            )

    def forget(self, runs: Iterable[str]) -> None:
        """Delete the answers that these runs used, unless another run used them too."""
        gone = json.dumps(list(runs))
        mine = "run IN (SELECT value FROM json_each(?1))"
        with self._lock:
            with self._writing():
                for table in ("calls", "prompts"):
                    self._db.execute(
                        f"DELETE FROM {table} WHERE key IN (SELECT key FROM uses WHERE {mine}) "
                        f"AND key NOT IN (SELECT key FROM uses WHERE NOT {mine})",
                        (gone,),
                    )
                for table in ("uses", "endings", "runs"):
                    self._db.execute(f"DELETE FROM {table} WHERE {mine}", (gone,))
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def usage(self, run: str) -> Usage:
        """The calls, tokens and seconds of a run so far, over all processes that worked on it."""
        with self._lock:
            calls, cached, tokens_in, tokens_out, estimated = self._db.execute(
                "SELECT COALESCE(SUM(1 - u.cached), 0), COALESCE(SUM(u.cached), 0), "
                "COALESCE(SUM((1 - u.cached) * c.input_tokens), 0), "
                "COALESCE(SUM((1 - u.cached) * c.output_tokens), 0), "
                "COALESCE(SUM((1 - u.cached) * c.estimated), 0) "
                "FROM uses u JOIN calls c USING (key) WHERE u.run = ?",
                (run,),
            ).fetchone()
            seconds = self._db.execute("SELECT seconds FROM runs WHERE run = ?", (run,)).fetchone()
        return Usage(
            model_calls=calls,
            cached_calls=cached,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            estimated_calls=estimated,
            seconds=seconds[0] if seconds else 0.0,
        )

    def note_ending(self, run: str, call: tuple[str, str], ending: str) -> None:
        """Note how a step's last call of a prompt ended.

        Args:
            run: The run.
            call: The id of the step, and the name of the prompt.
            ending: What it is called if it is not finished (`models.calls.reply.Ending`, or the
                kind of a failure); "" if it is finished.
        """
        with self._lock, self._writing():
            if ending:
                row = (run, *call, ending)
                self._db.execute("INSERT OR REPLACE INTO endings VALUES (?, ?, ?, ?)", row)
            else:
                self._db.execute(
                    "DELETE FROM endings WHERE run = ? AND step = ? AND prompt = ?", (run, *call)
                )

    def endings(self, run: str) -> dict[tuple[str, str], str]:
        """How calls of a run ended that are not finished, by step and prompt."""
        with self._lock:
            rows = self._db.execute(
                "SELECT step, prompt, ending FROM endings WHERE run = ?", (run,)
            ).fetchall()
        return {(step, prompt): ending for step, prompt, ending in rows}

    def uses(self, run: str) -> list[Use]:
        """Each use of a finished call by a run, in the order in which they ended."""
        with self._lock:
            rows = self._db.execute(
                f"SELECT step, cached, key, at, {_ENTRY} "
                "FROM uses JOIN calls USING (key) WHERE run = ? ORDER BY uses.rowid",
                (run,),
            ).fetchall()
        return [
            Use(_entry(entry), bool(cached), step, key, at)
            for step, cached, key, at, *entry in rows
        ]

    def asked(self, keys: Iterable[str]) -> dict[str, str]:
        """The messages of finished calls by key, without calls that stored none."""
        wanted = json.dumps(list(keys))
        with self._lock:
            rows = self._db.execute(
                "SELECT key, messages FROM prompts WHERE key IN (SELECT value FROM json_each(?))",
                (wanted,),
            ).fetchall()
        return {
            key: zlib.decompress(packed).decode("utf-8", "surrogatepass") for key, packed in rows
        }

    def calls_of(self, run: str) -> list[tuple[Entry, bool]]:
        """Each finished call that a run used, once, and whether another run had paid for it.

        Their sum is what the run would have cost without the ledger.
        """
        with self._lock:
            rows = self._db.execute(
                f"SELECT MIN(cached), {_ENTRY} FROM uses JOIN calls USING (key) "
                "WHERE run = ? GROUP BY key ORDER BY MIN(uses.rowid)",
                (run,),
            ).fetchall()
        return [(_entry(entry), bool(cached)) for cached, *entry in rows]

    def parse_rates(self, run: str | None = None) -> list[ParseRate]:
        """How many outputs fitted their schema, for each prompt, version and model.

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
