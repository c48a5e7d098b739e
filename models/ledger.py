"""The ledger: every finished model call, written at once, so that none is paid for twice.

One SQLite file in the user's data folder. A row is one answer of a model, under a key of
everything that the answer depends on. The ledger also records which run used which row, so a run's
usage survives a killed process, and the compressed messages of a call for traces.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import threading
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hopyard.models.entries import Entry, ParseRate, Use
from hopyard.models.ledger_file import open_ledger
from hopyard.state.errors import HopyardError
from hopyard.state.usage import Usage

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

__all__ = ("LEDGER_FILE", "Entry", "Ledger", "ParseRate", "Use", "ledger_key")

LEDGER_FILE: Final = "ledger.sqlite"
"""In the data folder."""

_USE: Final = "INSERT INTO uses (run, key, cached, step) VALUES (?, ?, ?, ?)"


_ENTRY: Final = ", ".join(field.name for field in fields(Entry))


def ledger_key(parts: Mapping[str, object]) -> str:
    """A key of everything that a call's answer depends on."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _entry(row: Sequence[Any]) -> Entry:
    entry = Entry(*row)
    return replace(entry, estimated=bool(entry.estimated))


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
            self._db = open_ledger(path)
        except sqlite3.Error as error:
            raise HopyardError(
                f"The ledger {str(path)!r} cannot be opened ({error}); move the file away, or set "
                "HOPYARD_HOME to another folder."
            ) from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Write all of the block or nothing."""
        try:
            with self._lock, self._db:
                yield self._db
        except sqlite3.Error as error:
            raise HopyardError(
                f"The ledger {str(self._path)!r} cannot be written ({error}); fix the problem, "
                "then run the same command again or `hopyard resume`: finished calls are kept."
            ) from error

    def _rows(self, query: str, *values: Any) -> list[Any]:
        with self._lock:
            return self._db.execute(query, values).fetchall()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def find(self, key: str, run: str, *, step: str = "") -> Entry | None:
        """The finished call of that key, counted as used by a step of the run.

        Only the run that paid for a failed output gets it back: another run may try again.
        """
        with self._writing() as db:
            row = db.execute(
                f"SELECT {_ENTRY} FROM calls WHERE key = ? AND (outcome != 'failed' OR "
                "EXISTS (SELECT 1 FROM uses WHERE uses.run = ? AND uses.key = calls.key))",
                (key, run),
            ).fetchone()
            if row is None:
                return None
            db.execute(_USE, (run, key, 1, step))
        return _entry(row)

    def record(
        self,
        key: str,
        entry: Entry,
        *,
        run: str,
        run_seconds: float,
        step: str = "",
        asked: Sequence[BaseMessage] = (),
    ) -> None:
        """Write a finished call and the run's working time, in one transaction.

        Args:
            key: Of everything that the answer depends on.
            entry: The call.
            run: The run that paid for it.
            run_seconds: Its working time so far.
            step: The id of the step that the call belongs to.
            asked: The messages of the call, for traces. They hold the question and passages, and
                the ledger is not encrypted: where checkpoints are, they are not stored.
        """
        from hopyard.state.storage.serializer import KEY_VARIABLE

        with self._writing() as db:
            db.execute(
                f"INSERT OR REPLACE INTO calls (key, {_ENTRY}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
                (key, *astuple(entry)),
            )
            db.execute(_USE, (run, key, 0, step))
            if asked and not os.environ.get(KEY_VARIABLE):
                said = json.dumps([[each.type, each.text] for each in asked], ensure_ascii=False)
                packed = zlib.compress(said.encode("utf-8", "surrogatepass"))
                db.execute("INSERT OR REPLACE INTO prompts VALUES (?, ?)", (key, packed))
            db.execute("INSERT OR REPLACE INTO runs VALUES (?, ?)", (run, run_seconds))

    def forget(self, runs: Iterable[str]) -> None:
        """Delete the answers that these runs used, unless another run used them too."""
        gone = (json.dumps(list(runs)),)
        mine = "run IN (SELECT value FROM json_each(?1))"
        with self._writing() as db:
            for table in ("calls", "prompts"):
                db.execute(
                    f"DELETE FROM {table} WHERE key IN (SELECT key FROM uses WHERE {mine}) "
                    f"AND key NOT IN (SELECT key FROM uses WHERE NOT {mine})",
                    gone,
                )
            for table in ("uses", "endings", "runs"):
                db.execute(f"DELETE FROM {table} WHERE {mine}", gone)
        self._rows("PRAGMA wal_checkpoint(TRUNCATE)")

    def usage(self, run: str) -> Usage:
        """The calls, tokens and seconds of a run so far, over all processes that worked on it."""
        [row] = self._rows(
            "SELECT SUM(1 - cached), SUM(cached), SUM((1 - cached) * input_tokens), "
            "SUM((1 - cached) * output_tokens), SUM((1 - cached) * estimated), "
            "(SELECT seconds FROM runs WHERE run = ?1) "
            "FROM uses JOIN calls USING (key) WHERE run = ?1",
            run,
        )
        calls, cached, tokens_in, tokens_out, estimated, seconds = (number or 0 for number in row)
        return Usage(
            model_calls=calls,
            cached_calls=cached,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            estimated_calls=estimated,
            seconds=float(seconds),
        )

    def note_ending(self, run: str, call: tuple[str, str], ending: str) -> None:
        """Note how a step's last call of a prompt ended.

        Args:
            run: The run.
            call: The id of the step, and the name of the prompt.
            ending: A value of `models.calls.reply.Ending`, or the kind of a failure; "" if the
                call is finished.
        """
        with self._writing() as db:
            db.execute("DELETE FROM endings WHERE (run, step, prompt) = (?, ?, ?)", (run, *call))
            if ending:
                db.execute("INSERT INTO endings VALUES (?, ?, ?, ?)", (run, *call, ending))

    def endings(self, run: str) -> dict[tuple[str, str], str]:
        """How calls of a run ended that are not finished, by step and prompt."""
        rows = self._rows("SELECT step, prompt, ending FROM endings WHERE run = ?", run)
        return {(step, prompt): ending for step, prompt, ending in rows}

    def notes(self, run: str) -> list[str]:
        """Sentences about a run's calls that a reader of its answer has to know, each once."""
        rows = self._rows(
            "SELECT note FROM uses JOIN calls USING (key) WHERE run = ? AND note != '' "
            "ORDER BY uses.rowid",
            run,
        )
        return list(dict.fromkeys(note for (note,) in rows))

    def uses(self, run: str) -> list[Use]:
        """Each use of a finished call by a run, in the order in which they ended."""
        rows = self._rows(
            f"SELECT step, cached, key, at, {_ENTRY} "
            "FROM uses JOIN calls USING (key) WHERE run = ? ORDER BY uses.rowid",
            run,
        )
        return [
            Use(_entry(entry), bool(cached), step, key, at)
            for step, cached, key, at, *entry in rows
        ]

    def asked(self, keys: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
        """The messages of finished calls by key: role and text. Some calls stored none."""
        rows = self._rows(
            "SELECT key, messages FROM prompts WHERE key IN (SELECT value FROM json_each(?))",
            json.dumps(list(keys)),
        )
        texts = {key: zlib.decompress(packed) for key, packed in rows}
        return {
            key: [(role, said) for role, said in json.loads(text.decode("utf-8", "surrogatepass"))]
            for key, text in texts.items()
        }

    def calls_of(self, run: str) -> list[tuple[Entry, bool]]:
        """Each finished call that a run used, once, and whether another run had paid for it.

        Their sum is what the run would have cost without the ledger.
        """
        found: dict[str, tuple[Entry, bool]] = {}
        for use in self.uses(run):
            given = found.get(use.key, (use.entry, True))[1]
            found[use.key] = (use.entry, given and use.cached)
        return list(found.values())

    def parse_rates(self, run: str | None = None) -> list[ParseRate]:
        """How many outputs fitted their schema, for each prompt, version and model.

        Args:
            run: Only the calls that this run paid for; None for all that are recorded.
        """
        rows = self._rows(
            "SELECT prompt, version, model, COUNT(*), SUM(outcome = 'parsed'), "
            "SUM(outcome = 'repaired'), SUM(outcome = 'failed'), SUM(input_tokens), "
            "SUM(output_tokens), SUM(seconds) FROM calls WHERE ?1 IS NULL "
            "OR key IN (SELECT key FROM uses WHERE run = ?1 AND cached = 0) "
            "GROUP BY prompt, version, model ORDER BY prompt, version, model",
            run,
        )
        return [ParseRate(*row) for row in rows]
