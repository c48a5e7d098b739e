"""Documents that people add on the page: received, then put into the index by another process."""

from __future__ import annotations

import asyncio
import filecmp
import json
import logging
import shutil
import sys
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from hopyard.indexes.corpus.shared import folder_of
from hopyard.indexes.documents.files import shown, unknown_format
from hopyard.indexes.documents.readers.table import CORPUS_SUFFIX, format_of
from hopyard.indexes.listing import list_documents
from hopyard.state.errors import HopyardError, ThreadBusyError, UsageError
from hopyard.state.references import SECTION_MARK
from hopyard.state.settings.index_address import lasting_index, private_name
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
        index: The index directory or address.
        originals: Its first folder takes the files; without one, a folder in the data folder does.

    Attributes:
        state: The change that is under way, or the last: its `doing`, `progress`, and at its end
            `report` or `error`.
    """

    def __init__(self, index: str, originals: Originals) -> None:
        self.state: dict[str, Any] = {}
        self._index, self._originals = index, originals
        own = home() / "uploads" / sha256(lasting_index(index).encode()).hexdigest()[:16]
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
        self._check_place(name)
        self._waiting.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = self._waiting / f".{uuid4().hex}"
        size = 0
        try:
            with part.open("xb") as file:
                async for piece in content:
                    if (size := size + len(piece)) > LARGEST:
                        raise UsageError(f"{name!r} is larger than {LARGEST // 1_000_000} MB.")
                    await asyncio.to_thread(file.write, piece)
            self._check_place(name)  # other files may have come meanwhile
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
            ask = partial(self._follow, {"add": waiting, "estimate": True})
            self._begin("Estimating the cost", ask)
        else:
            self._begin(f"Adding {counted(len(names), 'file')}", partial(self._add, names))

    def remove(self, document: str, source: str) -> None:
        """Begin to remove a document, and its file if the page added it and all of it is gone.

        Raises:
            ThreadBusyError: Another change is under way.
        """
        self._begin(f"Removing {source or document}", partial(self._remove, document, source))

    def close(self) -> None:
        """End a change that is under way. The index stays as it was, and the files wait again."""
        if self._process and self._process.returncode is None:
            self._process.kill()
        if self._task:
            self._task.cancel()

    def _check_place(self, name: str) -> None:
        waiting = self.waiting
        if name in waiting:
            raise UsageError(f"A file {name!r} waits already: add or discard it first.")
        if len(waiting) >= _MOST_FILES:
            raise UsageError(f"{_MOST_FILES} files wait already: add them first.")
        held = self.folder.iterdir() if self.folder.is_dir() else ()
        if (self.folder / name).exists() or any(shown(Path(file.name)) == name for file in held):
            raise _taken(name)  # an index has one name for "é" in either form

    def _check_free(self) -> None:
        if self._task and not self._task.done():
            raise ThreadBusyError("The index is being changed: wait until that is done.")

    def _begin(self, doing: str, change: Callable[[], Awaitable[None]]) -> None:
        self._check_free()
        self.state = {"doing": doing, "running": True}
        self._task = asyncio.create_task(self._run(change))

    async def _run(self, change: Callable[[], Awaitable[None]]) -> None:
        state = self.state
        try:
            await change()
        except HopyardError as error:
            state["error"] = str(error)
        except Exception:  # the boundary of a change: the log has the error, the page a sentence
            _log.exception("A change of the index failed")
        finally:
            if "report" not in state:
                state.setdefault("error", "The change failed; the server's log says why.")
            state["running"] = False

    async def _add(self, names: Sequence[str]) -> None:
        """Add copies of the files that wait. A file waits until it is in the index."""
        copies: list[Path] = []
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            for name in names:
                copy = self.folder / name
                made = await asyncio.to_thread(_copy, self._waiting / name, copy)
                copies += [copy] if made else []
            await self._follow({"add": [str(self.folder / name) for name in names]})
        finally:
            added = "report" in self.state
            for file in [self._waiting / name for name in names] if added else copies:
                file.unlink(missing_ok=True)

    async def _remove(self, document: str, source: str) -> None:
        file = self._originals.find(source)
        await self._follow({"remove": [document]})
        own = file if file and file.is_relative_to(self._uploads) else None
        if own and "report" in self.state and not await asyncio.to_thread(self._holds, source):
            own.unlink(missing_ok=True)

    def _holds(self, source: str) -> bool:
        """Whether a document of the index is from the same file."""
        file, *_ = source.split(SECTION_MARK)
        return any(
            each.source.split(SECTION_MARK)[0] == file
            for each in list_documents(folder_of(self._index))
        )

    async def _follow(self, asked: Mapping[str, Any]) -> None:
        """Let another process make the change, and keep what it tells in the state."""
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "hopyard.web.change"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 24,
        )
        assert process.stdin  # noqa: S101  (asked for above)
        assert process.stdout  # noqa: S101
        try:
            process.stdin.write(json.dumps({**asked, "index": private_name(self._index)}).encode())
            process.stdin.close()
            async for line in process.stdout:
                self.state |= json.loads(line)
        finally:
            if process.returncode is None and "report" not in self.state:
                process.kill()
            await process.wait()


def _copy(file: Path, copy: Path) -> bool:
    """Copy a file; return whether that was needed. The same file may be there already.

    Raises:
        UsageError: Another file has the name.
    """
    if copy.exists():
        if not filecmp.cmp(file, copy):
            raise _taken(copy.name)
        return False
    part = copy.with_name(f".{copy.name}.part")
    try:
        shutil.copy2(file, part)
        part.replace(copy)
    finally:
        part.unlink(missing_ok=True)
    return True


def _taken(name: str) -> UsageError:
    return UsageError(f"There is a file {name!r} already: rename yours, or remove it first.")


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
