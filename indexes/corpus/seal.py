"""Checksums: how a file of an index that has changed by itself is found out.

The files of a generation never change, and the manifest holds their checksums. A SQLite file does
change, but only while a build holds the lock: the build breaks the file's seal before it writes,
and seals it again when it has ended. After a kill there is no seal, and who opens the file looks
through its contents instead.

A process that uses a SQLite file reads it through SQLite alone. Its locks are the process's, and
the system takes all of them away as soon as the process closes any descriptor of the file; another
process's writer would then delete the log that a reader here still relies on ("How To Corrupt An
SQLite Database File", section 2.2). SQLite gives the whole file, twice in memory; so another
process makes the checksum of a large one.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.state.errors import HopyardError
from hopyard.state.storage.atomic import write_file

__all__ = ("break_seal", "checksum", "is_sealed", "rewrite", "seal", "text_checksum")

LARGEST: Final = 1 << 26
"""Bytes of a SQLite file whose checksum is made in this process: it takes twice as much memory."""
_BLOCK: Final = 1 << 20
_PROGRAM: Final = """
import sys, zlib
value = 0
with open(sys.argv[1], "rb") as file:
    while block := file.read(1 << 20):
        value = zlib.crc32(block, value)
print(f"{value:08x}")
"""


class _Seal(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    size: int
    checksum: str


def checksum(path: Path) -> str:
    """CRC-32 of a file: it finds every changed byte, and guards against accidents, not people.

    Raises:
        OSError: The file cannot be read.
    """
    value = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            value = zlib.crc32(block, value)
    return f"{value:08x}"


def text_checksum(text: str) -> str:
    """CRC-32 of a text."""
    return _checksum_of(text.encode())


def seal(connection: sqlite3.Connection, file: Path) -> None:
    """Write down the checksum of a SQLite file that is written no more for now.

    Raises:
        sqlite3.Error: It cannot be read.
        OSError: The seal cannot be written.
    """
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    made = _seal_for(connection, file)
    if made is None:
        return
    if _read(_broken(file)) == made:  # nothing was written, so the old one holds
        _broken(file).replace(_seal_of(file))
    else:
        write_file(_seal_of(file), made.model_dump_json().encode())
        _broken(file).unlink(missing_ok=True)


def rewrite(connection: sqlite3.Connection, file: Path) -> None:
    """Write a SQLite file again without its free pages, and empty its log.

    Raises:
        sqlite3.Error: It cannot be written.
        HopyardError: Another process reads the log, which still has what was deleted.
    """
    connection.execute("VACUUM")
    [busy, *_] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise HopyardError(
            f"The log of {str(file)!r} still has removed text, because another process reads it: "
            "end that process, then run `hopyard index vacuum` again."
        )


def break_seal(file: Path) -> None:
    """Say that a file is about to be written."""
    if _seal_of(file).exists():
        _seal_of(file).replace(_broken(file))


def is_sealed(connection: sqlite3.Connection, file: Path) -> bool | None:
    """Whether a file is as it was sealed.

    Args:
        connection: To the file.
        file: Its place.

    Returns:
        True where it is, False where it has changed by itself, and None where there is no seal to
        say so: the file is being written, or its last writer was killed.

    Raises:
        sqlite3.Error: It cannot be read.
    """
    before = _read(_seal_of(file))
    if before is None:
        return None
    found = _seal_for(connection, file)
    if found is None:
        return None
    if before == found:
        return True
    return False if _read(_seal_of(file)) == before else None  # else a build has begun meanwhile


def _seal_for(connection: sqlite3.Connection, file: Path) -> _Seal | None:
    """The seal of the pages as they are, with what the log adds.

    Returns:
        None where it cannot be told: the log of a large file is not empty, no process can be
        started, or this SQLite was built without serialization.
    """
    [count], [size] = (
        connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
    )
    if count * size > LARGEST:
        log = file.with_name(f"{file.name}-wal")
        if log.exists() and log.stat().st_size:
            return None
        made = _checksum_elsewhere(file)
        return _Seal(size=count * size, checksum=made) if made else None
    if not hasattr(connection, "serialize"):
        return None
    pages = connection.serialize()
    return _Seal(size=len(pages), checksum=_checksum_of(pages))


def _checksum_elsewhere(file: Path) -> str:
    """The checksum of a file, made by another process; "" where none can be started."""
    if not sys.executable or getattr(sys, "frozen", False):  # then it is no Python
        return ""
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, str(file)]
    try:
        made = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return ""
    return made.stdout.strip()


def _checksum_of(data: bytes) -> str:
    return f"{zlib.crc32(data):08x}"


def _seal_of(file: Path) -> Path:
    return file.with_name(f"{file.name}.seal")


def _broken(file: Path) -> Path:
    return file.with_name(f"{file.name}.seal.broken")


def _read(seal_file: Path) -> _Seal | None:
    try:
        return _Seal.model_validate_json(seal_file.read_bytes())
    except (OSError, ValidationError):
        return None
