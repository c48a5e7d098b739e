"""Indexes that a database shares: this machine searches its copies, and publishes its builds.

Every function that asks the database raises `HopyardError` if it cannot be used.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hopyard.indexes.corpus.mirror import Mirror
from hopyard.state.extras import require
from hopyard.state.settings.index_address import index_address, is_address
from hopyard.state.settings.sources import home

if TYPE_CHECKING:
    from hopyard.indexes.corpus.progress import Progress

_FOLDER: Final = "indexes"
_DIGITS: Final = 12

_mirrors: Final[dict[Path, Mirror]] = {}
_making: Final = threading.Lock()


def folder_of(name: str | Path, progress: Progress = lambda *_: None) -> Path:
    """The directory of an index, for reading; a shared index is first brought up to date.

    Args:
        name: A directory, or the address of an index in a database.
        progress: Called as the files of a shared index are fetched.

    Raises:
        IndexMissingError: The database has no such index.
    """
    return _mirror(name).newest_copy(progress) if is_address(name) else Path(name)


def build_folder(name: str | Path, progress: Progress = lambda *_: None) -> Path:
    """The directory that builds of an index work in, up to date with the database.

    Args:
        name: As for `folder_of`, or the directory that this function gave before.
        progress: As for `folder_of`.

    Raises:
        IndexBusyError: Another process of this machine builds it.
    """
    mirror = _mirror(name) if is_address(name) else mirror_at(Path(name))
    return mirror.build_copy(progress) if mirror else Path(name)


def local_folder(name: str | Path) -> Path:
    """The directory that builds of an index work in, as it is; nothing is asked."""
    return _mirror(name).build if is_address(name) else Path(name)


def stored_bytes(name: str) -> int:
    """The bytes that a database keeps of an index, by its address; 0 if it has no such index."""
    return _mirror(name).shared.size()


def delete_shared(name: str) -> None:
    """Delete an index from its database, and the copies of this machine.

    Raises:
        IndexBusyError: A process builds the index.
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


def mirror_at(directory: Path) -> Mirror | None:
    """The shared index that is built in a directory; None for another directory."""
    return _mirrors.get(directory.absolute())


def mirror_with(directory: Path) -> Mirror | None:
    """The shared index that a directory is a copy of, or is built in; None for other folders."""
    return mirror_at(directory) or mirror_at(directory.parents[1] / "build")


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
