"""Indexes that a database shares: this machine keeps copies, searches those, and publishes builds.

The data folder has a folder for each such index: `copies/0000007`, a whole index directory that is
only read, for each of the last two generations; and `build`, the directory that builds work in.
"""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from filelock import FileLock

from hopyard.indexes.corpus.corpus_file import BUSY_SECONDS
from hopyard.indexes.corpus.lock import LOCK_FILE, OWNER_FILE, hold_lock
from hopyard.indexes.corpus.manifest import (
    MANIFEST_FILE,
    check_files,
    generation_directory,
    read_manifest,
)
from hopyard.state.errors import HopyardError, IndexMissingError, show_as
from hopyard.state.extras import require
from hopyard.state.index_address import IndexAddress, index_address, is_address
from hopyard.state.settings.sources import home
from hopyard.state.storage.atomic import sync_tree, write_file

if TYPE_CHECKING:
    from hopyard.state.storage.postgres.files import Files, IndexFiles, Publisher, StoredFile

_FOLDER: Final = "indexes"
_DIGITS: Final = 12
_LISTING: Final = "published.json"
"""The files of a copy, or those of a build directory when it last equalled the database."""
_FRESH: Final = 1.0
"""Seconds in which the database is not asked again for a newer generation."""
_AWAY: Final = 30.0
"""The same after the database could not be reached."""
_KEPT: Final = 2
"""Copies that stay: the newest, and the one before it, whose readers may still run."""
_STAY: Final = frozenset({LOCK_FILE, OWNER_FILE, "folders.json"})
"""Files of a build directory that belong to this machine."""
_AHEAD: Final = 32
"""Chunks that are read at once."""

_log: Final = logging.getLogger(__name__)
_mirrors: Final[dict[Path, Mirror]] = {}
_making: Final = threading.Lock()


def folder_of(name: str | Path) -> Path:
    """The directory of an index, for reading; a shared index is first brought up to date.

    Args:
        name: A directory, or the address of an index in a database.

    Raises:
        IndexMissingError: The database has no such index.
        HopyardError: The database cannot be used.
    """
    return _mirror(name).newest_copy() if is_address(name) else Path(name)


def build_folder(name: str | Path) -> Path:
    """The directory that builds of an index work in, up to date with the database.

    Args:
        name: As for `folder_of`.

    Raises:
        IndexBusyError: Another process of this machine builds it.
        HopyardError: The database cannot be used.
    """
    return _mirror(name).build_copy() if is_address(name) else Path(name)


def local_folder(name: str | Path) -> Path:
    """The directory that builds of an index work in, as it is; nothing is asked."""
    return _mirror(name).build if is_address(name) else Path(name)


@contextmanager
def publishing(directory: Path) -> Iterator[Callable[[bool], None]]:
    """Be the only builder of a shared index, and publish what was built.

    Args:
        directory: An index directory; one of no shared index is left alone.

    Yields:
        Publishes the directory, unless the database has it already. Its argument says whether the
        former generation goes at once.

    Raises:
        IndexBusyError: Another process builds the index, or has published since `build_folder`.
        HopyardError: The database cannot be used.
    """
    mirror = _mirrors.get(directory.absolute().parent)
    if mirror is None or directory.absolute() != mirror.build:
        yield lambda _: None
        return
    with mirror.shared.hold() as publisher:
        mirror.check_base(publisher)
        yield partial(mirror.publish, publisher)


