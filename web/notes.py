"""Notes of the questions that a server is answering: what a killed server has left to do."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from hopyard.state.storage.atomic import write_file

__all__ = ("Notes",)

_NEEDED: Final = frozenset({"thread", "question", "index"})
_log = logging.getLogger(__name__)


class Notes:
    """One file for each thread whose question is not answered yet.

    Args:
        folder: Where the files are.
        index: The index that is served; servers of other indexes share the folder.
    """

    def __init__(self, folder: Path, index: str) -> None:
        self._folder, self._index = folder, index

    def write(self, thread: str, **about: Any) -> None:
        """Note a question before it is asked, with the time."""
        note = {"thread": thread, "index": self._index, "at": datetime.now(UTC).isoformat()}
        write_file(self._file(thread), json.dumps({**note, **about}).encode())

    def forget(self, thread: str) -> None:
        """Delete the note of a thread."""
        with suppress(OSError):
            self._file(thread).unlink(missing_ok=True)

    def has(self, thread: str) -> bool:
        """Whether the question of a thread is still to be answered."""
        return self._file(thread).exists()

    def read(self) -> Iterator[Mapping[str, Any]]:
        """The notes of this index. One that cannot be read keeps no server from its start."""
        for file in sorted(self._folder.glob("*.json")):
            try:
                note = json.loads(file.read_text("utf-8"))
            except FileNotFoundError:  # another server has just ended the run
                continue
            except (OSError, ValueError) as error:
                _log.warning("The note %s cannot be read (%s)", file, error)
                continue
            if isinstance(note, dict) and note.keys() >= _NEEDED and note["index"] == self._index:
                yield note

    def _file(self, thread: str) -> Path:
        return self._folder / f"{sha256(thread.encode()).hexdigest()}.json"
