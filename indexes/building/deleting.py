"""Deleting an index: its own files, or its rows and tables in a database. Nothing else goes."""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from hopyard.indexes.corpus.chunked import LISTING, UNREAD_FILE
from hopyard.indexes.corpus.corpus_file import CORPUS_FILE, columns_of, uri_of
from hopyard.indexes.corpus.lock import LOCK_FILE, hold_lock
from hopyard.indexes.corpus.manifest import MANIFEST_FILE, read_manifest
from hopyard.indexes.corpus.shared import delete_shared, stored_bytes
from hopyard.indexes.documents.folders import FILE as FOLDERS_FILE
from hopyard.state.errors import HopyardError, IndexMissingError
from hopyard.state.settings.index_address import is_address, public_name

_GENERATION: Final = re.compile(r"gen-\d{7,}")


def index_bytes(name: str) -> int:
    """The size of an index, by its directory or address.

    Raises:
        IndexMissingError: There is no index.
        HopyardError: The database cannot be used.
    """
    if is_address(name):
        size = stored_bytes(name)
    else:
        files = [file for path in _own(Path(name)) for file in (path, *path.rglob("*"))]
        size = sum(file.stat().st_size for file in files if file.is_file())
    if not size:
        raise IndexMissingError(f"There is no index {public_name(name)!r}: nothing was deleted.")
    return size


def delete_index(name: str) -> list[str]:
    """Delete an index. A shared index goes from the database and from this machine.

    Returns:
        The names of other files in its directory, which stay.

    Raises:
        IndexMissingError: There is no index.
        IndexBusyError: A process builds the index.
        HopyardError: A file cannot be deleted, or the database cannot be used.
    """
    index_bytes(name)  # before a lock or tables are made where there is no index
    if is_address(name):
        delete_shared(name)
        return []
    directory = Path(name)
    try:
        with hold_lock(directory):
            for path in _own(directory):
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        (directory / LOCK_FILE).unlink(missing_ok=True)
        left = sorted(path.name for path in directory.iterdir())
    except OSError as error:
        raise HopyardError(
            f"The index {name!r} cannot be deleted as a whole ({error}): fix the problem, then "
            "run the same command again."
        ) from error
    with suppress(OSError):  # it has other files, or it is a link, ".", or a mounted folder
        directory.rmdir()
    return left


def _own(directory: Path) -> Iterator[Path]:
    """The files and folders of a directory that builds wrote; nothing if it has no index.

    The manifest comes first: without it there is no index, and so none that is half there. The
    corpus comes last, so that what is left after a kill can be deleted.
    """
    corpus = directory / CORPUS_FILE
    if not _is_index(directory):
        return
    for name in (MANIFEST_FILE, LISTING, FOLDERS_FILE, UNREAD_FILE):
        yield from (path for path in (directory / name, directory / f"{name}.tmp") if path.exists())
    for path in sorted(directory.glob("gen-*")):
        if _GENERATION.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            yield path
    for file in sorted(directory.glob("*.sqlite")):
        if file != corpus and _has(file, "written"):
            yield from _with_logs(file)
    yield from _with_logs(corpus)


def _is_index(directory: Path) -> bool:
    """Whether a directory has an index: other programs have files of the same names."""
    with suppress(IndexMissingError):
        return bool(read_manifest(directory))
    return _has(directory / CORPUS_FILE, "passages")  # a build was killed, or is of an older format


def _has(file: Path, table: str) -> bool:
    """Whether a file is a database with a table of a build, and not another program's."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(uri_of(file), uri=True)) as opened:
        return "content_hash" in columns_of(opened, table)
    return False


def _with_logs(file: Path) -> Iterator[Path]:
    for end in ("-wal", "-shm", ""):
        if (path := file.with_name(file.name + end)).exists():
            yield path
