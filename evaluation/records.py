"""A record for each question and strategy, one a line, each written at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from pydantic import BaseModel

from hopyard.state.errors import HopyardError
from hopyard.state.storage.lines import LineFile, read_lines

RECORDS_FILE: Final = "records.jsonl"
_ADVICE: Final = "name another folder with --out"


class _Line(BaseModel, frozen=True, extra="forbid"):
    """A part of a line of the records."""


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
    run: str = ""
    """The name under which the ledger counts its calls."""


class RecordFile(LineFile[Record]):
    """The records of an evaluation. Use `open`."""

    @classmethod
    @contextmanager
    def open(cls, folder: Path) -> Iterator[RecordFile]:
        """Open the file in a folder, for one process at a time.

        Raises:
            HopyardError: Another process writes it, or the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = FileLock(folder / "records.lock")
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
            yield cls(folder / RECORDS_FILE, Record, _ADVICE)
        finally:
            lock.release()

    @property
    def done(self) -> set[tuple[str, str]]:
        """(question, strategy) of every record."""
        return {(record.question_id, record.strategy) for record in self.rows}


def read_records(path: Path) -> list[Record]:
    """Read a file of records (`read_lines`)."""
    return read_lines(path, Record, _ADVICE)
