"""The ledger: every finished model call, written at once, so that none is paid for twice.

It is one SQLite file in the user's data folder, or tables in Postgres (`HOPYARD_LEDGER`). A row is
one answer of a model, under a key of everything that the answer depends on. The ledger also records
which run used which row, so a run's usage survives a killed process, and the compressed messages of
a call for traces.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hopyard.models.ledger_tables import Entry, Execute, ParseRate, Tables, Use, ledger_key
from hopyard.models.turns import Turns
from hopyard.state.usage import Usage

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

__all__ = ("LEDGER_FILE", "Entry", "Ledger", "ParseRate", "Use", "ledger_key", "open_ledger")

LEDGER_FILE: Final = "ledger.sqlite"
"""In the data folder."""

_MOST_QUESTIONS: Final = 100
"""Questions of an asker that one call compares, at most."""
_NAMES: Final = tuple(field.name for field in fields(Entry))
_ENTRY: Final = ", ".join(_NAMES)
_USE: Final = "INSERT INTO uses (run, key, cached, step) VALUES (:run, :key, :cached, :step)"
_CALL: Final = (
    f"INSERT INTO calls (key, {_ENTRY}) VALUES (:key, {', '.join(f':{name}' for name in _NAMES)}) "
    "ON CONFLICT (key) DO UPDATE SET at = excluded.at, "
    + ", ".join(f"{name} = excluded.{name}" for name in _NAMES)
)


_SPENT: Final = (
    "INSERT INTO spent (day, tokens) VALUES (:day, :tokens) "
    "ON CONFLICT (day) DO UPDATE SET tokens = spent.tokens + excluded.tokens"
)


def _today(person: str) -> str:
    day = datetime.now(UTC).date().isoformat()
    return f"{day} {person}" if person else day


def open_ledger(place: Path | str) -> Ledger:
    """Open a ledger.

    Args:
        place: The SQLite file, or the address of a Postgres database.

    Raises:
        HopyardError: It cannot be opened.
    """
    if isinstance(place, Path):
        from hopyard.models.ledger_file import SqliteTables

        return Ledger(SqliteTables(place))
    from hopyard.models.ledger_postgres import PostgresTables

    return Ledger(PostgresTables(place))


class Ledger:
    """Finished calls. Safe to use from several threads and processes.

    `turns` is what a call waits for before it asks the model.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.turns = Turns(tables)

    def _rows(self, query: str, **values: Any) -> list[Any]:
        return self._tables.write(lambda execute: execute(query, values).fetchall())

    def _entry(self, row: Sequence[Any]) -> Entry:
        entry = Entry(*row)
        output = self._tables.unseal(entry.output)
        return replace(entry, output=output, estimated=bool(entry.estimated))

    def close(self) -> None:
        """Close the file or the connection."""
        self._tables.close()

    def find(self, key: str, run: str, *, step: str = "") -> Entry | None:
        """The finished call of that key, counted as used by a step of the run.

        Only the run that paid for a failed output gets it back: another run may try again.
        """

        def work(execute: Execute) -> Any:
            row = execute(
                f"SELECT {_ENTRY} FROM calls WHERE key = :key AND (outcome != 'failed' OR "
                "EXISTS (SELECT 1 FROM uses WHERE uses.run = :run AND uses.key = calls.key))",
                {"key": key, "run": run},
            ).fetchone()
            if row is not None:
                execute(_USE, {"run": run, "key": key, "cached": 1, "step": step})
            return row

        row = self._tables.write(work)
        return self._entry(row) if row is not None else None

    def record(
        self,
        key: str,
        entry: Entry,
        *,
        run: str,
        run_seconds: float,
        step: str = "",
        asked: Sequence[BaseMessage] = (),
        person: str = "",
    ) -> None:
        """Write a finished call and the run's working time, in one transaction.

        Args:
            key: Of everything that the answer depends on.
            run_seconds: Its working time so far.
            asked: The messages of the call, for traces. They hold the question and passages, and
                the ledger is not encrypted: where checkpoints are, they are not stored.
            person: Whose day pays too; "" for nobody's.
        """
        from hopyard.state.storage.serializer import KEY_VARIABLE

        call = {
            **asdict(entry),
            "output": self._tables.seal(entry.output),
            "estimated": int(entry.estimated),
        }
        packed = b""
        if asked and not os.environ.get(KEY_VARIABLE):
            said = json.dumps([[each.type, each.text] for each in asked], ensure_ascii=False)
            packed = zlib.compress(said.encode("utf-8", "surrogatepass"))

        def work(execute: Execute) -> None:
            execute(_CALL, {"key": key, **call})
            execute(_USE, {"run": run, "key": key, "cached": 0, "step": step})
            tokens = entry.input_tokens + entry.output_tokens
            for day in dict.fromkeys((_today(""), _today(person))):
                execute(_SPENT, {"day": day, "tokens": tokens})
            if packed:
                execute(
                    "INSERT INTO prompts (key, messages) VALUES (:key, :messages) "
                    "ON CONFLICT (key) DO UPDATE SET messages = excluded.messages",
                    {"key": key, "messages": packed},
                )
            execute(
                "INSERT INTO runs (run, seconds) VALUES (:run, :seconds) "
                "ON CONFLICT (run) DO UPDATE SET seconds = excluded.seconds",
                {"run": run, "seconds": run_seconds},
            )

        self._tables.write(work)

    def keep_question(self, asker: str, run: str, question: str) -> None:
        """Keep a question of a run, unless checkpoints are encrypted: the ledger is not."""
        from hopyard.state.storage.serializer import KEY_VARIABLE

        if not os.environ.get(KEY_VARIABLE):
            at = datetime.now(UTC).isoformat()
            row = {"asker": asker, "run": run, "question": question, "at": at}
            self._rows(
                "INSERT INTO questions VALUES (:asker, :run, :question, :at) RETURNING 1", **row
            )

    def questions(self, asker: str, run: str) -> list[str]:
        """The latest questions that other runs of an asker kept, the oldest first."""
        rows = self._rows(
            "SELECT question FROM questions WHERE asker = :asker AND run != :run "
            f"GROUP BY question ORDER BY min(at) DESC, question LIMIT {_MOST_QUESTIONS}",
            asker=asker,
            run=run,
        )
        return [question for (question,) in reversed(rows)]

    def spent_today(self, person: str = "") -> int:
        """Tokens of all calls that were paid for since midnight UTC, or of those of a person."""
        rows = self._rows("SELECT tokens FROM spent WHERE day = :day", day=_today(person))
        return rows[0][0] if rows else 0

    def forget(self, runs: Iterable[str]) -> None:
        """Delete the answers that these runs used, unless another run used them too."""
        gone = {"listed": json.dumps(list(runs))}
        mine = f"run IN ({self._tables.listed})"

        def work(execute: Execute) -> None:
            for table in ("calls", "prompts"):
                execute(
                    f"DELETE FROM {table} WHERE key IN (SELECT key FROM uses WHERE {mine}) "
                    f"AND key NOT IN (SELECT key FROM uses WHERE NOT {mine})",
                    gone,
                )
            for table in ("uses", "endings", "runs", "questions"):
                execute(f"DELETE FROM {table} WHERE {mine}", gone)

        self._tables.write(work)
        self._tables.scrub()

    def usage(self, run: str) -> Usage:
        """The calls, tokens and seconds of a run so far, over all processes that worked on it."""
        [row] = self._rows(
            "SELECT SUM(1 - cached), SUM(cached), SUM((1 - cached) * input_tokens), "
            "SUM((1 - cached) * output_tokens), SUM((1 - cached) * estimated), "
            "(SELECT seconds FROM runs WHERE run = :run) "
            "FROM uses JOIN calls USING (key) WHERE run = :run",
            run=run,
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
            call: The id of the step, and the name of the prompt.
            ending: A value of `models.calls.reply.Ending`, or the kind of a failure; "" if the
                call is finished.
        """
        step, prompt = call
        noted = {"run": run, "step": step, "prompt": prompt, "ending": ending}

        def work(execute: Execute) -> None:
            where = "run = :run AND step = :step AND prompt = :prompt"
            execute(f"DELETE FROM endings WHERE {where}", noted)
            if ending:
                execute("INSERT INTO endings VALUES (:run, :step, :prompt, :ending)", noted)

        self._tables.write(work)

    def endings(self, run: str) -> dict[tuple[str, str], str]:
        """How calls of a run ended that are not finished, by step and prompt."""
        rows = self._rows("SELECT step, prompt, ending FROM endings WHERE run = :run", run=run)
        return {(step, prompt): ending for step, prompt, ending in rows}

    def notes(self, run: str) -> list[str]:
        """Sentences about a run's calls that a reader of its answer has to know, each once."""
        rows = self._rows(
            "SELECT note FROM uses JOIN calls USING (key) WHERE run = :run AND note != '' "
            "ORDER BY uses.rowid",
            run=run,
        )
        return list(dict.fromkeys(note for (note,) in rows))

    def uses(self, run: str) -> list[Use]:
        """Each use of a finished call by a run, in the order in which they ended."""
        rows = self._rows(
            f"SELECT step, cached, key, at, {_ENTRY} "
            "FROM uses JOIN calls USING (key) WHERE run = :run ORDER BY uses.rowid",
            run=run,
        )
        return [
            Use(self._entry(entry), bool(cached), step, key, at)
            for step, cached, key, at, *entry in rows
        ]

    def asked(self, keys: Iterable[str]) -> dict[str, list[tuple[str, str]]]:
        """The messages of finished calls by key: role and text. Some calls stored none."""
        rows = self._rows(
            f"SELECT key, messages FROM prompts WHERE key IN ({self._tables.listed})",
            listed=json.dumps(list(keys)),
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
        outcomes = ", ".join(
            f"COUNT(*) FILTER (WHERE outcome = '{outcome}')"
            for outcome in ("parsed", "repaired", "failed")
        )
        rows = self._rows(
            f"SELECT prompt, version, model, COUNT(*), {outcomes}, SUM(input_tokens), "
            "SUM(output_tokens), SUM(seconds) FROM calls WHERE CAST(:run AS TEXT) IS NULL "
            "OR key IN (SELECT key FROM uses WHERE run = :run AND cached = 0) "
            "GROUP BY prompt, version, model ORDER BY prompt, version, model",
            run=run,
        )
        return [ParseRate(*row) for row in rows]
