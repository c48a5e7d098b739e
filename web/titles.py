"""The titles that people give their threads. The name of a thread, and its address, stay."""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from hopyard.state.storage.atomic import write_file

__all__ = ("Titles",)

_LONGEST: Final = 200
_AS_TITLES: Final = TypeAdapter(dict[str, str])


class Titles:
    """Titles by thread, in one file.

    Args:
        file: The file.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._writing = threading.Lock()

    def read(self) -> dict[str, str]:
        """All titles; none if the file is missing or damaged."""
        try:
            return _AS_TITLES.validate_json(self._file.read_bytes())
        except (OSError, ValidationError):
            return {}

    def give(self, thread: str, title: str, threads: Collection[str]) -> None:
        """Give a thread a title; "" takes it away.

        Args:
            thread: The thread.
            title: One line of at most 200 characters; more is cut.
            threads: The threads that exist. Titles of others are forgotten.
        """
        with self._writing:
            titles = {**self.read(), thread: " ".join(title.split())[:_LONGEST]}
            kept = {name: title for name, title in titles.items() if title and name in threads}
            write_file(self._file, _AS_TITLES.dump_json(kept))
