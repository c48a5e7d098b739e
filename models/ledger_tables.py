"""The tables of a ledger, as every database has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

__all__ = ("Execute", "Tables")

T = TypeVar("T")

Execute = Callable[[str, Mapping[str, Any]], Any]
"""Executes a statement with values by name, as `:name`, and returns the cursor."""


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
