"""One record a question and strategy, on a line of its own, written as soon as it is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.state.errors import HopyardError

__all__ = ("RECORDS_FILE", "Cost", "Found", "PromptCalls", "Record", "RecordFile", "read_records")

RECORDS_FILE: Final = "records.jsonl"
_LOCK_FILE: Final = "records.lock"


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Found(_Line):
    """One passage that the answer was read from."""

    passage_id: str
    document_id: str
    title: str
    score: float


class PromptCalls(_Line):
    """The calls of one prompt, each distinct one once."""

    calls: int = 0
    cached: int = 0
    """Those among them that another strategy, or an earlier evaluation, had paid for."""
    parsed: int = 0
    repaired: int = 0
    failed: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


class Cost(_Line):
    """What a question cost the strategy."""

    model_calls: int = 0
    """Calls that the strategy takes by itself: paid ones and those that the ledger answered."""
    cached_calls: int = 0
    """Those among them that the ledger answered."""
    input_tokens: int = 0
    """Of all its calls, as if it had paid for each."""
    output_tokens: int = 0
    seconds: float = 0.0
    """Of all its calls, one after another, as each was timed when it was paid for."""
    wall_seconds: float = 0.0
    """That passed for this record, with cached calls at next to nothing."""


class Record(_Line):
    """Everything that is needed to argue about one answer."""

    question_id: str
    strategy: str
    question: str
    type: str
    gold: tuple[str, ...]
    supporting_ids: tuple[str, ...]
    answer: str
    em: float
    f1: float
    accuracy: float
    retrieval: dict[str, float] | None
    """None where the question has no supporting document."""
    retrieved: bool
    """Whether a document was read at all."""
    answer_in_evidence: bool
    """Whether a gold answer stands in a passage that was read."""
    evidence: tuple[Found, ...]
    citations: tuple[dict[str, Any], ...]
    steps: tuple[dict[str, Any], ...]
    gate: dict[str, Any] | None = None
    route: dict[str, Any] | None = None
    truncated: bool
    unanswered: bool
    failures: tuple[str, ...]
    """Model outputs that could not be used and errors, each in a sentence."""
    cost: Cost
    calls: dict[str, PromptCalls]
    """By prompt and version."""
    documents: dict[str, str]
    """The document of every passage that a step names."""


class RecordFile:
    """The records of one evaluation. Use it under `opened`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.records = read_records(path, mend=True)

    @classmethod
    @contextmanager
    def opened(cls, folder: Path) -> Iterator[RecordFile]:
        """The file in a folder, for one process at a time.

        Raises:
            HopyardError: Another process writes it, or the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / _LOCK_FILE)
            lock.acquire(blocking=False)
        except Timeout as error:
            raise HopyardError(
                f"The evaluation in {str(folder)!r} is being run by another process; wait for it, "
                "or name another folder with --out."
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


def read_records(path: Path, *, mend: bool = False) -> list[Record]:
    """The records of a file; the line that a kill has cut in half is left out.

    Args:
        path: The file; none gives no record.
        mend: Cut the half line off.

    Raises:
        HopyardError: A whole line is no record.
    """
    data = path.read_bytes() if path.exists() else b""
    whole, newline, half = data.rpartition(b"\n")
    if half and mend:
        os.truncate(path, len(whole) + len(newline))
    records = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            records.append(Record.model_validate_json(line))
        except ValidationError as error:
            raise HopyardError(
                f"{path}:{number} is no record of this version "
                f"({error.errors()[0]['msg']}); name another folder with --out."
            ) from error
    return records
