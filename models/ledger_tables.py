"""What a ledger needs of the database that it is in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Protocol, TypeVar

__all__ = ("POLL", "Execute", "Tables")

T = TypeVar("T")

Execute = Callable[[str, Mapping[str, Any]], Any]
"""Executes a statement with values by name, as `:name`, and returns the cursor."""

POLL: Final = 0.1
"""Seconds between two looks whether another process still asks the model the same."""


class Tables(Protocol):
    """The tables of a ledger. Every method may be called from several threads.

    Attributes:
        listed: A query for the strings of a list, given as the JSON text `:listed`.
    """

    listed: str

    def write(self, work: Callable[[Execute], T]) -> T:
        """Do all of some work or nothing. It may run again after a lost connection.

        Raises:
            HopyardError: The database fails.
        """

    def asking(self, key: str) -> AbstractAsyncContextManager[None]:
        """Hold the key of a call. It waits while another process holds it; a kill frees it."""

    def seal(self, text: str) -> Any:
        """A model's output as its column has it."""

    def unseal(self, value: Any) -> str:
        """The output of a column."""

    def scrub(self) -> None:
        """Take what was deleted off the disk."""

    def close(self) -> None:
        """Close the file or the connection."""
