"""Writes that are there whole or not at all, also after a crash."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hopyard.state.errors import UsageError


def write_file(path: Path, data: bytes) -> None:
    """Write a file under a temporary name, then rename it over the old file."""
    temporary = path.with_name(f"{path.name}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
    _sync(path.parent)


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """A temporary name to write an export to, which replaces the file when it is whole.

    Raises:
        UsageError: The file cannot be written.
    """
    temporary = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield temporary
            temporary.replace(file)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(
            f"The file {str(file)!r} cannot be written ({error.strerror}): name another --out."
        ) from error


def sync_tree(directory: Path) -> dict[str, int]:
    """Force every file below a directory to the disk.

    Returns:
        The size of each file in bytes, by its path below the directory.
    """
    sizes = {}
    for path in sorted(directory.rglob("*")):
        _sync(path)
        if path.is_file():
            sizes[path.relative_to(directory).as_posix()] = path.stat().st_size
    _sync(directory)
    return sizes


def _sync(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows opens no directory, and needs no such call
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
