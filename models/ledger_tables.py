"""The records of the ledger, and its tables as every database has them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar


@dataclass(frozen=True)
class Entry:
    """One finished model call.

    Attributes:
        attempt: 0 for the first; each retry adds 1.
        output: The model's text, unchanged.
        outcome: parsed, repaired (by rule, without a second call) or failed.
        estimated: Whether the server sent no count of tokens, so that they are estimated.
        note: A sentence that a reader of the answer has to know, or "".
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
    note: str = ""


@dataclass(frozen=True)
class Use:
    """One use of a finished call by a run.

    Attributes:
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


T = TypeVar("T")


def ledger_key(parts: Mapping[str, object]) -> str:
    """A key of everything that a call's answer depends on."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


Execute = Callable[[str, Mapping[str, Any]], Any]
"""Executes a statement with values by name, as `:name`, and returns the cursor."""


class Tables(Protocol):
    """The tables of a ledger. Every method may be called from several threads.

    Attributes:
        listed: A query for the strings of a list, given as the JSON text `:listed`.
        now: An expression for the seconds of the clock that all processes share.
    """

    listed: str
    now: str

    def write(self, work: Callable[[Execute], T]) -> T:
        """Do all of some work or nothing. It may run again after a lost connection.

        Raises:
            HopyardError: The database fails.
        """

    def hold(self, key: str) -> bool:
        """Hold the key of a call, unless somebody holds it already. A kill frees it."""

    def release(self, key: str) -> None:
        """Release a key that is held."""

    def seal(self, text: str) -> Any:
        """A model's output as its column has it."""

    def unseal(self, value: Any) -> str:
        """The output of a column."""

    def scrub(self) -> None:
        """Take what was deleted off the disk."""

    def close(self) -> None:
        """Close the file or the connection."""
