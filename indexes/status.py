"""A summary of an index directory, without opening its indexes."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.manifest import Manifest, check_files, read_manifest

__all__ = ("IndexStatus", "status")


class IndexStatus(BaseModel):
    """What `hopyard index status` shows."""

    model_config = ConfigDict(frozen=True)

    directory: str
    bytes: int
    """Size on the disk, the last generation included."""
    manifest: Manifest


def status(directory: Path) -> IndexStatus:
    """Summarise an index.

    Raises:
        IndexMissingError: There is no index, or a file of it is missing or damaged.
    """
    manifest = read_manifest(directory)
    check_files(directory, manifest)
    size = sum(map(_size, directory.rglob("*")))
    return IndexStatus(directory=str(directory), bytes=size, manifest=manifest)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:  # a build is tidying up
        return 0
