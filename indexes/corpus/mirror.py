"""The copies of a shared index on this machine, brought up to date with the database.

The data folder has a folder for each such index: `copies/NUMBER`, a whole index directory that is
only read, for each of the last two generations; and `build`, the directory that builds work in.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock

from hopyard.indexes.corpus.chunked import (
    LISTING,
    assemble,
    chunk_of,
    is_whole,
    listed,
    scan,
    write_listing,
)
from hopyard.indexes.corpus.lock import LOCK_FILE, OWNER_FILE, hold_lock
from hopyard.indexes.corpus.manifest import MANIFEST_FILE, read_manifest
from hopyard.state.errors import HopyardError, IndexMissingError, show_as
from hopyard.state.settings.index_address import IndexAddress
from hopyard.state.storage.atomic import sync_tree

if TYPE_CHECKING:
    from hopyard.indexes.corpus.progress import Progress
    from hopyard.state.storage.postgres.files import IndexFiles
    from hopyard.state.storage.postgres.publishing import Publisher

_FRESH: Final = 1.0
"""Seconds in which the database is not asked again for a newer generation."""
_AWAY: Final = 30.0
"""The same after the database could not be reached."""
_KEPT: Final = 2
"""Copies that stay: the newest, and the one before it, whose readers may still run."""
_STAY: Final = frozenset({LOCK_FILE, OWNER_FILE, "folders.json"})
"""Files of a build directory that belong to this machine."""

_log: Final = logging.getLogger(__name__)


class Mirror:
    """A shared index on this machine.

    Args:
        root: The folder of its copies.
    """

    def __init__(self, address: IndexAddress, root: Path) -> None:
        from hopyard.state.storage.postgres.files import IndexFiles

        self.address = address
        self._root, self.build = root, root / "build"
        self.shared: IndexFiles = IndexFiles(address.database, address.name, address.shown)
        self._asking = threading.Lock()
        self._next = 0.0
        self._copy: Path | None = None
        self.publisher: Publisher | None = None
        """Set while the index is being built."""

    def newest_copy(self, progress: Progress) -> Path:
        """A copy of the newest generation.

        While the database is away, a process uses the copy that it has.
        """
        known = self._copy
        if known and (time.monotonic() < self._next or not self._asking.acquire(blocking=False)):
            return known  # also while another thread brings a newer copy
        if not known:
            self._asking.acquire()
        try:
            self._copy = found = self._brought(progress)
            self._next = time.monotonic() + _FRESH
        except IndexMissingError:
            raise
        except HopyardError as error:
            if not known:
                raise
            _log.warning("%s; the copy of this machine is used.", error)
            found, self._next = known, time.monotonic() + _AWAY
        finally:
            self._asking.release()
        return found

    def build_copy(self, progress: Progress) -> Path:
        """The build directory, brought up to date."""
        show_as(self.build, self.address.shown)
        with _written(self.address):
            self.build.mkdir(parents=True, exist_ok=True)
            if self.base() != self.shared.newest():
                with hold_lock(self.build):
                    self._renew(progress)
        return self.build

    def publish(self, publisher: Publisher, progress: Progress, clean: bool) -> None:
        """Publish the build directory; `clean` also removes the former generation."""
        base, held = self.base() or 0, listed(self.build)
        files = scan(self.build)
        if files == held and not clean:
            return

        def read(path: str, place: int) -> bytes:
            return chunk_of(self.build / path, place)

        kept = read_manifest(self.build).generation if clean else 0
        number = publisher.publish(base, files, read, partial(progress, "publish"), clean=kept)
        write_listing(self.build, number, files)
        self._next = 0.0

    def _brought(self, progress: Progress) -> Path:
        copies = self._root / "copies"
        with _written(self.address):
            copies.mkdir(parents=True, exist_ok=True)
            number = self.shared.newest()
            if self._copy == copies / f"{number:016d}":
                return self._copy
            with FileLock(self._root / "fetch.lock"):
                while not is_whole(folder := copies / f"{number:016d}"):
                    if not number:
                        raise IndexMissingError(
                            f"There is no index {self.address.shown!r}: run `hopyard index build "
                            f"PATH… --out {self.address.shown!r}`."
                        )
                    number = self._fetch(number, folder, progress)
                for old in sorted(copies.iterdir(), reverse=True)[_KEPT:]:
                    shutil.rmtree(old, ignore_errors=True)
            show_as(folder, self.address.shown)
            return folder

    def _renew(self, progress: Progress) -> None:
        """Put the newest generation in place of what the build directory has."""
        whole, number = self._root / "incoming", self.shared.newest()
        while number and (newest := self._fetch(number, whole, progress)) != number:
            number = newest
        (self.build / LISTING).unlink(missing_ok=True)
        for entry in self.build.iterdir():
            if entry.name not in _STAY:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        if number:
            order = {MANIFEST_FILE: 1, LISTING: 2}  # a build directory without them is not used
            for entry in sorted(whole.iterdir(), key=lambda entry: order.get(entry.name, 0)):
                entry.replace(self.build / entry.name)
        else:
            write_listing(self.build, 0, {})

    def _fetch(self, number: int, folder: Path, progress: Progress) -> int:
        """Make a directory of a generation.

        Returns:
            The number, or that of the newest generation if the database does not have it any more.
        """
        files = self.shared.files(number)
        part = self._root / f"{folder.name}.part"
        for left in (part, folder):
            shutil.rmtree(left, ignore_errors=True)
        copies = sorted((self._root / "copies").glob("*"), reverse=True)
        known = {
            digest: (old / path, place)
            for old in [*copies[:1], self.build]
            for path, file in listed(old).items()
            for place, digest in enumerate(file.chunks)
        }
        with self.shared.reading() as read:
            whole = assemble(part, files, known, read, partial(progress, "fetch"))
        if not whole:
            if (newest := self.shared.newest()) != number:
                return newest
            raise IndexMissingError(
                f"The index {self.address.shown!r} is damaged in the database: restore it from a "
                "backup, or delete its rows (docs/postgres.md) and build it again."
            )
        write_listing(part, number, files)
        sync_tree(part)
        part.replace(folder)
        return number

    @property
    def published(self) -> int:
        """The generation in the manifest that the build directory began from; 0 for none."""
        folders = [path for path in listed(self.build) if path.startswith("gen-")]
        return max((int(path[4:].split("/")[0]) for path in folders), default=0)

    def base(self) -> int | None:
        """The number of the generation that the build directory began from; None if unknown."""
        try:
            return int(json.loads((self.build / LISTING).read_text())["number"])
        except (OSError, ValueError, KeyError):
            return None


@contextmanager
def _written(address: IndexAddress) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise HopyardError(
            f"The copy of the index {address.shown!r} cannot be written ({error}): see that the "
            "data folder is writable and the disk has room, then run the same command again."
        ) from error
