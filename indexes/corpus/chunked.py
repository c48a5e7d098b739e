"""The files of an index as chunks: listed, compared with those of another directory, assembled."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from hashlib import sha256
from itertools import groupby
from operator import itemgetter
from pathlib import Path, PurePath
from typing import Any, Final

from hopyard.indexes.corpus.corpus_file import BUSY_SECONDS
from hopyard.indexes.corpus.manifest import MANIFEST_FILE, generation_directory, read_manifest
from hopyard.state.errors import HopyardError
from hopyard.state.storage.atomic import write_file
from hopyard.state.storage.stored_files import Files, StoredFile, chunk_size, is_chunk, parts

LISTING: Final = "published.json"
"""The files of a copy, or those of a build directory when it last equalled the database."""


def is_whole(folder: Path) -> bool:
    """Whether a copy is there with all its files in their sizes; a damaged copy is made again."""
    files = listed(folder)
    try:
        return bool(files) and _has_sizes(folder, files)
    except OSError:
        return False


def _has_sizes(folder: Path, files: Files) -> bool:
    return all((folder / path).stat().st_size == file.size for path, file in files.items())


def assemble(
    folder: Path,
    files: Files,
    known: Mapping[bytes, tuple[Path, int]],
    read: Callable[[list[bytes]], dict[bytes, bytes]],
    tell: Callable[[int, int], None],
) -> bool:
    """Write files of chunks that this machine has, and of others.

    Args:
        known: Where this machine has a chunk.
        read: Reads others from the database.
        tell: Called with the bytes that are written, and with their sum.

    Returns:
        False if a chunk is nowhere, a path leads out of the folder, or a file has another size.
    """
    if any(PurePath(path).is_absolute() or ".." in PurePath(path).parts for path in files):
        return False
    for path in files:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    pieces = [(path, digest) for path, file in files.items() for digest in file.chunks]
    done, total = 0, sum(file.size for file in files.values())
    for part in parts([chunk_size(files[path].size) for path, _ in pieces]):
        tell(done, total)
        some = pieces[part]
        found = {digest: _own_chunk(digest, known) for _, digest in some}
        found |= read([digest for digest, data in found.items() if data is None])
        for path, group in groupby(some, key=itemgetter(0)):
            with (folder / path).open("ab") as out:
                for _, digest in group:
                    if (data := found[digest]) is None:
                        return False
                    done += out.write(data)
    tell(total, total)
    return bool(files) and _has_sizes(folder, files)


def _own_chunk(digest: bytes, known: Mapping[bytes, tuple[Path, int]]) -> bytes | None:
    try:
        data = chunk_of(*known[digest])
    except (KeyError, OSError):
        return None
    return data if is_chunk(data, digest) else None


def chunk_of(path: Path, place: int) -> bytes:
    """A chunk of a file, by its place in it."""
    step = chunk_size(path.stat().st_size)
    with path.open("rb") as file:
        file.seek(place * step)
        return file.read(step)


UNREAD_FILE: Final = "unread.json"
"""The files that a build did not read, or read in part (`indexes.unread`)."""


def scan(directory: Path) -> Files:
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
    unread = directory / UNREAD_FILE
    files = [directory / MANIFEST_FILE, *databases, *own, *[unread] * unread.exists()]
    return {file.relative_to(directory).as_posix(): _stored(file) for file in files}


def _stored(file: Path) -> StoredFile:
    size = file.stat().st_size
    with file.open("rb") as opened:
        blocks = iter(partial(opened.read, chunk_size(size)), b"")
        return StoredFile(size, tuple(sha256(block).digest() for block in blocks))


def listed(directory: Path) -> Files:
    """The files that a directory's listing names; none without a listing."""
    try:
        listing: dict[str, Any] = json.loads((directory / LISTING).read_text())["files"]
        return {
            path: StoredFile(size, tuple(map(bytes.fromhex, chunks)))
            for path, (size, chunks) in listing.items()
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def write_listing(directory: Path, number: int, files: Files) -> None:
    """Write down which generation of the database a directory has."""
    listing = {
        path: (file.size, [digest.hex() for digest in file.chunks]) for path, file in files.items()
    }
    text = json.dumps({"number": number, "files": listing})
    write_file(directory / LISTING, text.encode())
