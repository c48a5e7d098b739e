"""Indexes that a database shares: this machine keeps copies, searches those, and publishes builds.

The data folder has a folder for each such index: `copies/NUMBER`, a whole index directory that is
only read, for each of the last two generations; and `build`, the directory that builds work in.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
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
from hopyard.state.extras import require
from hopyard.state.settings.index_address import IndexAddress, index_address, is_address
from hopyard.state.settings.sources import home
from hopyard.state.storage.atomic import sync_tree

if TYPE_CHECKING:
    from hopyard.indexes.build_context import Progress
    from hopyard.state.storage.postgres.files import IndexFiles, Publisher

_FOLDER: Final = "indexes"
_DIGITS: Final = 12
_FRESH: Final = 1.0
"""Seconds in which the database is not asked again for a newer generation."""
_AWAY: Final = 30.0
"""The same after the database could not be reached."""
_KEPT: Final = 2
"""Copies that stay: the newest, and the one before it, whose readers may still run."""
_STAY: Final = frozenset({LOCK_FILE, OWNER_FILE, "folders.json"})
"""Files of a build directory that belong to this machine."""

_log: Final = logging.getLogger(__name__)
_mirrors: Final[dict[Path, Mirror]] = {}
_making: Final = threading.Lock()


def folder_of(name: str | Path, progress: Progress = lambda *_: None) -> Path:
    """The directory of an index, for reading; a shared index is first brought up to date.

    Args:
        name: A directory, or the address of an index in a database.
        progress: Called as the files of a shared index are fetched.

    Raises:
        IndexMissingError: The database has no such index.
        HopyardError: The database cannot be used.
    """
    return _mirror(name).newest_copy(progress) if is_address(name) else Path(name)


def build_folder(name: str | Path, progress: Progress = lambda *_: None) -> Path:
    """The directory that builds of an index work in, up to date with the database.

    Args:
        name: As for `folder_of`, or the directory that this function gave before.
        progress: As for `folder_of`.

    Raises:
        IndexBusyError: Another process of this machine builds it.
        HopyardError: The database cannot be used.
    """
    mirror = _mirror(name) if is_address(name) else mirror_at(Path(name))
    return mirror.build_copy(progress) if mirror else Path(name)


def local_folder(name: str | Path) -> Path:
    """The directory that builds of an index work in, as it is; nothing is asked."""
    return _mirror(name).build if is_address(name) else Path(name)


def stored_bytes(name: str) -> int:
    """The bytes that a database keeps of an index, by its address; 0 if it has no such index.

    Raises:
        HopyardError: The database cannot be used.
    """
    return _mirror(name).shared.size()


def delete_shared(name: str) -> None:
    """Delete an index from its database, and the copies of this machine.

    Raises:
        IndexBusyError: A process builds the index.
        HopyardError: The database cannot be used, or the role lacks a right.
    """
    mirror = _mirror(name)
    with mirror.shared.hold() as publisher:
        publisher.delete()
        shutil.rmtree(mirror.build.parent, ignore_errors=True)
        _mirrors.pop(mirror.build, None)


@contextmanager
def publishing(directory: Path, progress: Progress) -> Iterator[Callable[[bool], None]]:
    """Be the only builder of a shared index, and publish what was built.

    Args:
        directory: An index directory; one of no shared index is left alone.
        progress: Called as the files are sent.

    Yields:
        Publishes the directory, unless the database has it already. Its argument says whether the
        former generation goes at once.

    Raises:
        IndexBusyError: Another process builds the index, or has published since `build_folder`.
        HopyardError: The database cannot be used.
    """
    mirror = mirror_at(directory)
    if mirror is None:
        yield lambda _: None
        return
    with mirror.shared.hold() as publisher:
        if mirror.base() != mirror.shared.newest():
            raise publisher.overtaken()
        mirror.publisher = publisher
        try:
            yield partial(mirror.publish, publisher, progress)
        finally:
            mirror.publisher = None


def publish_again(directory: Path) -> None:
    """Publish what was written into a directory after its build.

    Without the database the next build does it: this one is whole.
    """
    if mirror_at(directory):
        with suppress(HopyardError), publishing(directory, lambda *_: None) as publish:
            publish(False)


def mirror_at(directory: Path) -> Mirror | None:
    """The shared index that is built in a directory; None for another directory."""
    return _mirrors.get(directory.absolute())


def mirror_with(directory: Path) -> Mirror | None:
    """The shared index that a directory is a copy of, or is built in; None for other folders."""
    return mirror_at(directory) or mirror_at(directory.parents[1] / "build")


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


def _mirror(name: str | Path) -> Mirror:
    address = index_address(str(name))
    require(f"The index {address.shown!r}", "postgres")
    digest = sha256(address.shown.encode()).hexdigest()[:_DIGITS]
    root = (home() / _FOLDER / f"{address.name}-{digest}").absolute()
    with _making:
        known = _mirrors.get(root / "build")
        if known is None or known.address != address:  # another password, perhaps
            known = _mirrors[root / "build"] = Mirror(address, root)
        return known


@contextmanager
def _written(address: IndexAddress) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise HopyardError(
            f"The copy of the index {address.shown!r} cannot be written ({error}): see that the "
            "data folder is writable and the disk has room, then run the same command again."
        ) from error