class Mirror:
    """A shared index on this machine.

    Args:
        address: Of the index.
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

    def newest_copy(self) -> Path:
        """A copy of the newest generation.

        While the database is away, a process uses the copy that it has.
        """
        known = self._copy
        if known and (time.monotonic() < self._next or not self._asking.acquire(blocking=False)):
            return known  # also while another thread brings a newer copy
        if not known:
            self._asking.acquire()
        try:
            self._copy = found = self._brought()
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

    def build_copy(self) -> Path:
        """The build directory, brought up to date."""
        show_as(self.build, self.address.shown)
        with _written(self.address):
            self.build.mkdir(parents=True, exist_ok=True)
            if self._base() != self.shared.newest():
                with hold_lock(self.build):
                    self._renew()
        return self.build

    def check_base(self, publisher: Publisher) -> None:
        """See that the build directory began from the newest generation.

        Raises:
            IndexBusyError: Another process has published since.
        """
        if self._base() != self.shared.newest():
            raise publisher.overtaken()

    def publish(self, publisher: Publisher, clean: bool) -> None:
        """Publish the build directory; `clean` also removes the former generation."""
        base, held = self._base() or 0, _listed(self.build)
        files = _scan(self.build)
        if files == held and not clean:
            return

        def read(path: str, place: int) -> bytes:
            from hopyard.state.storage.postgres.files import CHUNK

            with (self.build / path).open("rb") as file:
                file.seek(place * CHUNK)
                return file.read(CHUNK)

        _write_listing(self.build, publisher.publish(base, files, read, clean=clean), files)

    def _brought(self) -> Path:
        copies = self._root / "copies"
        with _written(self.address):
            copies.mkdir(parents=True, exist_ok=True)
            while True:
                number = self.shared.newest()
                if not number:
                    raise IndexMissingError(
                        f"There is no index {self.address.shown!r}: run `hopyard index build "
                        f"PATH… --out {self.address.shown!r}`."
                    )
                folder = copies / f"{number:07d}"
                if folder == self._copy:
                    return folder
                with FileLock(self._root / "fetch.lock"):
                    if not _is_whole(folder) and not self._fetch(number, folder):
                        continue  # later generations took its place
                    for old in sorted(copies.iterdir(), reverse=True)[_KEPT:]:
                        shutil.rmtree(old, ignore_errors=True)
                show_as(folder, self.address.shown)
                return folder

    def _renew(self) -> None:
        """Put the newest generation in place of what the build directory has."""
        whole = self._root / "incoming"
        number = self.shared.newest()
        while number and not self._fetch(number, whole):
            number = self.shared.newest()
        for entry in self.build.iterdir():
            if entry.name not in _STAY:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        if number:
            last = (MANIFEST_FILE, _LISTING)
            for entry in sorted(whole.iterdir(), key=lambda entry: entry.name in last):
                entry.replace(self.build / entry.name)
        else:
            _write_listing(self.build, 0, {})

    def _fetch(self, number: int, folder: Path) -> bool:
        """Make a directory of a generation; False if the database has it no more."""
        files = self.shared.files(number)
        if not files:
            return False
        part = self._root / f"{folder.name}.part"
        for left in (part, folder):
            shutil.rmtree(left, ignore_errors=True)
        copies = sorted((self._root / "copies").glob("*"), reverse=True)
        known = {
            digest: (old / path, place)
            for old in [*copies[:1], self.build]
            for path, file in _listed(old).items()
            for place, digest in enumerate(file.chunks)
        }
        with self.shared.reading() as read:
            if not _assemble(part, files, known, read):
                return False
        _write_listing(part, number, files)
        sync_tree(part)
        part.replace(folder)
        return True

    def _base(self) -> int | None:
        """The number of the generation that the build directory began from; None if unknown."""
        try:
            return int(json.loads((self.build / _LISTING).read_text())["number"])
        except (OSError, ValueError, KeyError):
            return None


def _mirror(name: str | Path) -> Mirror:
    address = index_address(str(name))
    require(f"The index {address.shown!r}", "postgres")
    digest = sha256(address.shown.encode()).hexdigest()[:_DIGITS]
    root = (home() / _FOLDER / f"{address.name}-{digest}").absolute()
    with _making:
        known = _mirrors.get(root)
        if known is None or known.address != address:  # another password, perhaps
            known = _mirrors[root] = Mirror(address, root)
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


def _is_whole(folder: Path) -> bool:
    """Whether a copy is there with all its files; a damaged one is made again."""
    try:
        check_files(folder, read_manifest(folder))
    except IndexMissingError:
        return False
    return all(
        (folder / path).is_file() and (folder / path).stat().st_size == file.size
        for path, file in _listed(folder).items()
    )


def _assemble(
    folder: Path,
    files: Files,
    known: Mapping[bytes, tuple[Path, int]],
    read: Callable[[list[bytes]], dict[bytes, bytes]],
) -> bool:
    """Write files of chunks that this machine has, and of others; False if one is nowhere."""
    for path in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    pieces = [(path, digest) for path, file in files.items() for digest in file.chunks]
    for start in range(0, len(pieces), _AHEAD):
        some = pieces[start : start + _AHEAD]
        found = {digest: _own_chunk(digest, known) for _, digest in some}
        found |= read([digest for digest, data in found.items() if data is None])
        for path, digest in some:
            data = found[digest]
            if data is None:
                return False
            with (folder / path).open("ab") as out:
                out.write(data)
    return True


def _own_chunk(digest: bytes, known: Mapping[bytes, tuple[Path, int]]) -> bytes | None:
    from hopyard.state.storage.postgres.files import CHUNK

    path, place = known.get(digest, (None, 0))
    if path is None:
        return None
    try:
        with path.open("rb") as file:
            file.seek(place * CHUNK)
            data = file.read(CHUNK)
    except OSError:
        return None
    return data if sha256(data).digest() == digest else None


def _scan(directory: Path) -> Files:
    """The files that belong to an index, with the chunks of each.

    Raises:
        HopyardError: Another process reads the log of a database file.
    """
    manifest = read_manifest(directory)
    databases = sorted(directory.glob("*.sqlite"))
    for file in databases:
        with closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as connection:
            if connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                raise HopyardError(
                    f"The log of {str(file)!r} is read by another process: end that process, then "
                    "run the same command again."
                )
    folder = generation_directory(directory, manifest.generation)
    own = [folder / name for name in manifest.files]
    files = [directory / MANIFEST_FILE, *databases, *own]
    return {file.relative_to(directory).as_posix(): _stored(file) for file in files}


def _stored(file: Path) -> StoredFile:
    from hopyard.state.storage.postgres.files import CHUNK, StoredFile

    with file.open("rb") as opened:
        chunks = tuple(sha256(block).digest() for block in iter(partial(opened.read, CHUNK), b""))
    return StoredFile(file.stat().st_size, chunks)


def _listed(directory: Path) -> Files:
    from hopyard.state.storage.postgres.files import StoredFile

    try:
        listing: dict[str, Any] = json.loads((directory / _LISTING).read_text())["files"]
        return {
            path: StoredFile(size, tuple(map(bytes.fromhex, chunks)))
            for path, (size, chunks) in listing.items()
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _write_listing(directory: Path, number: int, files: Files) -> None:
    listing = {
        path: (file.size, [digest.hex() for digest in file.chunks]) for path, file in files.items()
    }
    text = json.dumps({"number": number, "files": listing})
    write_file(directory / _LISTING, text.encode())
