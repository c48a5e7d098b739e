"""A summary of an index directory, without opening its kinds."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.building.unfinished import unfinished_build
from hopyard.indexes.corpus.checks import check_rows
from hopyard.indexes.corpus.corpus_file import check_structure, uri_of
from hopyard.indexes.corpus.manifest import (
    Manifest,
    check_files,
    damage_error,
    generation_directory,
    read_manifest,
)
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.kind import KINDS

__all__ = ("IndexStatus", "check_index", "status")


class IndexStatus(BaseModel):
    """Values for `hopyard index status`."""

    model_config = ConfigDict(frozen=True)

    directory: str
    bytes: int
    """Size on the disk, the last generation included."""
    manifest: Manifest
    kinds: Mapping[str, Mapping[str, Any]]
    """The status of each kind, by name; empty values are left out."""
    unfinished: tuple[str, ...]
    """Work that a budget left undone, in a few words each."""
    interrupted: str = ""
    """How far an unfinished build is, or ""."""

    @property
    def model(self) -> str:
        """The chat model of the last build; "" where none was asked."""
        models = (str(values.get("model", "")) for values in self.kinds.values())
        return next(filter(None, models), "")


def status(directory: Path) -> IndexStatus:
    """Summarise an index. Kinds whose package is not installed are named and not described.

    Raises:
        IndexMissingError: There is no index, or a file of it is missing or damaged.
    """
    manifest = read_manifest(directory)
    check_files(directory, manifest)
    folder = generation_directory(directory, manifest.generation)
    kinds = [KINDS[name] for name in manifest.kinds if name in KINDS]
    values = {kind.name: kind.status(folder / kind.name) for kind in kinds}
    unfinished = [kind.unfinished(folder / kind.name) for kind in kinds]
    return IndexStatus(
        directory=str(directory),
        bytes=sum(map(_size, directory.rglob("*"))),
        manifest=manifest,
        kinds={name: found for name, found in values.items() if found},
        unfinished=tuple(filter(None, unfinished)),
        interrupted=str(unfinished_build(directory) or ""),
    )


def check_index(directory: Path) -> None:
    """Read all files of an index: checksums of files, the structure of databases, hashes of texts.

    Opening an index compares only the sizes of files and the numbers of passages and documents.

    Raises:
        IndexMissingError: A file is missing or damaged; the message names it.
    """
    manifest = read_manifest(directory)
    check_files(directory, manifest, checksums=True)
    with Snapshot(directory, manifest.generation) as corpus:
        check_rows(corpus, manifest, full=True)
    for file in directory.glob("*.sqlite"):
        try:
            with closing(sqlite3.connect(uri_of(file), uri=True)) as connection:
                check_structure(connection)
        except sqlite3.Error as error:
            raise damage_error(file, f"cannot be used ({error})") from error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except FileNotFoundError:  # a build is tidying up
        return 0
