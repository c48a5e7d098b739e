"""A record for each question and strategy, one a line, each written at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.state.errors import HopyardError

__all__ = (
    "RECORDS_FILE",
    "Found",
    "PromptCalls",
    "Record",
    "RecordCost",
    "RecordFile",
    "read_records",
)

RECORDS_FILE: Final = "records.jsonl"
_LOCK_FILE: Final = "records.lock"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Found(_Line):
    """A passage that the answer was read from."""

    passage_id: str
    document_id: str
    title: str
    score: float


class PromptCalls(_Line):
    """The calls of a prompt; repeated calls count once."""

    calls: int = 0
    cached: int = 0
    """Calls that another strategy or an earlier evaluation had paid for."""
    parsed: int = 0
    repaired: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated: int = 0
    """Calls whose tokens are estimated, because the server did not count them."""
    seconds: float = 0.0


class RecordCost(_Line):
    """The cost of a question."""

    model_calls: int = 0
    """All calls of the strategy: those paid for now and those that the ledger answered."""
    cached_calls: int = 0
    """Calls that the ledger answered."""
    input_tokens: int = 0
    """Of all calls, as if the strategy had paid for each."""
    output_tokens: int = 0
    estimated_calls: int = 0
    """Calls whose tokens are estimated."""
    seconds: float = 0.0
    """Of all calls, one after another, each as it was timed when it was paid for."""
    wall_seconds: float = 0.0
    """Elapsed time of this record; cached calls take almost none."""


class Record(_Line):
    """An answer with its measures, evidence, steps, cost and failures."""

    question_id: str
    strategy: str
    question: str
    type: str
    gold: tuple[str, ...]
    supporting_ids: tuple[str, ...]
    answer: str
    failed: bool = False
    """Whether the run ended without an answer; then every measure is 0."""
    em: float
    f1: float
    accuracy: float
    retrieval: dict[str, float] | None
    """None if the question has no supporting document."""
    retrieved: bool
    """Whether any document was read."""
    answer_in_evidence: bool
    """Whether a passage that was read contains a gold answer."""
    evidence: tuple[Found, ...]
    citations: tuple[dict[str, Any], ...]
    steps: tuple[dict[str, Any], ...]
    gate: dict[str, Any] | None = None
    route: dict[str, Any] | None = None
    truncated: bool
    unconfirmed: str = ""
    """The part of the answer that the documents do not confirm."""
    unanswered: bool
    failures: tuple[str, ...]
    """Unusable model outputs and errors, each in a sentence."""
    cost: RecordCost
    calls: dict[str, PromptCalls]
    """By prompt and version."""
    documents: dict[str, str]
    """The document of each passage that a step names."""


class RecordFile:
    """The records of an evaluation. Use `open`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.records = read_records(path, repair=True)

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator[RecordFile]:
        """Open the file in a folder, for one process at a time.

        Raises:
            HopyardError: Another process writes it, or the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / _LOCK_FILE)
            lock.acquire(blocking=False)
        except Timeout as error:
            raise HopyardError(
                f"The evaluation in {str(folder)!r} is running in another process; wait for it, or "
                "name another folder with --out."
            ) from error
        except OSError as error:
            raise HopyardError(
                f"The folder {str(folder)!r} cannot be written ({error.strerror}); name another "
                "with --out."
            ) from error
        try:
            yield cls(folder / RECORDS_FILE)
        finally:
            lock.release()

    def append(self, record: Record) -> None:
        """Write one record; it is on disk when this returns."""
        line = record.model_dump_json().encode("utf-8", "surrogatepass") + b"\n"
        with self._path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())
        self.records.append(record)

    @property
    def done(self) -> set[tuple[str, str]]:
        """(question, strategy) of every record."""
        return {(record.question_id, record.strategy) for record in self.records}


def read_records(path: Path, *, repair: bool = False) -> list[Record]:
    """Read a file of records, without a last line that a kill has cut in half.

    Args:
        path: The file; a missing file has no records.
        repair: Remove the half line from the file.

    Raises:
        HopyardError: A whole line is not a record.
    """
    data = path.read_bytes() if path.exists() else b""
    whole, newline, half = data.rpartition(b"\n")
    if half and repair:
        os.truncate(path, len(whole) + len(newline))
    records = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            records.append(Record.model_validate_json(line))
        except ValidationError as error:
            raise HopyardError(
                f"{path}:{number} is not a record of this version "
                f"({error.errors()[0]['msg']}); name another folder with --out."
            ) from error
    return records
