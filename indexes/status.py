"""A summary of an index directory, without opening its kinds, and of a build that is under way."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from hopyard.indexes.corpus.checks import check_rows
from hopyard.indexes.corpus.corpus_file import CORPUS_FILE, check_structure, corpus_error, uri_of
from hopyard.indexes.corpus.lock import builder_of
from hopyard.indexes.corpus.manifest import (
    Manifest,
    check_files,
    damage_error,
    find_manifest,
    generation_directory,
    read_manifest,
    vectors_name,
)
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.kind import KINDS
from hopyard.state.errors import as_known

_LIVE: Final = "FROM passages WHERE removed IS NULL"
_EMBEDDED: Final = (
    "AND EXISTS (SELECT 1 FROM vectors WHERE namespace = 'passages' "
    "AND vectors.content_hash = passages.content_hash AND (? = '' OR embedding = ?))"
)


class IndexStatus(BaseModel, frozen=True):
    """Values for `hopyard index status`."""

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
        directory=as_known(str(directory)),
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


@dataclass(frozen=True)
class UnfinishedBuild:
    """A build that has not taken effect.

    Attributes:
        passages: How many passages the index will hold.
        embedded: How many of them have their vector.
        process: The id of the process that builds now; "" where the build was interrupted.
    """

    passages: int
    embedded: int
    process: str = ""

    def __str__(self) -> str:
        done = f"{self.embedded:,} of {self.passages:,} passages embedded"
        if not self.passages:
            done = "reading documents" if self.process else "no document read"
        if self.process:
            return f"building now, process {self.process}: {done}"
        return f"interrupted: {done}; run the same command to continue"


def unfinished_build(directory: Path) -> UnfinishedBuild | None:
    """The build of an index that has not taken effect, or None.

    Raises:
        IndexMissingError: A file in the directory cannot be read.
    """
    process = builder_of(directory)
    if not (directory / CORPUS_FILE).exists():
        return UnfinishedBuild(0, 0, process) if process else None
    manifest = find_manifest(directory)
    generation = manifest.generation if manifest else 0
    own = vectors_name(manifest.embedding, manifest.passage_instruction) if manifest else ""
    try:
        with closing(sqlite3.connect(uri_of(directory / CORPUS_FILE), uri=True)) as corpus:
            written = corpus.execute(
                "SELECT EXISTS (SELECT 1 FROM documents WHERE added > ?1 OR removed > ?1)",
                (generation,),
            ).fetchone()[0]
            other = corpus.execute(
                "SELECT embedding FROM vectors WHERE namespace = 'passages' AND embedding != ? "
                "LIMIT 1",
                (own,),
            ).fetchone()
            begun = generation_directory(directory, generation + 1).exists()
            if not (written or other or begun or process or manifest is None):
                return None
            by = other[0] if other else own
            passages = corpus.execute(f"SELECT count(*) {_LIVE}").fetchone()[0]
            embedded = corpus.execute(f"SELECT count(*) {_LIVE} {_EMBEDDED}", (by, by)).fetchone()
    except sqlite3.Error as error:
        raise corpus_error(directory, error) from error
    return UnfinishedBuild(passages, embedded[0], process)
