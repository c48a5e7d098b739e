"""Documents that people add on the page: received, then put into the index by another process."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import sys
import unicodedata
from collections.abc import AsyncIterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from hopyard.indexes.documents.files import unknown_format
from hopyard.indexes.documents.readers.table import CORPUS_SUFFIX, format_of
from hopyard.state.errors import ThreadBusyError, UsageError
from hopyard.state.settings.sources import home
from hopyard.state.text.counting import counted
from hopyard.web.originals import Originals

__all__ = ("LARGEST", "Builder")

LARGEST: Final = 100_000_000
"""Bytes of a file that is added."""
_MOST_FILES: Final = 50
"""Files that wait to be added."""
_LONGEST_NAME: Final = 200
"""Bytes of a file's name; file systems take 255."""
_FORBIDDEN: Final = frozenset('<>:"/\\|?*')
"""Characters that a file's name cannot have on Windows."""
_log = logging.getLogger(__name__)


class Builder:
    """Receives files, and changes the index, one change at a time.

    Args:
        index: The index directory.
        originals: Its first folder takes the files; without one, a folder in the data folder does.

    Attributes:
        state: The change that is under way, or the last: its `doing`, `progress`, and at its end
            `report` or `error`.
    """

    def __init__(self, index: Path, originals: Originals) -> None:
        self.state: dict[str, Any] = {}
        self._index, self._originals = index, originals
        own = home() / "uploads" / sha256(str(index.absolute()).encode()).hexdigest()[:16]
        self._waiting = own / "waiting"
        self._uploads = own / "uploads"
        self._task: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def folder(self) -> Path:
        """Where added files are kept."""
        return self._originals.folders[0] if self._originals.folders else self._uploads

    @property
    def waiting(self) -> list[str]:
        """The names of the files that wait to be added."""
        if not self._waiting.is_dir():
            return []
        return sorted(file.name for file in self._waiting.iterdir() if file.name[0] != ".")

    async def receive(self, name: str, content: AsyncIterator[bytes]) -> None:
        """Keep a file until it is added.

        Raises:
            UsageError: The name or the format cannot be used, there is such a file, or it is too
                large, or too many wait.
        """
        name = _checked(name)
        if (self.folder / name).exists():
            raise UsageError(f"There is a file {name!r} already: rename yours, or remove it first.")
        if name not in self.waiting and len(self.waiting) >= _MOST_FILES:
            raise UsageError(f"{_MOST_FILES} files wait already: add them first.")
        self._waiting.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = self._waiting / f".{uuid4().hex}"
        size = 0
        try:
            with part.open("xb") as file:
                async for piece in content:
                    if (size := size + len(piece)) > LARGEST:
                        raise UsageError(f"{name!r} is larger than {LARGEST // 1_000_000} MB.")
                    await asyncio.to_thread(file.write, piece)
            part.replace(self._waiting / name)
        finally:
            part.unlink(missing_ok=True)

    def discard(self) -> None:
        """Forget the files that wait."""
        shutil.rmtree(self._waiting, ignore_errors=True)

    def add(self, *, estimate: bool = False) -> None:
        """Begin to add the files that wait, or to estimate the cost of it.

        Raises:
            UsageError: None waits.
            ThreadBusyError: Another change is under way.
        """
        names = self.waiting
        if not names:
            raise UsageError("No file waits to be added.")
        if estimate:
            waiting = [str(self._waiting / name) for name in names]
            self._begin("Estimating the cost", {"add": waiting, "estimate": True}, [])
            return
        files = [self.folder / name for name in names if not (self.folder / name).exists()]
        self._begin(f"Adding {counted(len(files), 'file')}", {"add": [*map(str, files)]}, files)

    def remove(self, document: str, source: str) -> None:
        """Begin to remove a document. Its file is deleted if the page added it.

        Raises:
            ThreadBusyError: Another change is under way.
        """
        file = self._originals.find(source)
        own = [file] if file and file.is_relative_to(self._uploads) else []
        self._begin(f"Removing {source or document}", {"remove": [document]}, own)

    def close(self) -> None:
        """End a change that is under way. The index stays as it was, and the next one continues."""
        if self._process and self._process.returncode is None:
            self._process.kill()
        if self._task:
            self._task.cancel()

    def _check_free(self) -> None:
        if self._task and not self._task.done():
            raise ThreadBusyError("The index is being changed: wait until that is done.")

    def _begin(self, doing: str, asked: dict[str, Any], files: Sequence[Path]) -> None:
        self._check_free()
        self.state = {"doing": doing, "running": True}
        asked["index"] = str(self._index)
        self._task = asyncio.create_task(self._run(asked, files))

    async def _run(self, asked: dict[str, Any], files: Sequence[Path]) -> None:
        state = self.state
        try:
            if "add" in asked and files:
                self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                await self._move(self._waiting, files)
            await self._follow(asked)
        except Exception:  # the boundary of a change: the log has the error, the page a sentence
            _log.exception("A change of the index failed")
        if "report" not in state:
            state.setdefault("error", "The change failed; the server's log says why.")
            if "add" in asked:  # they wait again
                waiting = [self._waiting / file.name for file in files]
                await self._move(self.folder, waiting)
        elif "remove" in asked:
            for file in files:
                file.unlink(missing_ok=True)
        state["running"] = False

    async def _move(self, folder: Path, files: Sequence[Path]) -> None:
        """Move files of these names from a folder."""
        for file in files:
            if (folder / file.name).exists():
                await asyncio.to_thread(shutil.move, folder / file.name, file)

    async def _follow(self, asked: dict[str, Any]) -> None:
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "hopyard.web.change"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 24,
        )
        assert process.stdin  # noqa: S101  (asked for above)
        assert process.stdout  # noqa: S101
        process.stdin.write(json.dumps(asked).encode())
        process.stdin.close()
        async for line in process.stdout:
            self.state |= json.loads(line)
        await process.wait()


def _checked(name: str) -> str:
    """The name of a file that can be kept.

    Raises:
        UsageError: It cannot.
    """
    name = unicodedata.normalize("NFC", name)
    odd = name.startswith(".") or name != name.strip() or _FORBIDDEN.intersection(name)
    if odd or not name.isprintable() or not 0 < len(name.encode()) <= _LONGEST_NAME:
        raise UsageError(f"{name!r} cannot be the name of a file: rename it.")
    if not name.lower().endswith(CORPUS_SUFFIX) and format_of(name) is None:
        raise UsageError(f"{name!r} cannot be read: {unknown_format(name)}.")
    return name
